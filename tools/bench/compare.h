/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares variants of one program: each round runs all of them one after the
 * other, so that a longer disturbance of the machine affects all of them.
 * Ratios are computed per round, too.
 */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <stddef.h>

#include "process.h"

/* One way to run the program. All argument lists end with NULL. */
struct variant {
	const char *name;
	args_t work;   /* NULL: that of the comparison */
	args_t gnomon; /* NULL: not traced by gnomon */
	/* function with the bare program, or NULL; "java": those of a JVM */
	const char *bare;
	args_t beside;	      /* work of a second process, or NULL */
	args_t beside_gnomon; /* gnomon traces the second process */
};

/* The CPU time of variant `of` relative to variant `to`: other programs on the
 * machine are not part of it. The ratio of elapsed times is also shown; if the
 * two differ, the machine was busy. */
struct ratio {
	const char *name;
	size_t of, to;
	double goal; /* at most this; 0 = none */
};

#define COMPARE_MAX 8 /* variants, and ratios, of a comparison */
#define NO_BASE	    ((size_t)-1)

struct comparison {
	const char *title;
	const char *unit; /* what an operation is */
	args_t work;
	const struct variant *variants;
	size_t nvariants;
	const struct ratio *ratios;
	size_t nratios;
	/* The variant whose time is subtracted from the others': the rest is
	 * the cost of what is attached. */
	size_t base;
};

int compare(const struct bench *b, const struct comparison *c);

#endif
