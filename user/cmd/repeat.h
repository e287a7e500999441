/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several captures of one command, FILE.1 to FILE.N: what differs between them
 * is noise. Such a set is named by FILE alone.
 */
#ifndef GNOMON_CMD_REPEAT_H
#define GNOMON_CMD_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GN_REPEAT_NOT UINT64_MAX
#define GN_REPEAT_MAX 1000

/*
 * Calls `once` with each name, each in a process of its own: a capture gives up
 * the privileges that the next one needs. The first that fails is the last.
 * Signals that end gnomon reach the one that runs, and no other follows.
 * Refused where files of a larger set would remain. The exit status.
 */
int gn_repeat(const char *path, uint64_t times, bool quiet,
	      int (*once)(void *ctx, const char *path), void *ctx);

/* Names of files, freed by gn_traces_free(). */
struct gn_traces {
	char **path;
	size_t n;
};

/* Adds `path` when it is there or FILE.1 is not, else FILE.1, FILE.2, ... up to
 * the last. 0 or -ENOMEM. */
int gn_traces_add(struct gn_traces *files, const char *path);
void gn_traces_free(struct gn_traces *files);

#endif
