/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What really happened to each thread, as plain lists: the oracle that the
 * records of the BPF programs are compared with. It knows nothing of how they
 * come to them.
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
	uint32_t event; /* slices with one number come as one record */
	bool told;	/* a record of it was found */
};

struct truth_interval {
	uint64_t time; /* when a function was entered or left, or the stop */
	uint32_t kind, func;
};

struct truth {
	struct truth_slice slice[TRUTH_EVENTS];
	struct truth_interval interval[TRUTH_EVENTS];
	size_t nslices, nintervals;
	uint32_t nevents;
};

/* What the records of a thread say of losses. */
struct truth_found {
	uint64_t slices, records; /* received */
	uint64_t missing;	  /* records: by their numbers and the truth */
};

/* Compares all samples of the ring that are the thread's; fails the test where
 * a record says what is not so. */
struct truth_found truth_compare(struct truth *t, uint32_t tid);

void truth_slice(struct truth *t, uint64_t start, uint64_t end, uint32_t class,
		 uint32_t event);
void truth_interval(struct truth *t, uint64_t time, uint32_t kind,
		    uint32_t func);

#endif
