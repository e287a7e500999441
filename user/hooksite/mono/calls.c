// SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"

#include <stdlib.h>

static bool grow(struct gn_calls *c)
{
	uint32_t room = c->room ? c->room * 2 : 64;
	struct gn_call *at = reallocarray(c->at, room, sizeof(*at));

	if (!at)
		return false;
	c->at = at;
	c->room = room;
	return true;
}

/* Calls below a frame that is called or left are gone, whatever ended them. */
static void heal(struct gn_calls *c, uint64_t sp)
{
	while (c->n && c->at[c->n - 1].key < sp)
		c->n--;
}

bool gn_calls_push(struct gn_calls *c, uint32_t index, uint64_t key)
{
	heal(c, key + 1);
	if (c->n == c->room && !grow(c))
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
