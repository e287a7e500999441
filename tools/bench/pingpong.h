/* SPDX-License-Identifier: BSD-2-Clause */
/* Two processes on one CPU that send each other a byte through pipes. They stay
 * alive, so that the same two are timed with and without gnomon. */
#ifndef BENCH_PINGPONG_H
#define BENCH_PINGPONG_H

#include "process.h"

struct pingpong {
	pid_t pid;
	int in, out;
	bool going;
	char pids[32]; /* of both, in the form for -p */
};

/* `cpu`: the I-th allowed one; negative: from the last. */
int pingpong_start(const struct bench *b, int cpu, struct pingpong *p);

/* Times this many round trips: out->cpu is for both processes. */
int pingpong_time(struct pingpong *p, unsigned long trips, struct run *out);

/* Lets it continue until it is timed or stopped. */
int pingpong_go(struct pingpong *p);

int pingpong_stop(struct pingpong *p);

#endif
