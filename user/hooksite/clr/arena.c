// SPDX-License-Identifier: BSD-2-Clause
#include "arena.h"

struct gn_arena_chunk {
	/* without this header; may be more than there is room for */
	_Atomic size_t used;
	char data[] __attribute__((aligned(64)));
};

static struct gn_arena_chunk *next_chunk(struct gn_arena *arena,
					 struct gn_arena_chunk *old)
{
	return gn_lazy_replace(&arena->chunk, old, GN_ARENA_CHUNK);
}

void *gn_arena_take(struct gn_arena *arena, size_t size)
{
	struct gn_arena_chunk *chunk = atomic_load(&arena->chunk);
	size_t at;

	if (size > GN_ARENA_CHUNK / 4)
		return NULL;
	size = (size + 7) & ~(size_t)7;
	for (;;) {
		if (chunk) {
			at = atomic_fetch_add(&chunk->used, size);
			if (at <= GN_ARENA_CHUNK - sizeof(*chunk) - size)
				return chunk->data + at;
		}
		chunk = next_chunk(arena, chunk);
		if (!chunk)
			return NULL;
	}
}
