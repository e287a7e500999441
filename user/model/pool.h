/* SPDX-License-Identifier: BSD-2-Clause */
/* Interned strings: equal texts have one pointer. They live as long as the
 * pool, or as a model that shares it. */
#ifndef GNOMON_MODEL_POOL_H
#define GNOMON_MODEL_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "model/table.h"

struct gn_pool_texts;

struct gn_pool {
	struct gn_table by_hash;
	const char **strings;
	uint32_t n, cap;
	struct gn_pool_texts *texts;
	size_t room; /* bytes left in the newest chunk */
	size_t size; /* approximate memory of its strings */
};

/* Returns the pool's copy of `len` bytes without NULs; NULL: no memory. */
const char *gn_pool_add(struct gn_pool *p, const char *text, size_t len);
void gn_pool_free(struct gn_pool *p);

/* Adds an owner of all texts that the pool has and will have; each owner drops
 * them once. NULL: no memory. Not thread-safe. */
struct gn_pool_texts *gn_pool_share(struct gn_pool *p);
void gn_pool_texts_drop(struct gn_pool_texts *t);

#endif
