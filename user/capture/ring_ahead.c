/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/ring_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include <bpf/bpf.h>

#include <gnomon/thread.h>

struct gn_ring_ahead {
	pthread_t thread;
	size_t size;
	int fd; /* or -errno */
};

static void *make(void *arg)
{
	struct gn_ring_ahead *r = arg;

	r->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "ring", 0, 0,
			       (uint32_t)r->size, NULL);
	return NULL;
}

struct gn_ring_ahead *gn_ring_ahead_begin(size_t size)
{
	struct gn_ring_ahead *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct gn_ring_ahead){.size = size, .fd = -ENOENT};
	if (!gn_thread_start(&r->thread, make, r))
		return r;
	free(r);
	return NULL;
}

int gn_ring_ahead_end(struct gn_ring_ahead *r)
{
	int fd;

	if (!r)
		return -ENOENT;
	pthread_join(r->thread, NULL);
	fd = r->fd;
	free(r);
	return fd;
}
