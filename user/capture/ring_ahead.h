/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread creates the ring while gnomon reads files: the kernel clears each of
 * its pages, which takes a tenth of the start. Mapping the ring takes nearly as
 * long, and gnomon's other threads cannot map memory meanwhile. */
#ifndef GNOMON_CAPTURE_RING_AHEAD_H
#define GNOMON_CAPTURE_RING_AHEAD_H

#include <stddef.h>

#include <bpf/libbpf.h>

struct gn_ring_ahead;

/* Begins to make a ring of `size` bytes. NULL: no memory, or no thread. */
struct gn_ring_ahead *gn_ring_ahead_begin(size_t size);

/* Waits for the ring. Returns the descriptor of its map, which the caller
 * closes, or -errno. Frees `r`, which may be NULL. */
int gn_ring_ahead_end(struct gn_ring_ahead *r);

/* Maps the ring of `size` bytes behind the descriptor `fd`; records go to
 * `sample`. NULL: see errno. */
struct ring_buffer *gn_ring_map(int fd, size_t size,
				ring_buffer_sample_fn sample, void *ctx);

#endif
