/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies in a module's precompiled code, by the methods that hold them. */
#ifndef GNOMON_CLR_COPIES_H
#define GNOMON_CLR_COPIES_H

#include <stdbool.h>

#include "r2r.h"

/* All zeros is an empty list. */
struct gn_copies {
	struct gn_r2r_copy *copy;
	uint32_t n;
	size_t room;
};

/* False: no memory. */
bool gn_copies_add(struct gn_copies *c, const struct gn_r2r_copy *copy);
/* Call it once, when all are added. */
void gn_copies_sort(struct gn_copies *c);
void gn_copies_free(struct gn_copies *c);

/* The first of the `n` copies that a method holds, which are adjacent; NULL: it
 * holds none. */
const struct gn_r2r_copy *gn_copies_in(const struct gn_copies *c,
				       uint32_t holder, uint32_t *n);

#endif
