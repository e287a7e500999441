/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A composite image, as the hook-site library reads it inside the traced
 * program: its components, their copies, and which methods have code there. An
 * input is the file.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "hooksite/clr/composite.h"

#define ROWS 40u

static bool asks(void *ctx, uint32_t module, uint32_t method)
{
	const struct gn_composite *c = ctx;

	must(module < c->n, "a copied method is of a component");
	return method % 2;
}

static void visit_copy(void *ctx, const struct gn_r2r_copy *copy)
{
	const struct gn_composite *c = ctx;

	must(copy->module < c->n, "a copy is of a component");
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	struct gn_composite c = {.size = size};
	uint8_t *copy = gn_fuzz_take_bytes(&in, &c.size);

	c.bytes = copy;
	const struct gn_r2r_asker asker = {asks, visit_copy, &c};

	if (gn_composite_read(&c))
		for (uint32_t i = 0; i < c.n; i++) {
			gn_composite_copies(&c, i, &asker);
			for (uint32_t row = 0; row < ROWS; row++)
				gn_composite_has(&c, i, row);
		}
	free(copy);
}
