/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hash table from 64-bit keys to 32-bit indexes, made for one look-up per
 * record: open addressing, mostly one cache line per look-up. It allocates only
 * to grow.
 */
#ifndef GNOMON_MODEL_TABLE_H
#define GNOMON_MODEL_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define GN_NONE UINT32_MAX

struct gn_table_slot {
	uint64_t key;
	uint32_t value; /* GN_NONE: free slot */
	uint32_t gone;	/* the key was removed, but still takes the slot */
};

/* All zeros is an empty table. */
struct gn_table {
	struct gn_table_slot *slots;
	size_t size; /* a power of two, or 0 */
	size_t used;
};

static inline uint64_t gn_table_hash(uint64_t key)
{
	key ^= key >> 32;
	key *= 0x9fb21c651e98df25u;
	key ^= key >> 29;
	key *= 0x9fb21c651e98df25u;
	return key ^ key >> 32;
}

/* Hashes `len` bytes on top of `h`, which is the hash of the text before, or
 * GN_HASH_TEXT. Names are long: takes eight bytes per step, then FNV-1a for the
 * rest. */
#define GN_HASH_TEXT 0xcbf29ce484222325u
static inline uint64_t gn_hash_text(uint64_t h, const char *text, size_t len)
{
	uint64_t word;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = (h ^ word) * 0x9fb21c651e98df25u;
		h ^= h >> 32;
	}
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
	return h;
}

/* The value of `key`, GN_NONE when it has none. */
static inline uint32_t gn_table_get(const struct gn_table *t, uint64_t key)
{
	size_t i;

	if (!t->size)
		return GN_NONE;
	for (i = gn_table_hash(key);; i++) {
		const struct gn_table_slot *s = &t->slots[i & (t->size - 1)];

		if (s->value == GN_NONE)
			return GN_NONE;
		if (s->key == key)
			return s->gone ? GN_NONE : s->value;
	}
}

/* Sets the value of `key` (anything but GN_NONE). 0 or -ENOMEM. */
int gn_table_put(struct gn_table *t, uint64_t key, uint32_t value);
/* The same for a key that has a value. Cannot fail. */
void gn_table_change(struct gn_table *t, uint64_t key, uint32_t value);
void gn_table_remove(struct gn_table *t, uint64_t key);
void gn_table_free(struct gn_table *t);
/* Removes all keys, to be filled again with about as many. */
void gn_table_clear(struct gn_table *t);

#endif
