/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variants of one program side by side: each round runs all of them one after
 * the other, so that what disturbs the machine for a while disturbs all of
 * them. Ratios are made round by round, too.
 */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

#include <stddef.h>

#include "process.h"

/* One way to run the program. All argument lists end with NULL. */
struct variant {
	const char *name;
	args_t work;   /* NULL: the comparison's */
	args_t gnomon; /* NULL: not traced by gnomon */
	/* function with the bare program, or NULL; "java": those of a JVM */
	const char *bare;
	args_t beside;	      /* what a second process does, or NULL */
	args_t beside_gnomon; /* that one is traced */
};

/* What variant `of` takes against variant `to`, in CPU time: what another
 * program of the machine does in between is no part of it. The ratio of times
 * on the clock is shown beside; where the two differ, the machine was busy. */
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
	/* The variant whose time is taken off the others': what is left is the
	 * cost of what is attached. */
	size_t base;
};

int compare(const struct bench *b, const struct comparison *c);

#endif
