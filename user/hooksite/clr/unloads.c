// SPDX-License-Identifier: BSD-2-Clause
#include "unloads.h"

#include <errno.h>
#include <time.h>

#include "clock.h"

/* The runtime does not report when it has removed unloaded code from its lists.
 * This is how long after an unload to wait for that. */
#define GONE_NS 200000000u

#define SECOND_NS 1000000000u

void gn_unloads_note(struct gn_unloads *u)
{
	pthread_mutex_lock(&u->lock);
	u->last = gn_clr_now_ns();
	pthread_mutex_unlock(&u->lock);
}

void gn_unloads_hold(struct gn_unloads *u, bool gone)
{
	uint64_t until;
	struct timespec t;

	pthread_mutex_lock(&u->lock);
	if (!gone || !u->last)
		return;
	until = u->last + GONE_NS;
	t = (struct timespec){.tv_sec = (time_t)(until / SECOND_NS),
			      .tv_nsec = (long)(until % SECOND_NS)};
	/* a signal handler of the program can interrupt the sleep */
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) ==
	       EINTR)
		;
}

void gn_unloads_release(struct gn_unloads *u)
{
	pthread_mutex_unlock(&u->lock);
}
