/* SPDX-License-Identifier: BSD-2-Clause */
/* A running `gnomon top`, read as a user would: its rows, or its screen. */
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
	bool opened; /* the screen was opened; otherwise it writes rows there */
	char *line;  /* for rows */
	size_t line_size;
	/* from the last period's lines */
	double length; /* seconds */
	double calls;  /* per second */
	unsigned long long lost;
};

/* When bytes that belong together arrived. */
struct burst {
	uint64_t begin, end; /* nanoseconds of CLOCK_MONOTONIC */
};

/* `args`: arguments for gnomon, from "top" on. Return 0 or -errno. */
int top_start_rows(const struct bench *b, args_t args, struct top_run *t);
int top_start_screen(const struct bench *b, args_t args, struct top_run *t);

/* Reads rows to the end of a period. -ECHILD: there are no more rows. */
int top_read_period(struct top_run *t);

/* Reads the next output for the screen. -ETIMEDOUT: nothing came within `ms`;
 * -ECHILD: the screen is closed. */
int top_read_screen(struct top_run *t, int ms, struct burst *b);

int top_press(struct top_run *t, char key);

/* CPU time of a process in nanoseconds; 0: it is gone. */
uint64_t top_cpu(pid_t pid);

/* The peak of its memory in bytes; 0: unknown. */
uint64_t top_peak(pid_t pid);

/* Ends it. Returns its exit status, or -errno. */
int top_end(struct top_run *t);

#endif
