// SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"

#include <gnomon/grow.h>

/* Calls below a frame that is called or left are gone, whatever ended them. */
static void heal(struct gn_calls *c, uint64_t sp)
{
	while (c->n && c->at[c->n - 1].key < sp)
		c->n--;
}

bool gn_calls_push(struct gn_calls *c, uint32_t index, uint64_t key)
{
	heal(c, key + 1);
	if (gn_grow(&c->at, &c->room, c->n + 1, sizeof(*c->at)))
		return false;
	c->at[c->n++] = (struct gn_call){key, index};
	return true;
}

uint64_t gn_calls_pop(struct gn_calls *c, uint32_t index, uint64_t sp)
{
	heal(c, sp);
	return c->n && c->at[c->n - 1].index == index ? c->at[--c->n].key : 0;
}

uint64_t gn_calls_unwind(struct gn_calls *c, uint32_t index)
{
	uint32_t i = c->n;

	while (i && c->at[i - 1].index != index)
		i--;
	if (!i)
		return 0;
	c->n = i - 1;
	return c->at[i - 1].key;
}
