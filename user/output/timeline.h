/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Timelines: one file for each format. Unlike outputs, they follow the replay
 * of the pipeline (model/observer.h), not the finished model. timelines.c is
 * the list. A timeline is written as the records arrive, in bounded memory:
 * memory grows with threads and functions, not with time.
 */
#ifndef GNOMON_OUTPUT_TIMELINE_H
#define GNOMON_OUTPUT_TIMELINE_H

#include <stdbool.h>
#include <stdio.h>

#include "model/model.h"
#include "model/observer.h"
#include "output/needs.h"

/* The options of timelines with rows, besides the format. */
struct gn_timeline_opts {
	/* globs for functions, and for thread names or ids; none: all */
	const char *const *only;
	size_t nonly;
	const char *const *threads;
	size_t nthreads;
	uint64_t depth;	 /* levels of calls, 0: all */
	uint64_t min_ns; /* of a call's Elapsed Time */
	bool utf8;	 /* from here on as in struct gn_output_opts */
	int width;
	bool ns, verbose, bare;
	const char *const *labels;
	size_t nlabels;
};

struct gn_timeline {
	const char *name;
	const char *help;
	bool binary;
	/* Makes the observer that writes to `f`. `opts` must outlive it. 0,
	 * -ENOMEM, or -errno of the stream. The pointer is NULL if this gnomon
	 * was built without `needs`. */
	int (*begin)(struct gn_observer *o, FILE *f,
		     const struct gn_timeline_opts *opts);
	/* Writes what is left after the pipeline has finished. `findings`: the
	 * findings of explain as JSON; NULL: not requested. 0 or -errno. */
	int (*finish)(struct gn_observer *o, const struct gn_model *m,
		      const char *findings);
	/* Called after begin, even if begin failed. */
	void (*free)(struct gn_observer *o);
	const char *needs;
	const char *ending; /* of a file's name, without a dot */
};

/* NULL when there is no such format. */
const struct gn_timeline *gn_timeline_find(const char *name);
/* The i-th one, NULL past the last. */
const struct gn_timeline *gn_timeline_at(size_t i);

/* The note about times in every timeline. */
#define GN_TIMELINE_NOTE                                                    \
	"Times are CLOCK_MONOTONIC as the probes read it. What the probes " \
	"cost "                                                             \
	"is in them, unlike in gnomon's reports."

/* Words for how a frame began, how it ended (NULL: by a leave), and for an
 * activity. */
const char *gn_timeline_begin_text(enum gn_frame_begin how);
const char *gn_timeline_end_text(enum gn_frame_end how);
const char *gn_timeline_activity_text(enum gn_activity_kind what);
/* The words for an event of a runtime; the end of a stretch has " ends"
 * appended. */
#define GN_EVENT_NAME 64
const char *gn_timeline_event_text(char name[GN_EVENT_NAME], uint32_t event);

/* The name of a background collection, which is not part of a thread's own
 * GC. */
#define GN_TIMELINE_BACKGROUND "background GC"

/* An observer whose functions have these names in the file. */
#define GN_TIMELINE_OBSERVER(context)         \
	((struct gn_observer){                \
		.ctx = (context),             \
		.function = see_function,     \
		.thread = see_thread,         \
		.thread_end = see_thread_end, \
		.enter = see_enter,           \
		.leave = see_leave,           \
		.slice = see_slice,           \
		.gap = see_gap,               \
		.begin = see_begin,           \
		.end = see_end,               \
		.event = see_event,           \
	})

/* X(name, help, binary, needed library (needs.h), file name ending). The
 * functions are gn_NAME_begin(), gn_NAME_finish() and gn_NAME_free(). */
/* clang-format off */
#define GN_TIMELINE_LIST(X) \
	X(perfetto, "a timeline for ui.perfetto.dev", true, PROTOBUF, "pftrace") \
	X(chrome, "the same as JSON trace events", false, NOTHING, "trace.json") \
	X(html, "a page with all of it, for any browser", false, NOTHING, "html")
/* clang-format on */

#define GN_TIMELINE_FUNCTIONS(name, ...)                            \
	int gn_##name##_begin(struct gn_observer *o, FILE *f,       \
			      const struct gn_timeline_opts *opts); \
	int gn_##name##_finish(struct gn_observer *o,               \
			       const struct gn_model *m,            \
			       const char *findings);               \
	void gn_##name##_free(struct gn_observer *o);
GN_TIMELINE_LIST(GN_TIMELINE_FUNCTIONS)
#undef GN_TIMELINE_FUNCTIONS

#endif
