/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One number from several captures, and its uncertainty.
 *
 * Disturbances from outside the program, such as caches, the host and
 * interrupts, make its times longer and never shorter. So for times on a CPU,
 * elapsed times and sleep the minimum is the best estimate, and its distance to
 * the next value is the noise. The program's threads can make each other slower
 * or faster. So for waits and calls the median is the estimate, and half the
 * width of the middle half is the noise.
 *
 * The cost of probes is subtracted from times, and can be too much or too
 * little. Where that can make a value wrong by more than a tenth, which reports
 * mark ~, captures can agree by chance, and the value is known only to that
 * error.
 */
#ifndef GNOMON_COMPARE_ESTIMATE_H
#define GNOMON_COMPARE_ESTIMATE_H

#include "compare/compare.h"

struct gn_estimate {
	double value, noise;
	double error; /* because of the cost of probes; 0: up to a tenth */
	/* the number of captures used; with one the noise is not known, and
	 * 0 */
	size_t n;
};

/* How to read an item's metric. */
enum gn_reading {
	GN_READ_PLAIN,
	GN_READ_PER_CALL, /* divided by the item's calls; without calls 0 */
	GN_READ_SHARE,	  /* % of the total of the same capture */
};

/* What the estimate is uncertain by. */
static inline double gn_estimate_doubt(const struct gn_estimate *e)
{
	return e->error > e->noise ? e->error : e->noise;
}

/* They sort `values`. */
struct gn_estimate gn_estimate_least(double *values, size_t n);
struct gn_estimate gn_estimate_median(double *values, size_t n);

/* By the rule above. `median`: use the median for any metric. The minimum
 * ignores captures without the item, and a reading per call ignores captures
 * without calls. 0 or -ENOMEM. */
int gn_estimate(const struct gn_comparison *c, const struct gn_item *item,
		enum gn_side side, int metric, enum gn_reading reading,
		bool median, struct gn_estimate *out);

#endif
