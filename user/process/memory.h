/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory the control groups of a process let it have. */
#ifndef GNOMON_PROCESS_MEMORY_H
#define GNOMON_PROCESS_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* The least limit of its memory groups (cgroups(7)), of either version, in
 * bytes; UINT64_MAX: none is known. */
uint64_t gn_memory_limit(pid_t pid);

/* The same of groups that a text as of /proc/PID/cgroup names, mounted at
 * `root`. The text is changed. */
uint64_t gn_memory_limit_of(char *groups, const char *root);

#endif
