/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Removes the links of processes that have ended, in a thread of its own: the
 * kernel takes tens of milliseconds for a link, and programs can wait for the
 * thread of later.c meanwhile. It takes no longer for several at once.
 */
#include <errno.h>

#include <gnomon/thread.h>
#include "capture/later_parts.h"

/* With more links, new processes wait: each link takes a descriptor, and makes
 * hits of its probes slower. */
#define OVER_MAX 128

static void *work(void *later)
{
	struct gn_later *l = later;
	struct gn_links *links;

	pthread_mutex_lock(&l->lock);
	while (!l->quit) {
		if (!gn_links_count(l->over)) {
			pthread_cond_wait(&l->ends, &l->lock);
			continue;
		}
		links = l->over;
		l->over = l->removed;
		l->removed = links;
		pthread_cond_signal(&l->ready);
		pthread_mutex_unlock(&l->lock);
		gn_links_clear(links);
		pthread_mutex_lock(&l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

int gn_later_ended_new(struct gn_later *l)
{
	pthread_cond_init(&l->ends, NULL);
	pthread_cond_init(&l->ready, NULL);
	l->over = gn_links_new();
	l->removed = gn_links_new();
	return l->over && l->removed ? 0 : -ENOMEM;
}

void gn_later_unlink_ended(struct gn_later *l, pid_t pid)
{
	if (!l->removes)
		l->removes = !gn_thread_start(&l->remover, work, l);
	if (!l->removes) {
		gn_later_unlink(l, pid);
		return;
	}
	gn_written_begin(l->session->written, 0);
	pthread_mutex_lock(&l->lock);
	gn_links_move(l->over, l->links, (uint32_t)pid);
	gn_links_move(l->over, l->session->links, (uint32_t)pid);
	gn_written_end(l->session->written);
	pthread_cond_signal(&l->ends);
	while (gn_links_count(l->over) > OVER_MAX && !l->quit)
		pthread_cond_wait(&l->ready, &l->lock);
	pthread_mutex_unlock(&l->lock);
}

void gn_later_ended_free(struct gn_later *l, struct gn_links *links)
{
	if (l->removes)
		pthread_join(l->remover, NULL);
	l->removes = false;
	gn_links_join(links, l->over);
	gn_links_free(l->removed, NULL);
	l->over = l->removed = NULL;
}
