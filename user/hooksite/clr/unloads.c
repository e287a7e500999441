// SPDX-License-Identifier: BSD-2-Clause
#include "unloads.h"

#include <errno.h>
#include <time.h>

#include "clock.h"
#include "settle.h"

/*
 * The runtime does not report when it has removed unloaded code from its lists.
 * This is how long after an unload to wait for that: so much CPU time of the
 * thread that removes it, and of those that it first stops. On busy CPUs that
 * can take far longer than GONE_NS, the time for what has no CPU to itself.
 */
#define REMOVE_NS 50000000u
#define GONE_NS	  200000000u

#define SECOND_NS 1000000000u

void gn_unloads_note(struct gn_unloads *u)
{
	pthread_mutex_lock(&u->lock);
	u->last = gn_clr_now_ns();
	pthread_mutex_unlock(&u->lock);
}

static void sleep_until(uint64_t ns)
{
	const struct timespec t = {.tv_sec = (time_t)(ns / SECOND_NS),
				   .tv_nsec = (long)(ns % SECOND_NS)};

	/* a signal handler of the program can interrupt the sleep */
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
	       EINTR)
		;
}

void gn_unloads_hold(struct gn_unloads *u)
{
	pthread_mutex_lock(&u->lock);
}

bool gn_unloads_hold_gone(struct gn_unloads *u)
{
	pthread_mutex_lock(&u->lock);
	if (!u->last)
		return true;
	if (!gn_settle(REMOVE_NS))
		return false;
	sleep_until(u->last + GONE_NS);
	u->last = 0;
	return true;
}

void gn_unloads_release(struct gn_unloads *u)
{
	pthread_mutex_unlock(&u->lock);
}
