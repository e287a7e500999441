/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that are left out where they cannot run, or need not: a file of lines
 * "NAME REASON". Where there is such a file, a test that is skipped fails.
 */
#ifndef LIVE_LEFT_H
#define LIVE_LEFT_H

#include <stddef.h>

#define LIVE_LEFT_MAX  256
#define LIVE_LEFT_LINE 512

struct live_left {
	const char *path; /* NULL: no file, nothing is left out */
	size_t n;
	struct {
		char line[LIVE_LEFT_LINE];
		const char *name, *reason; /* in the line */
	} row[LIVE_LEFT_MAX];
};

/* Reads the file; a path of NULL is none. 0, or what is wrong, on stderr: a
 * line without a reason, a name twice. Not to be moved or copied after. */
int live_left_read(struct live_left *left, const char *path);

/* NULL: the test is to run. */
const char *live_left_reason(const struct live_left *left, const char *name);

#endif
