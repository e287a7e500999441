/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/memory.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "process/groups.h"

/* "max" or a number; version 1 has a huge number for no limit. */
static uint64_t read_limit(const char *folder, const char *name)
{
	FILE *f = gn_group_open(folder, name);
	unsigned long long limit;
	bool known = f && fscanf(f, "%llu", &limit) == 1;

	if (f)
		fclose(f);
	return known && limit < INT64_MAX / 2 ? limit : UINT64_MAX;
}

static uint64_t limit_in(const char *folder, bool second)
{
	uint64_t most, high;

	if (!second)
		return read_limit(folder, "memory.limit_in_bytes");
	most = read_limit(folder, "memory.max");
	/* above this the kernel slows the processes down */
	high = read_limit(folder, "memory.high");
	return high < most ? high : most;
}

static void lower(void *ctx, const char *folder, bool second)
{
	struct gn_memory_group *least = ctx;
	uint64_t limit = limit_in(folder, second);

	if (limit != UINT64_MAX &&
	    gn_group_lower(&least->folder, &least->bytes, folder, limit))
		gn_memory_full(folder, &least->full);
}

bool gn_memory_full(const char *folder, uint64_t *full)
{
	FILE *f = gn_group_open(folder, "memory.failcnt");
	bool known = f && fscanf(f, "%" SCNu64, full) == 1;
	uint64_t max = 0, high = 0;
	char line[256];

	if (f)
		fclose(f);
	if (known)
		return true;
	f = gn_group_open(folder, "memory.events");
	while (f && fgets(line, sizeof(line), f)) {
		sscanf(line, "max %" SCNu64, &max);
		sscanf(line, "high %" SCNu64, &high);
	}
	*full = max + high;
	return f && !fclose(f);
}

void gn_memory_group(const char *groups, const char *root,
		     struct gn_memory_group *least)
{
	gn_groups_each(groups, root, "memory", lower, least);
}

uint64_t gn_memory_limit(pid_t pid)
{
	struct gn_memory_group least = {.folder = NULL};
	char groups[GN_GROUPS_TEXT];

	gn_groups_of(pid, groups);
	gn_memory_group(groups, GN_GROUPS_ROOT, &least);
	if (!least.folder)
		return UINT64_MAX;
	free(least.folder);
	return least.bytes;
}
