/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interned strings: equal texts are one pointer. They live as long as the pool,
 * which the finished model takes over.
 */
#ifndef GNOMON_MODEL_POOL_H
#define GNOMON_MODEL_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "model/table.h"

struct gn_pool {
	struct gn_table by_hash;
	const char **strings;
	uint32_t n, cap;
	struct gn_pool_chunk *chunks;
	size_t room; /* bytes left in the newest chunk */
};

/* The pool's copy of `len` bytes without NULs, NULL when there is no memory. */
const char *gn_pool_add(struct gn_pool *p, const char *text, size_t len);
void gn_pool_free(struct gn_pool *p);

#endif
