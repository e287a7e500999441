/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups of a process (cgroups(7)), of either version. */
#ifndef GNOMON_PROCESS_GROUPS_H
#define GNOMON_PROCESS_GROUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* Where control groups are mounted. */
#define GN_GROUPS_ROOT "/sys/fs/cgroup"
#define GN_GROUPS_TEXT 8192

/* Called with a group's folder, which may not exist. `second`: of version 2. */
typedef void (*gn_group_fn)(void *ctx, const char *folder, bool second);

/* Reads /proc/PID/cgroup. Empty: the process is gone. */
void gn_groups_of(pid_t pid, char groups[GN_GROUPS_TEXT]);

/* Visits the groups of a controller that such a text names, mounted at `root`,
 * and their ancestors. */
void gn_groups_each(const char *groups, const char *root,
		    const char *controller, gn_group_fn take, void *ctx);

/* Replaces `least` and its limit if `folder` has a lower one. `least` is NULL
 * if no group has a limit; the caller frees it. False: they stay. */
bool gn_group_lower(char **least, uint64_t *limit, const char *folder,
		    uint64_t other);

/* Whether a group of the process is frozen, as of a paused container. */
bool gn_groups_freeze(pid_t pid);

/* Opens a file of a group for reading. NULL: it cannot be opened. */
FILE *gn_group_open(const char *folder, const char *name);

#endif
