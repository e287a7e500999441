/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timeline in bounded memory. For each thread it has the exact time by class
 * in GN_HTML_SPANS spans of equal length, which doubles as time grows. It also
 * keeps the longest calls, slices and activities one by one.
 */
#ifndef GNOMON_OUTPUT_HTML_TIMES_H
#define GNOMON_OUTPUT_HTML_TIMES_H

#include "model/observer.h"
#include "model/table.h"
#include "model/model.h"
#include "output/emit.h"

#define GN_HTML_SPANS 512
/* The most calls, slices and activities that a page has one by one. */
#define GN_HTML_KEPT (1u << 20)

struct gn_html_spans {
	uint64_t origin; /* the first time given */
	uint64_t length; /* of a span, ns; 0: no time was given */
	struct gn_html_row {
		int64_t *ns[GN_CLASS_COUNT]; /* NULL: no time in it */
	} * rows;			     /* one per thread, by number */
	uint32_t nrows, rows_cap;
};

/* Adds the time from start to end, which the thread spent in the class. 0 or
 * -ENOMEM. */
int gn_html_spans_add(struct gn_html_spans *s, uint32_t thread,
		      enum gn_class class, uint64_t start, uint64_t end);
/* Moves the time from start to end to the class `to`: from the class from[0],
 * and what that lacks from from[1]. `all`: `to` gets the whole time even if
 * both lack some of it. 0 or -ENOMEM. */
int gn_html_spans_move(struct gn_html_spans *s, uint32_t thread,
		       const enum gn_class from[2], enum gn_class to, bool all,
		       uint64_t start, uint64_t end);
/* Emits an object: [span, ns, span, ns, ...] by class. */
void gn_html_spans_put(const struct gn_html_spans *s, uint32_t thread,
		       struct gn_emit *e, const char *key);
void gn_html_spans_free(struct gn_html_spans *s);

enum gn_html_lane_kind {
	GN_HTML_CALLS,
	GN_HTML_SLICES,
	GN_HTML_DOES, /* activities */
};

/* What one row of the timeline shows: the calls on a stack, the slices of a
 * thread, or its activities for its runtime. */
struct gn_html_lane {
	uint32_t thread;
	enum gn_html_lane_kind kind;
	uint64_t stack;
	struct gn_html_open { /* items that have begun and not ended */
		uint64_t start;
		uint32_t fn;
		uint32_t what; /* an activity */
	} * open;
	uint32_t nopen, open_cap;
};

struct gn_html_kept {
	uint64_t start, length;
	uint32_t lane;
	uint32_t fn;   /* called, compiled or run by the waker; or GN_NONE */
	uint32_t what; /* depth; activity; class << 16 | system call */
	uint32_t waker;
};

struct gn_html_keep {
	struct gn_html_kept *kept;
	uint32_t n, cap;
	uint64_t shortest; /* all items at least this long are kept */
	uint64_t left_out;
};

/* Keeps a copy of the item if it is long enough. 0 or -ENOMEM. */
int gn_html_keep(struct gn_html_keep *k, const struct gn_html_kept *one);
/* Sorts by lane and time. */
void gn_html_keep_sort(struct gn_html_keep *k);

struct gn_html_function {
	char *name, *shown, *module;
	int32_t index; /* in the page; INT32_MIN: not looked up */
};

struct gn_html_thread {
	uint32_t pid, tid;
	uint64_t start, end, stack;
	uint64_t accounted;  /* up to this time */
	uint64_t gap;	     /* end of the last gap */
	enum gn_class doing; /* while on a CPU and not in the kernel */
	char *name, *process;
	struct gn_html_lane_list {
		uint32_t slices, does; /* lanes; GN_NONE: none yet */
	} lanes;
	bool seen, ended;
};

struct gn_html_times {
	FILE *f;
	struct gn_html_spans spans;
	struct gn_html_keep keep;
	struct gn_table stacks; /* thread << 32 | stack -> lane */
	struct gn_html_lane *lanes;
	uint32_t nlanes, lanes_cap;
	struct gn_html_function *functions;
	uint32_t nfunctions, functions_cap;
	struct gn_html_thread *threads;
	uint32_t nthreads, threads_cap;
	uint64_t calls; /* that began */
};

/* Writes the timeline's data element. 0, -ENOMEM, -errno of the stream. */
int gn_html_times_put(struct gn_html_times *w, const struct gn_model *m);

#endif
