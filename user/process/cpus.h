/* SPDX-License-Identifier: BSD-2-Clause */
/* How many CPUs the control groups of a process let it have. */
#ifndef GNOMON_PROCESS_CPUS_H
#define GNOMON_PROCESS_CPUS_H

#include <stdint.h>
#include <sys/types.h>

/* The group with the least limit. */
struct gn_cpu_limit {
	uint64_t milli; /* CPUs, in thousandths; 0: there is no limit */
	char *folder;	/* its own, to be freed */
	/* since it is there: of how many periods it used all of its time */
	uint64_t periods, throttled;
};

/* A lower limit of the process takes the place of the one in `limit`. */
void gn_cpu_limit(pid_t pid, struct gn_cpu_limit *limit);

/* The same of groups that a text as of /proc/PID/cgroup names, mounted at
 * `root`. The text is changed. */
void gn_cpu_limit_of(char *groups, const char *root,
		     struct gn_cpu_limit *limit);

/* Its numbers of periods as they are now; 0 where they cannot be had. */
void gn_cpu_periods(const char *folder, uint64_t *periods, uint64_t *throttled);

#endif
