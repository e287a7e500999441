// SPDX-License-Identifier: BSD-2-Clause
#include "arena.h"

#include <sys/mman.h>

struct gn_arena_chunk {
	_Atomic size_t used; /* with this header; may be more than the chunk */
};

/* Replaces `old`, unless another thread has done it already. */
static struct gn_arena_chunk *next_chunk(struct gn_arena *arena,
					 struct gn_arena_chunk *old)
{
	struct gn_arena_chunk *chunk =
		mmap(NULL, GN_ARENA_CHUNK, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (chunk == MAP_FAILED)
		return NULL;
	atomic_init(&chunk->used, 64);
	if (atomic_compare_exchange_strong(&arena->chunk, &old, chunk))
		return chunk;
	munmap(chunk, GN_ARENA_CHUNK);
	return old;
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
			if (at <= GN_ARENA_CHUNK - size)
				return (char *)chunk + at;
		}
		chunk = next_chunk(arena, chunk);
		if (!chunk)
			return NULL;
	}
}
