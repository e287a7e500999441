/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many threads were on a CPU or waited for one, over time. A slice arrives
 * when it ends, so levels are known late; the gauges are therefore exact
 * averages over spans of equal length. The length doubles as time grows, so
 * memory does not grow.
 */
#ifndef GNOMON_OUTPUT_GAUGE_H
#define GNOMON_OUTPUT_GAUGE_H

#include "model/observer.h"

#define GN_GAUGE_SPANS 4096

struct gn_gauge {
	uint64_t origin; /* the first time given; 0: none yet */
	uint64_t length; /* of a span, in nanoseconds */
	/* edges by span: what they add to the level of later spans, and to the
	 * integral of their own span */
	int64_t step[GN_GAUGE_SPANS];
	double part[GN_GAUGE_SPANS];
};

/* Merged edges of one span: the time of the first, the sum of their steps, and
 * the sum of each step times its distance from `time`. */
struct gn_gauge_edges {
	uint64_t time;
	int64_t step;
	double moment;
};

/* The edges of a thread's slices since its last interval. In a gap, nothing
 * else is known of the thread. */
struct gn_gauge_thread {
	struct gn_gauge_edges *edges;
	uint32_t n, cap;
	uint64_t gap; /* end of the thread's last gap */
};

struct gn_gauges {
	struct gn_gauge running, runnable;
	struct gn_gauge_thread *threads; /* by number */
	uint32_t nthreads, threads_cap;
};

/* A thread began. The first call sets the origin; earlier times count as the
 * origin. 0 or -ENOMEM, like gn_gauges_slice(). */
int gn_gauges_begin(struct gn_gauges *g, uint32_t thread, uint64_t time);
/* gn_gauges_thread() ends a thread that ran from `start` to `end`.
 * gn_gauges_slice() adds a slice; call it before the thread ends. */
void gn_gauges_thread(struct gn_gauges *g, uint32_t thread, uint64_t start,
		      uint64_t end);
int gn_gauges_slice(struct gn_gauges *g, const struct gn_seen_slice *s);
/* An interval of the thread ended. If the interval is a gap, call
 * gn_gauges_gap() first. */
void gn_gauges_interval(struct gn_gauges *g, uint32_t thread);
void gn_gauges_gap(struct gn_gauges *g, uint32_t thread, uint64_t start,
		   uint64_t end);
void gn_gauges_free(struct gn_gauges *g);

/* Calls `put` with the start of each span whose average differs from that of
 * the span before. 0 or the first error of `put`. */
int gn_gauges_each(const struct gn_gauges *g,
		   int (*put)(void *ctx, const char *name, uint64_t time,
			      double value),
		   void *ctx);

#endif
