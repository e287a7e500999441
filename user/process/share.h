/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds untraced processes that map a file: a probe in it would slow them,
 * too. */
#ifndef GNOMON_PROCESS_SHARE_H
#define GNOMON_PROCESS_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "process/files.h"

/* Returns true if the process is traced. */
typedef bool (*gn_share_fn)(void *ctx, pid_t pid);

/*
 * Sets `elsewhere` and `other` of each file in `wanted` that some process has
 * mapped as code and that `ours` does not accept. Processes that gnomon may not
 * inspect are not seen. 0 or -errno of reading /proc.
 */
int gn_share_find(struct gn_files *files, const bool *wanted, gn_share_fn ours,
		  void *ctx);

#endif
