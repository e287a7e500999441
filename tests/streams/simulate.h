/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A random program with a few threads on a simulated kernel: writes the records
 * that gnomon would read, some of them lost, and reports the same events to the
 * oracle in their true order.
 */
#ifndef GNOMON_TESTS_SIMULATE_H
#define GNOMON_TESTS_SIMULATE_H

#include "oracle.h"
#include "stream.h"

#define SIM_FUTEX 202 /* the system call */

struct sim_opts {
	uint64_t seed;
	int steps;	   /* of all threads */
	int loss_permille; /* share of lost records */
	int now_permille;  /* how often a thread is looked at, and a period ends
			      with a SIM_PERIOD record */
	bool calm; /* nothing that depends on the time of a look: no probe cost,
		      suspensions or other stacks */
	bool late; /* looks overtake records */
};

/* An unused kind. */
#define SIM_PERIOD 255

/* `s` must be all zeros; in `o`, only the classification is set. */
void simulate(const struct sim_opts *opts, struct stream *s, struct oracle *o);

uint32_t sim_tid(int thread);
uint32_t sim_pid(int process);

/* Pseudo-random numbers: the same for a seed on every machine. */
uint64_t sim_random(uint64_t *state);

#endif
