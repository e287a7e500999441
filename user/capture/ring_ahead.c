/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/ring_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include <gnomon/thread.h>
#include "process/maps.h"

struct gn_ring_ahead {
	pthread_t thread;
	size_t size;
	int fd; /* or -errno */
};

/* Keeps the ring out of forks. A fork would copy the page tables of the ring,
 * which takes longer than the rest, and gnomon's children must cost no more
 * than others. */
static void keep_from_children(size_t size)
{
	struct gn_mapping m;
	struct gn_maps maps;

	if (gn_maps_open(&maps, 0))
		return;
	while (gn_maps_next(&maps, &m) > 0)
		if (m.shared && m.end - m.start >= size &&
		    !strcmp(m.name, "anon_inode:bpf-map"))
			madvise((void *)m.start, m.end - m.start,
				MADV_DONTFORK);
	gn_maps_close(&maps);
}

struct ring_buffer *gn_ring_map(int fd, size_t size,
				ring_buffer_sample_fn sample, void *ctx)
{
	struct ring_buffer *ring = ring_buffer__new(fd, sample, ctx, NULL);

	if (ring)
		keep_from_children(size);
	return ring;
}

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
