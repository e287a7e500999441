/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/priority.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define CALM_NS 1000000000u
#define LOOK_NS 100000000
#define STUCK	4 /* looks at which nothing had moved */

void gn_priority_init(struct gn_priority *p)
{
	p->policy = sched_getscheduler(0);
	p->nice = getpriority(PRIO_PROCESS, 0);
}

/* The kernel can schedule sessions of terminals as groups (autogroup): between
 * two of them a nice value says nothing, real time does. It may be refused
 * (control groups with a real-time budget), the nice value then helps. */
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

static void *guard(void *arg)
{
	const struct timespec nap = {.tv_nsec = LOOK_NS};
	struct gn_priority *p = arg;
	unsigned int last = 0, stuck = 0;

	while (!p->quit && !p->barred) {
		unsigned int beat = p->beat;

		stuck = p->watch && beat == last ? stuck + 1 : 0;
		last = beat;
		if (stuck >= STUCK) {
			lower_it(p);
			p->barred = true;
		}
		nanosleep(&nap, NULL);
	}
	return NULL;
}

/* It takes no signals, and is an ordinary thread: it starts before ours is
 * raised. */
static void watch_out(struct gn_priority *p)
{
	sigset_t all, before;

	if (p->guarded)
		return;
	p->tid = gettid();
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	p->guarded = !pthread_create(&p->guard, NULL, guard, p);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void gn_priority_end(struct gn_priority *p)
{
	p->quit = true;
	if (p->guarded)
		pthread_join(p->guard, NULL);
	p->guarded = false;
}

void gn_priority_follow(struct gn_priority *p, bool behind, uint64_t now)
{
	/* one who was started with a priority of his own keeps it */
	if (p->policy != SCHED_OTHER || p->barred)
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
