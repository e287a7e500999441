/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory that a traced process offers for its records. */
#ifndef GNOMON_CAPTURE_FAST_MAP_H
#define GNOMON_CAPTURE_FAST_MAP_H

#include <stddef.h>
#include <stdint.h>

#include <gnomon/fast.h>

/*
 * Maps the memory behind descriptor `fd` of process `pid`. It must be a memfd
 * of the right size whose size is sealed. Other files are not even opened,
 * because opening or closing them could have effects. 0; -EBADMSG: it is no
 * such memory; else -errno.
 */
int gn_fast_map(uint32_t pid, uint64_t fd, struct gn_fast_page **page);
/* The whole memory, or one of its two parts. */
void gn_fast_unmap(struct gn_fast_page *page, size_t size);

/* Wakes all threads that wait on a word of it, a futex. */
void gn_fast_wake(_Atomic uint32_t *word);

#endif
