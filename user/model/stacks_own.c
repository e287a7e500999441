/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks that a thread owns, and where they are in memory. */
#include "model/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"

struct gn_stack *gn_stack_new(struct gn_stacks *st)
{
	struct gn_stack *k = calloc(1, sizeof(*k));

	if (k)
		k->id = ++st->ids;
	return k;
}

void gn_stack_free(struct gn_stack *k)
{
	if (!k)
		return;
	free(k->frames);
	free(k->pending);
	free(k);
}

int gn_stacks_init(struct gn_stacks *st, uint32_t root)
{
	*st = (struct gn_stacks){.root = root};
	st->first = gn_stack_new(st);
	st->active = st->next = st->first;
	st->main = st->ids;
	return st->first ? 0 : -ENOMEM;
}

void gn_stacks_free(struct gn_stacks *st)
{
	uint32_t i;

	for (i = 0; i < st->nmapped; i++)
		gn_stack_free(st->mapped[i]);
	gn_stack_free(st->first);
	for (i = 0; i < st->nparked; i++)
		free(st->parked[i].frames);
	free(st->parked);
	st->parked = NULL;
	st->nparked = st->parked_cap = 0;
	st->parked_frames = 0;
	free(st->mapped);
	free(st->unwinds);
	st->unwinds = NULL;
	st->nunwinds = st->unwinds_cap = 0;
	st->active = st->next = st->first = st->interrupted = NULL;
	st->mapped = NULL;
	st->nmapped = st->mapped_cap = 0;
}

void gn_stacks_map(struct gn_stacks *st, struct gn_stack *k, uint64_t lo,
		   uint64_t hi)
{
	uint32_t at = gn_stacks_find(st, lo);

	memmove(&st->mapped[at + 1], &st->mapped[at],
		(st->nmapped - at) * sizeof(*st->mapped));
	st->mapped[at] = k;
	st->nmapped++;
	k->lo = lo;
	k->hi = k->end = hi;
}

struct gn_stack *gn_stacks_add(struct gn_stacks *st, uint64_t lo, uint64_t hi)
{
	struct gn_stack *k;

	if (gn_grow(&st->mapped, &st->mapped_cap, (size_t)st->nmapped + 1,
		    sizeof(*st->mapped)))
		return NULL;
	k = gn_stack_new(st);
	if (k)
		gn_stacks_map(st, k, lo, hi);
	return k;
}
