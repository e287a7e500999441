/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/cpus.h"

#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>

#include "process/groups.h"

/* Returns a positive number; 0: "max", -1 or no number. */
static uint64_t read_number(FILE *f)
{
	int64_t n;

	return f && fscanf(f, "%" SCNd64, &n) == 1 && n > 0 ? (uint64_t)n : 0;
}

static uint64_t read_file(const char *folder, const char *name)
{
	FILE *f = gn_group_open(folder, name);
	uint64_t n = read_number(f);

	if (f)
		fclose(f);
	return n;
}

/* Thousandths of CPUs; 0: no limit. */
static uint64_t read_limit(const char *folder, bool second)
{
	uint64_t quota = 0, period = 0;
	FILE *f;

	if (!second) {
		quota = read_file(folder, "cpu.cfs_quota_us");
		period = read_file(folder, "cpu.cfs_period_us");
	} else if ((f = gn_group_open(folder, "cpu.max"))) {
		quota = read_number(f);
		period = quota ? read_number(f) : 0;
		fclose(f);
	}
	return period && quota < UINT64_MAX / 1000 ? quota * 1000 / period : 0;
}

static void lower(void *ctx, const char *folder, bool second)
{
	struct gn_cpu_limit *limit = ctx;
	uint64_t milli = read_limit(folder, second);

	if (milli &&
	    gn_group_lower(&limit->folder, &limit->milli, folder, milli))
		gn_cpu_periods(folder, &limit->periods, &limit->throttled);
}

void gn_cpu_limit(const char *groups, const char *root,
		  struct gn_cpu_limit *limit)
{
	gn_groups_each(groups, root, "cpu", lower, limit);
}

unsigned gn_cpus_allowed(pid_t pid)
{
	cpu_set_t set;

	return sched_getaffinity(pid, sizeof(set), &set)
		       ? 0
		       : (unsigned)CPU_COUNT(&set);
}

void gn_cpu_periods(const char *folder, uint64_t *periods, uint64_t *throttled)
{
	FILE *f = gn_group_open(folder, "cpu.stat");
	char line[256];

	*periods = 0;
	*throttled = 0;
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "nr_periods %" SCNu64, periods);
		sscanf(line, "nr_throttled %" SCNu64, throttled);
	}
	if (f)
		fclose(f);
}
