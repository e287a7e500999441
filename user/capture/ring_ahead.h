/* SPDX-License-Identifier: BSD-2-Clause */
/* The ring is made by a thread while gnomon reads files: the kernel clears each
 * of its pages, which takes a tenth of the start. */
#ifndef GNOMON_CAPTURE_RING_AHEAD_H
#define GNOMON_CAPTURE_RING_AHEAD_H

#include <stddef.h>

struct gn_ring_ahead;

/* Begins to make a ring of `size` bytes. NULL: no memory, or no thread. */
struct gn_ring_ahead *gn_ring_ahead_begin(size_t size);

/* Waits for the ring: the descriptor of its map, which is the caller's, or
 * -errno. Frees `r`, which may be NULL. */
int gn_ring_ahead_end(struct gn_ring_ahead *r);

#endif
