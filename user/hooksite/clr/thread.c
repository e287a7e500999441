// SPDX-License-Identifier: BSD-2-Clause
#include "thread.h"

#include <pthread.h>
#include <signal.h>

bool gn_clr_thread(void *(*fn)(void *ctx), void *ctx)
{
	pthread_attr_t detached;
	sigset_t all, old;
	pthread_t thread;
	int err;

	if (pthread_attr_init(&detached))
		return false;
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	err = pthread_create(&thread, &detached, fn, ctx);
	sigprocmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&detached);
	return !err;
}

void gn_clr_ends_init(struct gn_clr_ends *e, void (*fn)(void *ctx), void *ctx)
{
	e->is = !pthread_key_create(&e->key, fn);
	e->ctx = ctx;
}

void gn_clr_ends_tell(const struct gn_clr_ends *e)
{
	if (e->is)
		pthread_setspecific(e->key, e->ctx);
}
