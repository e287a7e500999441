/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of the same thing from several rounds. */
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include <stddef.h>

#define SERIES_MAX 99

struct series {
	double value[SERIES_MAX];
	size_t n;
};

/* A full series takes no more. */
void series_add(struct series *s, double value);

/* The value below which the given part (0 to 1) lies; 0 when there is none. */
double series_at(const struct series *s, double part);

double series_median(const struct series *s);

#endif
