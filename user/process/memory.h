/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory the control groups of a process allow it. */
#ifndef GNOMON_PROCESS_MEMORY_H
#define GNOMON_PROCESS_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The group with the lowest limit. */
struct gn_memory_group {
	char *folder; /* the caller frees it; NULL: there is no limit */
	uint64_t bytes;
	uint64_t full; /* how often it was full since it exists */
};

/* Replaces the group in `least` if one of those that a text like
 * /proc/PID/cgroup names, mounted at `root`, has a lower limit. */
void gn_memory_group(const char *groups, const char *root,
		     struct gn_memory_group *least);

/* Reads how often a group was full. False: it is gone. */
bool gn_memory_full(const char *folder, uint64_t *full);

/* The lowest limit of a process, in bytes; UINT64_MAX: none known. */
uint64_t gn_memory_limit(pid_t pid);

#endif
