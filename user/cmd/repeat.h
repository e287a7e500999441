/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Several captures of one command, FILE.1 to FILE.N. Their differences show the
 * noise. FILE without a number names the set.
 */
#ifndef GNOMON_CMD_REPEAT_H
#define GNOMON_CMD_REPEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GN_REPEAT_NOT UINT64_MAX
#define GN_REPEAT_MAX 1000

/*
 * Calls `once` with each name, each time in a new process, because a capture
 * drops the privileges that the next one needs. Stops after the first failure.
 * A signal that ends gnomon is passed on to the current capture, and no other
 * one starts. Refuses to leave files of an older, larger set behind. Returns
 * the exit status.
 */
int gn_repeat(const char *path, uint64_t times, bool quiet,
	      int (*once)(void *ctx, const char *path), void *ctx);

/* Whether files can be named `path` and a suffix. A device or "-" cannot; then
 * it has reported that. */
bool gn_names_files(const char *path);

/* Names of files. Free them with gn_traces_free(). */
struct gn_traces {
	char **path;
	size_t n;
};

/* Adds `path` if it is a trace file, or if `path`.1 does not exist. Otherwise
 * adds `path`.1, `path`.2, ... up to the last. 0 or -ENOMEM. */
int gn_traces_add(struct gn_traces *files, const char *path);
void gn_traces_free(struct gn_traces *files);

#endif
