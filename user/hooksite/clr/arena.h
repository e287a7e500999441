/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory that is never freed: gnomon may read it from outside the process at
 * any later time. Any thread may take from it, without waiting.
 */
#ifndef GNOMON_CLR_ARENA_H
#define GNOMON_CLR_ARENA_H

#include <stddef.h>

#include "lazy.h"

#define GN_ARENA_CHUNK (256u << 10)

/* All zeros is an empty arena. */
struct gn_arena {
	gn_lazy chunk;
};

/* `size` zeroed bytes, aligned to 8; NULL: no memory, or size is more than a
 * quarter of a chunk. */
void *gn_arena_take(struct gn_arena *arena, size_t size);

#endif
