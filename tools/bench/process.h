/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the traced program, alone or under gnomon. */
#ifndef BENCH_PROCESS_H
#define BENCH_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct bench {
	const char *gnomon;
	const char *work;
	unsigned int rounds;
};

/* The traced program's own results. */
struct run {
	uint64_t ops;	  /* timed operations */
	uint64_t elapsed; /* nanoseconds for all of them */
	uint64_t cpu;	  /* of its threads, including time in the kernel */
	uint64_t calls;	  /* of the traced function, including those before the
			     timing */
	bool lost;	  /* gnomon reports lost records */
};

/* Streams of a process; -1 = those of the bench. */
struct streams {
	int in, out, err;
};

/* Arguments for gnomon up to its "--" (NULL: no gnomon) and for work; both end
 * with NULL. */
typedef const char *const *args_t;

/* Starts gnomon on work; either may be NULL. */
int process_start(const struct bench *b, args_t gnomon, args_t work,
		  const struct streams *s, pid_t *pid);

/* Waits for its end. Returns the exit status, 128+N for a signal. */
int process_wait(pid_t pid);

/* gnomon's exit status after a loss of records. */
#define STATUS_LOST 3

/* Runs work to its end. -ECHILD: it failed, which was reported. */
int run_work(const struct bench *b, args_t gnomon, args_t work,
	     struct run *out);

/* A second process: work runs until its standard input ends, gnomon without
 * work until it is interrupted. */
struct beside {
	pid_t pid;
	bool interrupt;
	int input;
	int errors; /* gnomon's stderr, -1 = no gnomon */
};

/* Returns when gnomon has reported that it is attached. Either may be NULL. */
int beside_start(const struct bench *b, args_t gnomon, args_t work,
		 struct beside *s);
int beside_stop(struct beside *s);

/* The file offset of a function of work. */
int site_of(const struct bench *b, const char *function, uint64_t *offset);

#endif
