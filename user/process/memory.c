/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "process/groups.h"

/* "max" or a number; version 1 has a huge number for no limit. */
static uint64_t read_limit(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long long limit;
	bool known = f && fscanf(f, "%llu", &limit) == 1;

	if (f)
		fclose(f);
	return known && limit < INT64_MAX / 2 ? limit : UINT64_MAX;
}

static void lower(void *ctx, const char *folder, bool second)
{
	uint64_t *least = ctx, limit;
	char path[2 * PATH_MAX + 32];

	snprintf(path, sizeof(path), "%s/%s", folder,
		 second ? "memory.max" : "memory.limit_in_bytes");
	limit = read_limit(path);
	if (limit < *least)
		*least = limit;
}

uint64_t gn_memory_limit_of(char *groups, const char *root)
{
	uint64_t least = UINT64_MAX;

	gn_groups_each(groups, root, "memory", lower, &least);
	return least;
}

uint64_t gn_memory_limit(pid_t pid)
{
	uint64_t least = UINT64_MAX;

	gn_groups_of(pid, "memory", lower, &least);
	return least;
}
