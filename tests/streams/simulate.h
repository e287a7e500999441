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

#define SIM_FUTEX 202 /* the system call */

struct sim_opts {
	uint64_t seed;
	int steps;	   /* of all threads */
	int loss_permille; /* records that are lost */
	int now_permille;  /* so often a thread is looked at, and a period ends:
			    * a SIM_PERIOD record */
	bool calm; /* nothing that depends on when it is looked at: no probe
		    * cost, suspensions and other stacks */
	bool late; /* looks overtake records */
};

/* Of no kind that there is. */
#define SIM_PERIOD 255

/* `s` must be all zeros; `o` has its classification only. */
void simulate(const struct sim_opts *opts, struct stream *s, struct oracle *o);

uint32_t sim_tid(int thread);
uint32_t sim_pid(int process);

/* Pseudo-random numbers: the same for a seed everywhere. */
uint64_t sim_random(uint64_t *state);

#endif
