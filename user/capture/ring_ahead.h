/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring is made and mapped by a thread while gnomon reads files: the kernel
 * clears and maps each of its pages, which takes a tenth of the start. */
#ifndef GNOMON_CAPTURE_RING_AHEAD_H
#define GNOMON_CAPTURE_RING_AHEAD_H

#include <stddef.h>

#include <bpf/libbpf.h>

struct gn_ring_ahead;

/* Begins to make a ring of `size` bytes, whose records go to `sample`. NULL: no
 * memory, or no thread. */
struct gn_ring_ahead *
gn_ring_ahead_begin(size_t size, ring_buffer_sample_fn sample, void *ctx);

/* Waits for the ring: the descriptor of its map, which is the caller's, or
 * -errno. Its mapping is the caller's, too; NULL: there is none. Frees `r`,
 * which may be NULL. */
int gn_ring_ahead_end(struct gn_ring_ahead *r, struct ring_buffer **ring);

/* Maps the ring of `size` bytes that the descriptor `fd` is of. NULL: errno. */
struct ring_buffer *gn_ring_map(int fd, size_t size,
				ring_buffer_sample_fn sample, void *ctx);

#endif
