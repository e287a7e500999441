// SPDX-License-Identifier: BSD-2-Clause
#include "process/children.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "process/parent.h"

static bool is_known(pid_t pid, const pid_t *known, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (known[i] == pid)
			return true;
	return false;
}

static bool is_ours(pid_t pid)
{
	return pid == getpid() || gn_is_ancestor((uint32_t)pid);
}

/* Counts the children that one thread of the process forked. `above`: one of
 * them can be gnomon or an ancestor of it. */
static size_t others_of(pid_t pid, const char *thread, bool above,
			const pid_t *known, size_t n)
{
	size_t others = 0;
	char path[96];
	FILE *f;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%.16s/children", (int)pid,
		 thread);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		others += !is_known(child, known, n) &&
			  !(above && is_ours(child));
	if (f)
		fclose(f);
	return others;
}

size_t gn_children_others(pid_t pid, const pid_t *known, size_t n)
{
	bool above = gn_is_ancestor((uint32_t)pid);
	size_t others = 0;
	struct dirent *entry;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			others +=
				others_of(pid, entry->d_name, above, known, n);
	if (dir)
		closedir(dir);
	return others;
}
