/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups of a process (cgroups(7)), of either version. */
#ifndef GNOMON_PROCESS_GROUPS_H
#define GNOMON_PROCESS_GROUPS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Where control groups are mounted. */
#define GN_GROUPS_ROOT "/sys/fs/cgroup"

/* Called with a group's folder, which may not exist. `second`: of version 2. */
typedef void (*gn_group_fn)(void *ctx, const char *folder, bool second);

/* Visits the groups of a controller that a text like /proc/PID/cgroup names,
 * and their ancestors. The text is changed. */
void gn_groups_each(char *groups, const char *root, const char *controller,
		    gn_group_fn take, void *ctx);

/* The same for a process. */
void gn_groups_of(pid_t pid, const char *controller, gn_group_fn take,
		  void *ctx);

/* Opens a file of a group for reading. NULL: it cannot be opened. */
FILE *gn_group_open(const char *folder, const char *name);

#endif
