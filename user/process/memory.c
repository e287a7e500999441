/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "process/inside.h"

/* "max", or a number; the first version has a huge one for none. */
static uint64_t read_limit(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned long long limit;
	bool known = f && fscanf(f, "%llu", &limit) == 1;

	if (f)
		fclose(f);
	return known && limit < INT64_MAX / 2 ? limit : UINT64_MAX;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Of the group and of all around it. */
static uint64_t least(const char *root, const char *hierarchy,
		      const char *group, const char *file)
{
	size_t len = strnlen(group, PATH_MAX);
	uint64_t all = UINT64_MAX;
	char path[2 * PATH_MAX];

	for (;;) {
		snprintf(path, sizeof(path), "%s%s%.*s/%s", root, hierarchy,
			 (int)len, group, file);
		all = lower(all, read_limit(path));
		if (!len)
			return all;
		do {
			len--;
		} while (len && group[len] != '/');
	}
}

static bool has_memory(char *controllers)
{
	char *next = controllers, *one;

	while ((one = strsep(&next, ",")))
		if (!strcmp(one, "memory"))
			return true;
	return false;
}

/* "4:memory:/a/b" of the first version, "0::/a/b" of the second one, which is
 * mounted at one of two places. */
uint64_t gn_memory_limit_of(char *groups, const char *root)
{
	uint64_t all = UINT64_MAX;
	char *line;

	while ((line = strsep(&groups, "\n"))) {
		char *controllers = strchr(line, ':');
		char *group = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!group)
			continue;
		*group++ = '\0';
		if (!controllers[1]) {
			all = lower(all, least(root, "", group, "memory.max"));
			all = lower(all, least(root, "/unified", group,
					       "memory.max"));
		} else if (has_memory(controllers + 1)) {
			all = lower(all, least(root, "/memory", group,
					       "memory.limit_in_bytes"));
		}
	}
	return all;
}

uint64_t gn_memory_limit(pid_t pid)
{
	char text[8192];

	gn_inside_read(pid, "cgroup", text, sizeof(text));
	return gn_memory_limit_of(text, "/sys/fs/cgroup");
}
