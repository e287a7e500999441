/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of an opened thread. It is a copy, because it stays when the thread
 * ends.
 */
#ifndef GNOMON_TOP_VIEW_THREAD_H
#define GNOMON_TOP_VIEW_THREAD_H

#include "model/pool.h"
#include "top/view.h"

/* The most functions kept per thread, those with the most time; the others are
 * counted. */
#define GN_TOP_SHARES 1024

struct gn_top_share {
	const char *name, *module; /* name "": outside of any function */
	bool muted;
	struct gn_model_share s;
};

struct gn_top_event {
	enum gn_class class;
	const char *name; /* the compiled function, or "" */
	uint64_t start, end;
};

struct gn_top_open {
	struct gn_pool names;
	uint32_t pid, tid;
	const char *name, *runtime;
	struct gn_model_thread t; /* the thread's numbers; its pointers are
				     NULL */
	enum gn_thread_state run;
	enum gn_class doing;
	uint16_t reason;
	bool functions;		       /* functions were traced */
	bool gone;		       /* not in the last period */
	uint64_t length, end, session; /* from the last period with it */
	struct gn_top_share *shares;
	size_t nshares, left_out;
	const char **stack; /* the innermost first */
	uint32_t nstack, depth;
	struct gn_top_event event[GN_LIVE_ACTIVITIES];
	uint32_t nevents;
};

/* Opens a thread of the period: v->open. 0, -ENOMEM. */
int gn_top_thread_open(struct gn_top_view *v, const struct gn_top_period *p,
		       const struct gn_model_thread *t);

/* Updates the opened thread, if there is one, from the period. 0, -ENOMEM: it
 * stays as it was. */
int gn_top_thread_update(struct gn_top_view *v, const struct gn_top_period *p);

void gn_top_thread_close(struct gn_top_view *v);

/* Rows of a part. */
size_t gn_top_part_rows(const struct gn_top_open *o, enum gn_top_part part);

#endif
