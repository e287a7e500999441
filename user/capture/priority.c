/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/priority.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <gnomon/thread.h>

#include "capture/clock.h"

#define CALM_NS	  1000000000u
#define LOOK_NS	  100000000
#define STUCK	  4  /* checks without progress */
#define LAST	  20 /* checks within which the capture must end */
#define SECOND_NS 1000000000

void gn_priority_init(struct gn_priority *p)
{
	p->policy = sched_getscheduler(0);
	p->nice = getpriority(PRIO_PROCESS, 0);
}

/*
 * The kernel can schedule terminal sessions as groups (autogroup). Between two
 * groups a nice value has no effect, but real-time priority has. It may be
 * refused (control groups with a real-time budget); then the nice value helps.
 */
static void raise_it(void)
{
	const struct sched_param lowest = {.sched_priority = 1};

	if (sched_setscheduler(0, SCHED_RR, &lowest))
		setpriority(PRIO_PROCESS, 0, -20);
}

static void lower_it(const struct gn_priority *p)
{
	const struct sched_param none = {.sched_priority = 0};

	sched_setscheduler(p->tid, SCHED_OTHER, &none);
	setpriority(PRIO_PROCESS, (id_t)p->tid, p->nice);
}

void gn_priority_highest(pid_t tid)
{
	const struct sched_param highest = {
		.sched_priority = sched_get_priority_max(SCHED_RR)};

	sched_setscheduler(tid, SCHED_RR, &highest);
}

void gn_priority_normal(pid_t tid)
{
	const struct sched_param none = {.sched_priority = 0};

	sched_setscheduler(tid, SCHED_OTHER, &none);
}

/* Sets the priority of all threads: some wait for others. */
static void set_all(int policy)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		pid_t tid = atoi(entry->d_name);

		if (tid && policy == SCHED_RR)
			gn_priority_highest(tid);
		else if (tid)
			gn_priority_normal(tid);
	}
	if (dir)
		closedir(dir);
}

/* Sleeps for a moment. False: this thread must end. */
static bool nap(struct gn_priority *p)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_NS;
	if (until.tv_nsec >= SECOND_NS) {
		until.tv_nsec -= SECOND_NS;
		until.tv_sec++;
	}
	return sem_clockwait(&p->quit, CLOCK_MONOTONIC, &until);
}

/* Whether the capture must end, even if our thread has not seen it yet. */
static bool is_due(const struct gn_priority *p)
{
	struct pollfd end = {.fd = p->fd, .events = POLLIN};

	return (p->end && gn_now_ns() >= p->end) || poll(&end, 1, 0) > 0;
}

static void *guard(void *arg)
{
	unsigned int last = 0, stuck = 0, looks = 0;
	struct gn_priority *p = arg;

	if (p->expects)
		gn_priority_highest(0);
	do {
		if (p->expects && !p->last && is_due(p)) {
			p->last = true;
			set_all(SCHED_RR);
		}
		unsigned int beat = p->beat;

		stuck = p->watch && beat == last ? stuck + 1 : 0;
		last = beat;
		looks = p->last ? looks + 1 : 0;
		if (looks >= LAST)
			set_all(SCHED_OTHER);
		if (stuck >= STUCK || looks >= LAST) {
			lower_it(p);
			p->barred = true;
		}
	} while (!p->barred && nap(p));
	return NULL;
}

/* Starts the watching thread. It takes no signals, and has normal priority
 * because it starts before ours is raised. */
static void watch_out(struct gn_priority *p)
{
	if (p->guarded)
		return;
	p->tid = gettid();
	sem_init(&p->quit, 0, 0);
	p->guarded = !gn_thread_start(&p->guard, guard, p);
}

void gn_priority_end(struct gn_priority *p)
{
	if (!p->guarded)
		return;
	sem_post(&p->quit);
	pthread_join(p->guard, NULL);
	sem_destroy(&p->quit);
	p->guarded = false;
}

void gn_priority_expect(struct gn_priority *p, int fd, uint64_t end)
{
	if (p->policy != SCHED_OTHER || p->guarded || (fd < 0 && !end))
		return;
	p->fd = fd;
	p->end = end;
	p->expects = true;
	watch_out(p);
}

void gn_priority_last(struct gn_priority *p)
{
	if (p->policy != SCHED_OTHER)
		return;
	/* the watching thread has found that the lowest real-time priority is
	 * not enough */
	if (p->barred)
		gn_priority_end(p);
	p->barred = false;
	p->expects = false;
	p->watch = false;
	p->last = true;
	watch_out(p);
	if (p->guarded)
		set_all(SCHED_RR);
}

void gn_priority_follow(struct gn_priority *p, bool behind, uint64_t now)
{
	/* keep a priority with which gnomon was started */
	if (p->policy != SCHED_OTHER || p->barred || p->last)
		return;
	p->beat++;
	if (behind) {
		p->behind = now;
		if (!p->raised) {
			watch_out(p);
			raise_it();
		}
		p->watch = true;
		p->raised = true;
	} else if (p->raised && now - p->behind > CALM_NS) {
		p->watch = false;
		lower_it(p);
		p->raised = false;
	}
}
