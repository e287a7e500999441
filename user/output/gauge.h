/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many threads were on a CPU or waited for one, over time. Slices come when
 * they end, so levels are known late: told are averages over spans of one
 * length, exact ones. The length doubles as the time grows, memory is constant.
 */
#ifndef GNOMON_OUTPUT_GAUGE_H
#define GNOMON_OUTPUT_GAUGE_H

#include "model/observer.h"

#define GN_GAUGE_SPANS 4096

struct gn_gauge {
	uint64_t origin; /* the first time that was told; 0: none was */
	uint64_t length; /* of a span, in nanoseconds */
	/* of edges in each span: what they add to later spans, and to the
	 * integral of their own */
	int64_t step[GN_GAUGE_SPANS];
	double part[GN_GAUGE_SPANS];
};

struct gn_gauges {
	struct gn_gauge running, runnable;
};

/* A thread began: no time before the first one that is told is known. */
void gn_gauges_begin(struct gn_gauges *g, uint64_t time);
/* A thread ended; and what it did meanwhile. */
void gn_gauges_thread(struct gn_gauges *g, uint64_t start, uint64_t end);
void gn_gauges_slice(struct gn_gauges *g, const struct gn_seen_slice *s);

/* Gives `put` each span whose average differs from the one before, and when it
 * begins. 0 or the first error of `put`. */
int gn_gauges_each(const struct gn_gauges *g,
		   int (*put)(void *ctx, const char *name, uint64_t time,
			      double value),
		   void *ctx);

#endif
