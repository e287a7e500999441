// SPDX-License-Identifier: BSD-2-Clause
#include "calls.h"

#include <stdlib.h>
#include <string.h>

struct gn_java_resting *gn_java_calls_rest(struct gn_java_calls *c,
					   const struct gn_call_hooks *tell)
{
	uint32_t base = c->base, n = c->n - base;
	struct gn_java_resting *r;

	c->base = 0;
	if (!n)
		return NULL;
	r = malloc(sizeof(*r) + n * sizeof(*r->at));
	if (r) {
		r->n = n;
		memcpy(r->at, &c->at[base], n * sizeof(*r->at));
	}
	for (; c->n > base; c->n--)
		tell->suspended(c->at[c->n - 1], gn_call_key(c->n - 1) + 1);
	return r;
}

void gn_java_calls_go_on(struct gn_java_calls *c,
			 const struct gn_java_resting *resting,
			 const struct gn_call_hooks *tell)
{
	c->base = c->n;
	if (!resting ||
	    gn_grow(&c->at, &c->room, c->n + resting->n, sizeof(*c->at)))
		return;
	for (uint32_t i = 0; i < resting->n; i++) {
		c->at[c->n] = resting->at[i];
		tell->resumed(resting->at[i], gn_call_key(c->n++));
	}
}
