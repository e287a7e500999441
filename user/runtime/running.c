/* SPDX-License-Identifier: BSD-2-Clause */
/* Which runtime a running process has. */
#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "process/maps.h"
#include "runtime/runtime.h"

#define CHILDREN_MAX 64

static const struct gn_runtime *with_core(const char *path)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (gn_runtime_is_core(rt, path))
			return rt;
	return NULL;
}

static const struct gn_runtime *by_maps(pid_t pid)
{
	const struct gn_runtime *rt = NULL;
	struct gn_mapping m;
	struct gn_maps maps;

	if (gn_maps_open(&maps, pid))
		return NULL;
	while (!rt && gn_maps_next(&maps, &m) == 1)
		if (m.exec && m.file.ino && m.name[0] == '/')
			rt = with_core(m.name);
	gn_maps_close(&maps);
	return rt;
}

static const struct gn_runtime *with_thread(const char *comm)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (rt->thread && !strcmp(comm, rt->thread))
			return rt;
	return NULL;
}

static const struct gn_runtime *by_threads(pid_t pid)
{
	const struct gn_runtime *rt = NULL;
	char path[sizeof(((struct dirent *)0)->d_name) + 64], comm[32];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !rt && (entry = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", (int)pid,
			 entry->d_name);
		f = fopen(path, "re");
		if (f && fgets(comm, sizeof(comm), f)) {
			comm[strcspn(comm, "\n")] = '\0';
			rt = with_thread(comm);
		}
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return rt;
}

const struct gn_runtime *gn_runtime_running(pid_t pid, bool *packed)
{
	const struct gn_runtime *rt = by_maps(pid);

	*packed = false;
	if (rt)
		return rt;
	rt = by_threads(pid);
	*packed = rt;
	return rt;
}

pid_t gn_runtime_child(pid_t pid, const struct gn_runtime **rt)
{
	char path[64];
	int child = 0;
	bool packed;
	FILE *f;

	/* those that its first thread has started: launchers have no other */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid,
		 (int)pid);
	f = fopen(path, "re");
	*rt = NULL;
	for (int n = 0; f && !*rt && n < CHILDREN_MAX; n++) {
		if (fscanf(f, "%d", &child) != 1)
			break;
		*rt = gn_runtime_running(child, &packed);
	}
	if (f)
		fclose(f);
	return *rt ? child : 0;
}
