/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tests that are left out because they cannot run here, or need not: a file of
 * lines "NAME REASON". If there is such a file, a skipped test fails.
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

/* Reads the file; if the path is NULL, there is none. 0, or -EINVAL after it
 * has printed what is wrong: a line without a reason, a name twice. Do not move
 * or copy `left` afterwards. */
int live_left_read(struct live_left *left, const char *path);

/* NULL: the test must run. */
const char *live_left_reason(const struct live_left *left, const char *name);

#endif
