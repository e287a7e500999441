// SPDX-License-Identifier: BSD-2-Clause
#include "settle.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define STEP_NS 10000000

/* A thread, and the CPU time that it shall have. */
struct one {
	long tid;
	uint64_t until;
};

struct threads {
	struct one *one;
	size_t n, room;
};

/* The thread's CPU time; UINT64_MAX: it has ended. */
static uint64_t cpu_of(long tid)
{
	struct timespec t;

	/* the clock of one thread, as pthread_getcpuclockid() makes it */
	if (clock_gettime((clockid_t)(~tid * 8 | 6), &t))
		return UINT64_MAX;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Whether the thread runs, waits for a CPU or for a page of its memory, or is
 * stopped by a signal or a debugger. */
static bool works(long tid)
{
	char text[128], *end;
	ssize_t n;
	int fd;

	snprintf(text, sizeof(text), "/proc/self/task/%ld/stat", tid);
	fd = open(text, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	/* behind the thread's name, which can be anything */
	end = strrchr(text, ')');
	return end && end[1] && end[2] && strchr("RDTt", end[2]);
}

static void add(struct threads *all, long tid, uint64_t cpu_ns)
{
	size_t room = all->room ? all->room * 2 : 64;
	uint64_t had = cpu_of(tid);
	struct one *one;

	if (all->n == all->room) {
		one = realloc(all->one, room * sizeof(*one));
		if (!one)
			return;
		all->one = one;
		all->room = room;
	}
	if (had != UINT64_MAX)
		all->one[all->n++] = (struct one){tid, had + cpu_ns};
}

static void find(struct threads *all, uint64_t cpu_ns)
{
	long own = syscall(SYS_gettid), tid;
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *e;

	while (dir && (e = readdir(dir))) {
		tid = strtol(e->d_name, NULL, 10);
		if (tid > 0 && tid != own)
			add(all, tid, cpu_ns);
	}
	if (dir)
		closedir(dir);
}

static bool are_done(const struct threads *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (cpu_of(all->one[i].tid) < all->one[i].until &&
		    works(all->one[i].tid))
			return false;
	return true;
}

static void rest(void)
{
	struct timespec t = {.tv_nsec = STEP_NS};

	/* a signal handler of the program can interrupt the sleep */
	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

bool gn_settle(uint64_t cpu_ns)
{
	uint64_t since = gn_clr_now_ns();
	struct threads all = {0};
	bool done;

	find(&all, cpu_ns);
	/* this thread can be throttled, too: hence many short waits */
	for (uint64_t n = 0; n < GN_SETTLE_LEAST_NS / STEP_NS; n++)
		rest();
	while (!(done = are_done(&all)) &&
	       gn_clr_now_ns() - since < GN_SETTLE_MOST_NS)
		rest();
	free(all.one);
	return done;
}
