/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of the fixture `classes`, and what gnomon tells of them.
 * What gnomon says of itself (live_clean) and what brackets bound must hold in
 * every run. How near a time comes to the kernel's own account must hold in
 * one run of some: a hypervisor's share is on no clock of the thread's.
 */
#ifndef LIVE_CLASSES_H
#define LIVE_CLASSES_H

#include <stdint.h>

#include "live.h"

/* Where the scheduler's clock only knows ticks, the kernel's account is off by
 * one of them: each attempt takes twice as long. */
#define ATTEMPTS 3
#define MS	 40

/* One run of the fixture, in one of its ways. */
struct class_run {
	char *wait, *wake; /* names of functions */
	struct live_truths *truths;
	json_t *report;
	uint64_t inner, outer, cpu, delay;
	uint64_t stolen; /* by the host, at most: in no account of a thread's */
};

/* How far apart they are. */
uint64_t class_apart(uint64_t a, uint64_t b);

/* One run, with these options of gnomon's. */
void class_run(struct live *t, const char *options, const char *way,
	       unsigned int ms, struct class_run *r);
/* The same with functions, whose times are compared with the fixture's. */
void class_run_functions(struct live *t, const char *options, const char *way,
			 unsigned int ms, struct class_run *r);

/* Nanoseconds of a class that the function has itself. */
uint64_t class_own(struct live *t, const struct class_run *r,
		   const char *class);
/* What the function waited for besides `class`. */
uint64_t class_other_waits(struct live *t, const struct class_run *r,
			   const char *class);
/* The callers have it inclusively and not exclusively. */
void class_check_callers(struct live *t, const struct class_run *r,
			 const char *class);
/* The first of the function's waits of that class, the longest. */
const json_t *class_wait_of(const struct class_run *r, const char *class);

#endif
