/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs the traced program, by itself or under gnomon. */
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

/* What the traced program says of itself. */
struct run {
	uint64_t ops;	  /* that were timed */
	uint64_t elapsed; /* nanoseconds of all of them */
	uint64_t cpu;	  /* of its threads, the kernel's part included */
	uint64_t calls;	  /* of the function that is traced, those before the
			     timing included */
	bool lost;	  /* gnomon says that records were lost */
};

/* Streams of a process; -1 = those of the bench. */
struct streams {
	int in, out, err;
};

/* Arguments of gnomon up to its "--" (NULL: no gnomon) and of work; both end
 * with NULL. */
typedef const char *const *args_t;

/* Starts gnomon on work; one of the two may be NULL. */
int process_start(const struct bench *b, args_t gnomon, args_t work,
		  const struct streams *s, pid_t *pid);

/* Waits for its end: the exit status, 128+N for a signal. */
int process_wait(pid_t pid);

/* What gnomon exits with when records were lost. */
#define STATUS_LOST 3

/* Runs work to its end. -ECHILD: a status that is no success (told). */
int run_work(const struct bench *b, args_t gnomon, args_t work,
	     struct run *out);

/* A second process beside: work runs until its standard input ends, gnomon
 * without work until it is interrupted. */
struct beside {
	pid_t pid;
	bool interrupt;
	int input;
	int errors; /* what gnomon says, -1 = no gnomon */
};

/* Returns when gnomon has said that it is attached. One of the two may be
 * NULL. */
int beside_start(const struct bench *b, args_t gnomon, args_t work,
		 struct beside *s);
int beside_stop(struct beside *s);

/* The offset in its file of a function of work. */
int site_of(const struct bench *b, const char *function, uint64_t *offset);

#endif
