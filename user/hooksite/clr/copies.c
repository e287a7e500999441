// SPDX-License-Identifier: BSD-2-Clause
#include "copies.h"

#include <stdlib.h>

#include <gnomon/grow.h>

bool gn_copies_add(struct gn_copies *c, const struct gn_r2r_copy *copy)
{
	if (gn_grow(&c->copy, &c->room, c->n + 1, sizeof(*copy)))
		return false;
	c->copy[c->n++] = *copy;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct gn_r2r_copy *x = a, *y = b;

	return (x->holder > y->holder) - (x->holder < y->holder);
}

void gn_copies_sort(struct gn_copies *c)
{
	if (c->n)
		qsort(c->copy, c->n, sizeof(*c->copy), compare);
}

void gn_copies_free(struct gn_copies *c)
{
	free(c->copy);
	*c = (struct gn_copies){0};
}

const struct gn_r2r_copy *gn_copies_in(const struct gn_copies *c,
				       uint32_t holder, uint32_t *n)
{
	uint32_t lo = 0, hi = c->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (c->copy[mid].holder < holder)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (*n = 0; lo + *n < c->n && c->copy[lo + *n].holder == holder;)
		++*n;
	return *n ? c->copy + lo : NULL;
}
