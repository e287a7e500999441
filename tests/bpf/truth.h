/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What really happened to each thread, as plain lists. This is the oracle for
 * the records of the BPF programs. It is independent of how they compute them.
 */
#ifndef GNOMON_TESTS_BPF_TRUTH_H
#define GNOMON_TESTS_BPF_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRUTH_EVENTS 8192

struct truth_slice {
	uint64_t start, end;
	uint32_t class;
	uint32_t event; /* slices with the same number come in one record */
	bool told;	/* the slice was found in a record */
};

struct truth_interval {
	uint64_t time; /* of a function's enter or leave, or of the stop */
	uint32_t kind, func;
};

struct truth {
	struct truth_slice slice[TRUTH_EVENTS];
	struct truth_interval interval[TRUTH_EVENTS];
	size_t nslices, nintervals;
	uint32_t nevents;
};

/* What the records of a thread show about losses. */
struct truth_found {
	uint64_t slices, records; /* received */
	uint64_t missing;	  /* by record numbers, and by the truth */
};

/* Compares all samples of the thread in the ring with the truth. Fails the test
 * if a record is wrong. */
struct truth_found truth_compare(struct truth *t, uint32_t tid);

void truth_slice(struct truth *t, uint64_t start, uint64_t end, uint32_t class,
		 uint32_t event);
void truth_interval(struct truth *t, uint64_t time, uint32_t kind,
		    uint32_t func);

#endif
