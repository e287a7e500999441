/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the same quantity from several rounds. */
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include <stddef.h>

#define SERIES_MAX 99

struct series {
	double value[SERIES_MAX];
	size_t n;
};

/* A full series ignores further values. */
void series_add(struct series *s, double value);

/* The value below which the given part (0 to 1) of the series lies; 0 if it is
 * empty. */
double series_at(const struct series *s, double part);

double series_median(const struct series *s);

#endif
