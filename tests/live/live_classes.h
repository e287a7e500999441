/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of the fixture `classes`, and what gnomon reports of them. What gnomon
 * says of itself (live_clean), and bounds from clock readings, must hold in
 * every run. How near a time comes to the kernel's own account must hold in at
 * least one run, because no clock of the thread shows the hypervisor's share.
 */
#ifndef LIVE_CLASSES_H
#define LIVE_CLASSES_H

#include <stdint.h>

#include "live.h"

/* If the scheduler's clock only has ticks, the kernel's account is off by one
 * of them. So each attempt takes twice as long as the one before. */
#define ATTEMPTS 3
#define MS	 40

/* One run of the fixture, in one of its ways. */
struct class_run {
	char *wait, *wake; /* names of functions */
	struct live_truths *truths;
	json_t *report;
	uint64_t inner, outer, cpu, delay;
	uint64_t stolen; /* by the host, at most; in no account of a thread */
};

/* The absolute difference. */
uint64_t class_apart(uint64_t a, uint64_t b);

/* One run, with these gnomon options. */
void class_run(struct live *t, const char *options, const char *way,
	       unsigned int ms, struct class_run *r);
/* The same with functions; their times are compared with the fixture's. */
void class_run_functions(struct live *t, const char *options, const char *way,
			 unsigned int ms, struct class_run *r);

/* Nanoseconds of a class in the function itself. */
uint64_t class_own(struct live *t, const struct class_run *r,
		   const char *class);
/* The function's waits of classes other than `class`. */
uint64_t class_other_waits(struct live *t, const struct class_run *r,
			   const char *class);
/* Checks that the callers have the class inclusively, but not exclusively. */
void class_check_callers(struct live *t, const struct class_run *r,
			 const char *class);
/* The function's longest wait of that class, which is the first in the list. */
const json_t *class_wait_of(const struct class_run *r, const char *class);

#endif
