/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One number of several captures, and how well it is known.
 *
 * What runs beside a program makes its times longer and never shorter: caches,
 * the host, interrupts. So of times on a CPU, of elapsed times and of sleep the
 * least is the best known, and what the next one is above it is the noise. What
 * the program's threads do to each other goes both ways: of waits and of calls
 * it is the median, and the noise is half the width of the middle half.
 */
#ifndef GNOMON_COMPARE_ESTIMATE_H
#define GNOMON_COMPARE_ESTIMATE_H

#include "compare/compare.h"

struct gn_estimate {
	double value, noise;
	/* captures that it is of; the noise of one is not known, and 0 */
	size_t n;
};

/* What an item's metric is to be read as. */
enum gn_reading {
	GN_READ_PLAIN,
	GN_READ_PER_CALL, /* divided by the item's calls; without any 0 */
	GN_READ_SHARE,	  /* % of the total of the same capture */
};

/* `values` are sorted. */
struct gn_estimate gn_estimate_least(double *values, size_t n);
struct gn_estimate gn_estimate_median(double *values, size_t n);

/* By the rule above. `median`: of whatever metric. A capture without the item
 * is not among those of which the least is taken, and one without calls not
 * among those that are read per call. -ENOMEM. */
int gn_estimate(const struct gn_comparison *c, const struct gn_item *item,
		enum gn_side side, int metric, enum gn_reading reading,
		bool median, struct gn_estimate *out);

#endif
