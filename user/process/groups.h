/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups of a process (cgroups(7)), of either version. */
#ifndef GNOMON_PROCESS_GROUPS_H
#define GNOMON_PROCESS_GROUPS_H

#include <stdbool.h>
#include <sys/types.h>

/* Where they are mounted. */
#define GN_GROUPS_ROOT "/sys/fs/cgroup"

/* The folder of a group, which need not be there. */
typedef void (*gn_group_fn)(void *ctx, const char *folder, bool second);

/* Each group of a controller, and those around it, of those that a text as of
 * /proc/PID/cgroup names. The text is changed. */
void gn_groups_each(char *groups, const char *root, const char *controller,
		    gn_group_fn take, void *ctx);

/* The same of a process. */
void gn_groups_of(pid_t pid, const char *controller, gn_group_fn take,
		  void *ctx);

#endif
