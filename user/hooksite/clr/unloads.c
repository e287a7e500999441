// SPDX-License-Identifier: BSD-2-Clause
#include "unloads.h"

#include <time.h>

/* The runtime does not say when it has taken the code out of its lists. */
#define GONE_NS 200000000u

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void gn_unloads_note(struct gn_unloads *u)
{
	pthread_mutex_lock(&u->lock);
	u->last = now_ns();
	pthread_mutex_unlock(&u->lock);
}

void gn_unloads_hold(struct gn_unloads *u, bool gone)
{
	uint64_t since;

	pthread_mutex_lock(&u->lock);
	since = now_ns() - u->last;
	if (gone && since < GONE_NS)
		nanosleep(
			&(struct timespec){.tv_nsec = (long)(GONE_NS - since)},
			NULL);
}

void gn_unloads_release(struct gn_unloads *u)
{
	pthread_mutex_unlock(&u->lock);
}
