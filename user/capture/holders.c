/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/holders.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <unistd.h>

#include "capture/descriptors.h"

#define HOLDERS_MAX 256
#define LINKS_EACH  8 /* per thread, until there are HOLDERS_MAX */
#define STACK_SIZE  (512u << 10)

struct holder {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;   /* there is something to do */
	pthread_cond_t served; /* `fn` has run */
	gn_holder_fn fn;
	void *ctx;
	int result;
	uint32_t *remove; /* keys */
	size_t nremove, room;
	bool settle, quit;

	/* used by the thread alone */
	struct gn_links *links;
	bool own_table;
	struct gn_descriptors copies; /* the process's, in it */
};

struct gn_holders {
	size_t count;
	struct holder *holder;
};

static void settle(struct holder *h)
{
	cap_t none = cap_init();

	gn_descriptors_close(&h->copies, -1, -1);
	if (h->own_table) {
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
	}
	/* if that fails it keeps its capabilities, but does not use them */
	if (none)
		cap_set_proc(none);
	cap_free(none);
}

/* Does one thing. The lock is held on entry and return, but not in between. */
static void serve(struct holder *h)
{
	uint32_t key;

	if (h->settle) {
		h->settle = false;
		pthread_mutex_unlock(&h->lock);
		settle(h);
		pthread_mutex_lock(&h->lock);
	} else if (h->fn) {
		pthread_mutex_unlock(&h->lock);
		h->result = h->fn(h->ctx, h->links);
		pthread_mutex_lock(&h->lock);
		h->fn = NULL;
		pthread_cond_signal(&h->served);
	} else if (h->nremove) {
		key = h->remove[0];
		h->nremove--;
		memmove(h->remove, h->remove + 1, h->nremove * sizeof(key));
		pthread_mutex_unlock(&h->lock);
		gn_links_remove(h->links, key);
		pthread_mutex_lock(&h->lock);
	}
}

static void *hold(void *arg)
{
	struct holder *h = arg;

	/* If this is not allowed, the links are in the process's table. */
	h->own_table = !unshare(CLONE_FILES);
	if (h->own_table)
		gn_descriptors_list(&h->copies, "/proc/thread-self/fd");
	pthread_mutex_lock(&h->lock);
	while (!h->quit) {
		if (!h->fn && !h->settle && !h->nremove)
			pthread_cond_wait(&h->wake, &h->lock);
		else
			serve(h);
	}
	pthread_mutex_unlock(&h->lock);
	/* here, because the table is closed only after the thread can be
	 * joined */
	gn_links_free(h->links, NULL);
	return NULL;
}

static int start(struct holder *h)
{
	pthread_attr_t attr;
	int err;

	h->links = gn_links_new();
	if (!h->links)
		return -ENOMEM;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->wake, NULL);
	pthread_cond_init(&h->served, NULL);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	err = pthread_create(&h->thread, &attr, hold, h);
	pthread_attr_destroy(&attr);
	if (err) {
		gn_links_free(h->links, NULL);
		h->links = NULL;
	}
	return -err;
}

static int nothing(void *ctx, struct gn_links *links)
{
	(void)ctx, (void)links;
	return 0;
}

static int run(struct holder *h, gn_holder_fn fn, void *ctx)
{
	int result;

	pthread_mutex_lock(&h->lock);
	h->fn = fn;
	h->ctx = ctx;
	pthread_cond_signal(&h->wake);
	while (h->fn)
		pthread_cond_wait(&h->served, &h->lock);
	result = h->result;
	pthread_mutex_unlock(&h->lock);
	return result;
}

int gn_holders_new(size_t links, struct gn_holders **out)
{
	size_t count = links / LINKS_EACH + 1;
	struct gn_holders *h = calloc(1, sizeof(*h));
	sigset_t all, before;

	if (count > HOLDERS_MAX)
		count = HOLDERS_MAX;
	if (h)
		h->holder = calloc(count, sizeof(*h->holder));
	if (!h || !h->holder) {
		free(h);
		return -ENOMEM;
	}
	/* signals must go to the main thread */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (h->count < count && !start(&h->holder[h->count]))
		h->count++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	/* each thread must have its table before the caller opens more */
	for (size_t i = 0; i < h->count; i++)
		run(&h->holder[i], nothing, NULL);
	if (!h->count) {
		gn_holders_free(h);
		return -EAGAIN;
	}
	*out = h;
	return 0;
}

static struct holder *holder_of(struct gn_holders *h, uint32_t which)
{
	return &h->holder[which % h->count];
}

int gn_holders_run(struct gn_holders *h, uint32_t which, gn_holder_fn fn,
		   void *ctx)
{
	return run(holder_of(h, which), fn, ctx);
}

void gn_holders_settle(struct gn_holders *h)
{
	for (size_t i = 0; i < h->count; i++) {
		pthread_mutex_lock(&h->holder[i].lock);
		h->holder[i].settle = true;
		pthread_cond_signal(&h->holder[i].wake);
		pthread_mutex_unlock(&h->holder[i].lock);
	}
	/* wait until each has taken it */
	for (size_t i = 0; i < h->count; i++)
		run(&h->holder[i], nothing, NULL);
}

/* With the lock held. */
static int make_room(struct holder *h, size_t n)
{
	size_t room = h->room ? h->room : 8;
	uint32_t *keys;

	while (room - h->nremove < n)
		room *= 2;
	if (room == h->room)
		return 0;
	keys = reallocarray(h->remove, room, sizeof(*keys));
	if (!keys)
		return -ENOMEM;
	h->remove = keys;
	h->room = room;
	return 0;
}

int gn_holders_remove(struct gn_holders *h, uint32_t which,
		      const uint32_t *keys, size_t n)
{
	struct holder *own = holder_of(h, which);
	int err;

	pthread_mutex_lock(&own->lock);
	err = make_room(own, n);
	if (!err) {
		memcpy(own->remove + own->nremove, keys, n * sizeof(*keys));
		own->nremove += n;
		pthread_cond_signal(&own->wake);
	}
	pthread_mutex_unlock(&own->lock);
	return err;
}

static void discard(struct holder *h)
{
	pthread_join(h->thread, NULL);
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->wake);
	pthread_cond_destroy(&h->served);
	free(h->remove);
	free(h->copies.fd);
}

void gn_holders_free(struct gn_holders *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->count; i++) {
		pthread_mutex_lock(&h->holder[i].lock);
		h->holder[i].quit = true;
		pthread_cond_signal(&h->holder[i].wake);
		pthread_mutex_unlock(&h->holder[i].lock);
	}
	for (size_t i = 0; i < h->count; i++)
		discard(&h->holder[i]);
	free(h->holder);
	free(h);
}
