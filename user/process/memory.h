/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory the control groups of a process allow it. */
#ifndef GNOMON_PROCESS_MEMORY_H
#define GNOMON_PROCESS_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* The lowest limit of its memory groups (cgroups(7)), of either version, in
 * bytes; UINT64_MAX: none known. */
uint64_t gn_memory_limit(pid_t pid);

/* The same for the groups that a text like /proc/PID/cgroup names, mounted at
 * `root`. The text is changed. */
uint64_t gn_memory_limit_of(char *groups, const char *root);

#endif
