/* SPDX-License-Identifier: BSD-2-Clause */
/* Two processes on one CPU that send each other a byte to and fro by pipes:
 * they stay, so that the same two are timed with and without what is
 * measured. */
#ifndef BENCH_PINGPONG_H
#define BENCH_PINGPONG_H

#include "process.h"

struct pingpong {
	pid_t pid;
	int in, out;
	bool going;
	char pids[32]; /* of both, as -p takes them */
};

/* `cpu`: the I-th that may be used; negative: from the last. */
int pingpong_start(const struct bench *b, int cpu, struct pingpong *p);

/* Times that many round trips: out->cpu is of both processes. */
int pingpong_time(struct pingpong *p, unsigned long trips, struct run *out);

/* Lets it go on until it is timed or stopped. */
int pingpong_go(struct pingpong *p);

int pingpong_stop(struct pingpong *p);

#endif
