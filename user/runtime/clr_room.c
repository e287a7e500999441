// SPDX-License-Identifier: BSD-2-Clause
#include "runtime/clr_room.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "process/limits.h"
#include "runtime/attach.h"

/* For an answer, the library, and what other threads open meanwhile. */
#define FILES 8
/* For a thread's stack, the library, and methods that are compiled again. */
#define MIB 128u

/* A soft limit. RLIM_INFINITY: there is none, or it is not known. */
static rlim_t soft_limit(pid_t pid, const char *name)
{
	struct rlimit limit;

	return gn_process_limit(pid, name, &limit) ? RLIM_INFINITY
						   : limit.rlim_cur;
}

/* How many descriptors below `limit` are open. */
static rlim_t open_files(pid_t pid, rlim_t limit)
{
	const struct dirent *e;
	char path[32];
	rlim_t n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.' &&
		     strtoull(e->d_name, NULL, 10) < limit;
	if (d)
		closedir(d);
	return n;
}

static bool has_files(pid_t pid, char *why)
{
	rlim_t limit = soft_limit(pid, "Max open files"), n;

	if (limit == RLIM_INFINITY)
		return true;
	n = open_files(pid, limit);
	if (n + FILES <= limit)
		return true;
	snprintf(why, GN_WHY_MAX,
		 "process %d has %llu open files, and its limit is %llu; its "
		 "runtime would end the process if it could not open one to "
		 "answer gnomon; raise the limit: prlimit --pid %d "
		 "--nofile=%llu",
		 (int)pid, (unsigned long long)n, (unsigned long long)limit,
		 (int)pid, (unsigned long long)limit + 8 * FILES);
	return false;
}

static rlim_t mapped(pid_t pid)
{
	unsigned long long pages = 0;
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%llu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static bool has_memory(pid_t pid, char *why)
{
	rlim_t limit = soft_limit(pid, "Max address space");

	if (limit == RLIM_INFINITY ||
	    mapped(pid) + ((rlim_t)MIB << 20) <= limit)
		return true;
	snprintf(why, GN_WHY_MAX,
		 "process %d may map less than %u MiB more (ulimit -v), and "
		 "its runtime would end the process if it found no memory; "
		 "raise the limit: prlimit --pid %d --as=unlimited",
		 (int)pid, MIB, (int)pid);
	return false;
}

int gn_clr_has_room(pid_t pid, char *why)
{
	/* -EMFILE and -ENOMEM would mean that gnomon lacks something */
	return has_files(pid, why) && has_memory(pid, why) ? 0 : -EOPNOTSUPP;
}
