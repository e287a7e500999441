/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that a traced process offers for its records. */
#ifndef GNOMON_CAPTURE_FAST_MAP_H
#define GNOMON_CAPTURE_FAST_MAP_H

#include <stdint.h>

#include <gnomon/fast.h>

/*
 * Maps what descriptor `fd` of process `pid` is. It must be a memfd of the
 * right size that cannot be changed any more; anything else is not even opened,
 * for opening or closing it could do something. 0; -EBADMSG: it is no such
 * memory; else errno: it cannot be had.
 */
int gn_fast_map(uint32_t pid, uint64_t fd, struct gn_fast_page **page);
void gn_fast_unmap(struct gn_fast_page *page);

/* Wakes who waits for a word of it. */
void gn_fast_wake(_Atomic uint32_t *word);

#endif
