/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timelines: one file a format over the walk of the pipeline (model/observer.h)
 * instead of the finished model. timelines.c is the list. Each is written as
 * the records come, in bounded memory: what it keeps grows with threads and
 * functions, not with time.
 */
#ifndef GNOMON_OUTPUT_TIMELINE_H
#define GNOMON_OUTPUT_TIMELINE_H

#include <stdbool.h>
#include <stdio.h>

#include "model/model.h"
#include "model/observer.h"

struct gn_timeline {
	const char *name;
	const char *help;
	bool binary;
	/* Makes the observer that writes to `f`. 0, -ENOMEM, or -errno of the
	 * stream. NULL: this gnomon was built without `needs`. */
	int (*begin)(struct gn_observer *o, FILE *f);
	/* After the pipeline has finished: what is left to write. 0 or -errno.
	 */
	int (*finish)(struct gn_observer *o, const struct gn_model *m);
	/* After begin, also when it failed. */
	void (*free)(struct gn_observer *o);
	const char *needs;
};

/* NULL when there is no such format. */
const struct gn_timeline *gn_timeline_find(const char *name);
/* The i-th one, NULL past the last. */
const struct gn_timeline *gn_timeline_at(size_t i);

/* What all of them say of their times. */
#define GN_TIMELINE_NOTE                                                    \
	"Times are CLOCK_MONOTONIC as the probes read it. What the probes " \
	"cost "                                                             \
	"is in them, unlike in gnomon's reports."

/* How a frame came, how it ended (NULL: by a leave), and an activity. */
const char *gn_timeline_begin_text(enum gn_frame_begin how);
const char *gn_timeline_end_text(enum gn_frame_end how);
const char *gn_timeline_activity_text(enum gn_activity_kind what);

int gn_chrome_begin(struct gn_observer *o, FILE *f);
int gn_chrome_finish(struct gn_observer *o, const struct gn_model *m);
void gn_chrome_free(struct gn_observer *o);

int gn_perfetto_begin(struct gn_observer *o, FILE *f);
int gn_perfetto_finish(struct gn_observer *o, const struct gn_model *m);
void gn_perfetto_free(struct gn_observer *o);

#endif
