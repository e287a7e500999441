// SPDX-License-Identifier: BSD-2-Clause
#include "compiling.h"

#include <stddef.h>
#include <string.h>

/* Bytes of stack. The compiler's own frames take more than this; the ways in
 * which the runtime reports a begin differ by less. */
#define APART 1024

void gn_compiling_in(struct gn_compiling *c, uint32_t session)
{
	if (c->session != session)
		c->n = 0;
	c->session = session;
}

static bool take(struct gn_compiling *c, uint32_t i,
		 struct gn_compiling_one *one)
{
	*one = c->one[i];
	memmove(&c->one[i], &c->one[i + 1], (--c->n - i) * sizeof(*one));
	return true;
}

bool gn_compiling_over(struct gn_compiling *c, uint64_t frame,
		       gn_cor_id function, struct gn_compiling_one *over)
{
	const struct gn_compiling_one *last = c->n ? &c->one[c->n - 1] : NULL;

	if (!last)
		return false;
	if (last->function == function || frame + APART > last->frame)
		return take(c, c->n - 1, over);
	return c->n == GN_COMPILING_MAX && take(c, 0, over);
}

void gn_compiling_begins(struct gn_compiling *c, uint64_t frame,
			 gn_cor_id function, uint32_t index)
{
	struct gn_compiling_one *one = &c->one[c->n++];

	one->frame = frame;
	one->function = function;
	one->index = index & 0x7fffffff;
	one->hooks = false;
}

void gn_compiling_hooks(struct gn_compiling *c)
{
	if (c->n)
		c->one[c->n - 1].hooks = true;
}

static bool has(const struct gn_compiling *c, gn_cor_id function)
{
	for (uint32_t i = c->n; i--;)
		if (c->one[i].function == function)
			return true;
	return false;
}

bool gn_compiling_ends(struct gn_compiling *c, gn_cor_id function,
		       struct gn_compiling_one *one)
{
	return has(c, function) && take(c, c->n - 1, one);
}
