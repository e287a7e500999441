/* SPDX-License-Identifier: BSD-2-Clause */
/* Which runtime a running process has. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "process/inside.h"
#include "process/maps.h"
#include "runtime/runtime.h"

#define CHILDREN_MAX 64	     /* that are looked at */
#define YOUNG_S	     10	     /* a process that can still start a runtime */
#define STEP_NS	     5000000 /* between two looks at it */

/* Unlike gn_runtime_with_core(), also finds runtimes that have a library. */
static const struct gn_runtime *of_core(const char *path)
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
			rt = of_core(m.name);
	gn_maps_close(&maps);
	return rt;
}

static bool has_thread(pid_t pid, const char *name)
{
	char path[sizeof(((struct dirent *)0)->d_name) + 64], comm[32];
	struct dirent *entry;
	bool has = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && !has && (entry = readdir(dir))) {
		FILE *f;

		snprintf(path, sizeof(path), "/proc/%d/task/%s/comm", (int)pid,
			 entry->d_name);
		f = fopen(path, "re");
		if (f && fgets(comm, sizeof(comm), f)) {
			comm[strcspn(comm, "\n")] = '\0';
			has = !strcmp(comm, name);
		}
		if (f)
			fclose(f);
	}
	if (dir)
		closedir(dir);
	return has;
}

static bool has_own_thread(pid_t pid, const struct gn_runtime *rt)
{
	for (size_t i = 0; rt->threads && rt->threads[i]; i++)
		if (has_thread(pid, rt->threads[i]))
			return true;
	return false;
}

static const struct gn_runtime *by_threads(pid_t pid)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (has_own_thread(pid, rt))
			return rt;
	return NULL;
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

/* gnomon's own file has the words by which it recognises launchers. */
static bool is_gnomon(const char *exe)
{
	struct stat own, st;

	return !stat("/proc/self/exe", &own) && !stat(exe, &st) &&
	       own.st_dev == st.st_dev && own.st_ino == st.st_ino;
}

const struct gn_runtime *gn_runtime_launched(pid_t pid)
{
	char exe[32];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	return is_gnomon(exe) ? NULL : gn_runtime_started_by(exe);
}

static bool is_young(pid_t pid)
{
	const long long second = sysconf(_SC_CLK_TCK);
	struct timespec now;
	long long began;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return gn_inside_started(pid, &began) &&
	       now.tv_sec - began / second < YOUNG_S;
}

/* Whether the runtime can still be starting. `launched`: the runtime that the
 * program starts. */
static bool is_coming(pid_t pid, const struct gn_runtime *launched)
{
	const struct gn_runtime *rt;
	char exe[32];
	bool packed;

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	rt = gn_runtime_running(pid, &packed);
	if (!rt) /* a process that has ended has no program */
		return launched && !access(exe, F_OK);
	if (!rt->last_thread || has_thread(pid, rt->last_thread))
		return false;
	/* before .NET 6 these threads have no names, and a program can change
	 * them */
	return has_own_thread(pid, rt) || has_thread(pid, rt->first_thread) ||
	       !rt->listens(pid);
}

int gn_runtime_await(pid_t pid, gn_wait_fn wait, void *ctx)
{
	const struct timespec step = {.tv_nsec = STEP_NS};
	const struct gn_runtime *launched =
		is_young(pid) ? gn_runtime_launched(pid) : NULL;

	/* nothing shows when such a runtime has begun */
	if (launched && launched->preloaded)
		launched = NULL;
	while (is_young(pid) && is_coming(pid, launched)) {
		if (wait && wait(ctx) == GN_WAIT_ENOUGH)
			return -EINTR;
		nanosleep(&step, NULL);
	}
	return 0;
}

pid_t gn_runtime_child(pid_t pid, const struct gn_runtime **rt)
{
	char path[64];
	int child = 0;
	bool packed;
	FILE *f;

	/* only children of the first thread: launchers have no others */
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
