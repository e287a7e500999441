/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/ahead.h"

#include <gnomon/thread.h>

static void *fill_all(void *ahead)
{
	struct gn_ahead *a = ahead;
	bool more = true;

	pthread_mutex_lock(&a->lock);
	while (more && !a->quit) {
		/* the buffer taken last is in use */
		if (a->filled - a->taken >= GN_AHEAD_BUFFERS - !!a->taken) {
			pthread_cond_wait(&a->changed, &a->lock);
			continue;
		}
		pthread_mutex_unlock(&a->lock);
		more = a->fill(a->ctx, a->filled % GN_AHEAD_BUFFERS);
		pthread_mutex_lock(&a->lock);
		a->filled++;
		pthread_cond_signal(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

int gn_ahead_start(struct gn_ahead *a, gn_ahead_fill *fill, void *ctx)
{
	int err;

	*a = (struct gn_ahead){.fill = fill, .ctx = ctx};
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	err = gn_thread_start(&a->thread, fill_all, a);
	a->on = !err;
	return err;
}

unsigned int gn_ahead_next(struct gn_ahead *a)
{
	unsigned int buffer;

	pthread_mutex_lock(&a->lock);
	while (a->filled == a->taken)
		pthread_cond_wait(&a->changed, &a->lock);
	buffer = a->taken++ % GN_AHEAD_BUFFERS;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	return buffer;
}

void gn_ahead_stop(struct gn_ahead *a)
{
	if (!a->on)
		return;
	pthread_mutex_lock(&a->lock);
	a->quit = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	a->on = false;
}
