/* SPDX-License-Identifier: BSD-2-Clause */
/* A running `gnomon top`, read as its user would: its rows, or its screen. */
#ifndef BENCH_TOP_RUN_H
#define BENCH_TOP_RUN_H

#include <stddef.h>
#include <stdio.h>

#include "process.h"

#define TOP_ROWS 40 /* of the screen */
#define TOP_COLS 120

struct top_run {
	pid_t pid;
	FILE *rows; /* NULL: it has a screen */
	int screen;
	bool opened; /* it was: else it writes rows there */
	char *line;  /* of rows */
	size_t line_size;
	/* what the last period's lines said */
	double length; /* seconds */
	double calls;  /* a second */
	unsigned long long lost;
};

/* When bytes came that belong together. */
struct burst {
	uint64_t begin, end; /* nanoseconds of CLOCK_MONOTONIC */
};

/* `args`: those of gnomon, from "top" on. Return 0 or -errno. */
int top_start_rows(const struct bench *b, args_t args, struct top_run *t);
int top_start_screen(const struct bench *b, args_t args, struct top_run *t);

/* Reads rows to the end of a period. -ECHILD: there are no more. */
int top_read_period(struct top_run *t);

/* Reads what comes next to the screen. -ETIMEDOUT: nothing came in `ms`;
 * -ECHILD: the screen is closed. */
int top_read_screen(struct top_run *t, int ms, struct burst *b);

int top_press(struct top_run *t, char key);

/* Nanoseconds that a process has been on CPUs; 0: it is gone. */
uint64_t top_cpu(pid_t pid);

/* The most memory that it ever had at once, in bytes; 0: not known. */
uint64_t top_peak(pid_t pid);

/* Ends it. Its exit status, or -errno. */
int top_end(struct top_run *t);

#endif
