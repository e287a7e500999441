/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A random program of a few threads on a simulated kernel: writes the records
 * that would be read of it, some of them lost, and tells the oracle the same
 * events in the order in which they truly happened.
 */
#ifndef GNOMON_TESTS_SIMULATE_H
#define GNOMON_TESTS_SIMULATE_H

#include "oracle.h"
#include "stream.h"

struct sim_opts {
	uint64_t seed;
	int steps;	   /* of all threads */
	int loss_permille; /* records that are lost */
};

/* `s` must be all zeros; `o` has its classification only. */
void simulate(const struct sim_opts *opts, struct stream *s, struct oracle *o);

uint32_t sim_tid(int thread);
uint32_t sim_pid(int process);

/* Pseudo-random numbers: the same for a seed everywhere. */
uint64_t sim_random(uint64_t *state);

#endif
