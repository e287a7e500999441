/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many threads were on a CPU or waited for one, over time. Slices come when
 * they end, so levels are known late. So these are exact averages over spans of
 * equal length. The length doubles as time grows, and memory does not.
 */
#ifndef GNOMON_OUTPUT_GAUGE_H
#define GNOMON_OUTPUT_GAUGE_H

#include "model/observer.h"

#define GN_GAUGE_SPANS 4096

struct gn_gauge {
	uint64_t origin; /* the first time that was given; 0: none yet */
	uint64_t length; /* of a span, in nanoseconds */
	/* of edges in each span: what they add to later spans, and to the
	 * integral of their own */
	int64_t step[GN_GAUGE_SPANS];
	double part[GN_GAUGE_SPANS];
};

/* Edges within one span: the time of the first, the sum of all, and of what
 * each is after it. */
struct gn_gauge_edges {
	uint64_t time;
	int64_t step;
	double moment;
};

/* What its slices say, since its last interval: in a gap only that is known. */
struct gn_gauge_thread {
	struct gn_gauge_edges *edges;
	uint32_t n, cap;
	uint64_t gap; /* end of its last one */
};

struct gn_gauges {
	struct gn_gauge running, runnable;
	struct gn_gauge_thread *threads; /* by number */
	uint32_t nthreads, threads_cap;
};

/* A thread began. No time before the first of these calls is known. 0 or
 * -ENOMEM, and so on. */
int gn_gauges_begin(struct gn_gauges *g, uint32_t thread, uint64_t time);
/* A thread ended; and a slice of what it did before. */
void gn_gauges_thread(struct gn_gauges *g, uint32_t thread, uint64_t start,
		      uint64_t end);
int gn_gauges_slice(struct gn_gauges *g, const struct gn_seen_slice *s);
/* An interval of the thread was closed; after its gap, if it is one. */
void gn_gauges_interval(struct gn_gauges *g, uint32_t thread);
void gn_gauges_gap(struct gn_gauges *g, uint32_t thread, uint64_t start,
		   uint64_t end);
void gn_gauges_free(struct gn_gauges *g);

/* Calls `put` for each span whose average differs from the one before, with its
 * start. 0 or the first error of `put`. */
int gn_gauges_each(const struct gn_gauges *g,
		   int (*put)(void *ctx, const char *name, uint64_t time,
			      double value),
		   void *ctx);

#endif
