/* SPDX-License-Identifier: BSD-2-Clause */
/* How many CPUs a process may use. */
#ifndef GNOMON_PROCESS_CPUS_H
#define GNOMON_PROCESS_CPUS_H

#include <stdint.h>
#include <sys/types.h>

/* The lowest limit, and its group. */
struct gn_cpu_limit {
	uint64_t milli; /* CPUs, in thousandths; 0: no limit */
	char *folder;	/* of the group; the caller frees it */
	/* since the group exists: periods, and those in which it was
	 * throttled */
	uint64_t periods, throttled;
};

/* Replaces the limit in `limit` if a group that a text like /proc/PID/cgroup
 * names, mounted at `root`, has a lower one. */
void gn_cpu_limit(const char *groups, const char *root,
		  struct gn_cpu_limit *limit);

/* The CPUs that the threads of a process may run on; 0: not known. */
unsigned gn_cpus_allowed(pid_t pid);

/* Reads a group's numbers of periods; 0 if they cannot be read. */
void gn_cpu_periods(const char *folder, uint64_t *periods, uint64_t *throttled);

#endif
