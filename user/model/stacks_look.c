/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at the stacks of a thread: which one it is on, and who owns its time.
 */
#include "model/stack.h"

struct gn_stack *gn_stacks_current(const struct gn_stacks *st)
{
	return st->interrupted && !st->active->n ? st->interrupted : st->active;
}

struct gn_stack *gn_stacks_owning(const struct gn_stacks *st)
{
	struct gn_stack *k = gn_stacks_current(st);

	return st->next != st->active && (st->next->n || !k->n) ? st->next : k;
}

uint32_t gn_stacks_owner(const struct gn_stacks *st)
{
	const struct gn_stack *owner = gn_stacks_owning(st);

	return owner->n ? owner->frames[owner->n - 1].node : st->root;
}

uint64_t gn_stacks_owner_id(const struct gn_stacks *st)
{
	return gn_stacks_owning(st)->id;
}

uint32_t gn_stacks_top(const struct gn_stacks *st, const struct gn_tree *tree)
{
	const struct gn_stack *k = gn_stacks_current(st);

	return k && k->n ? tree->nodes[k->frames[k->n - 1].node].fn : GN_NONE;
}

uint32_t gn_stacks_find(const struct gn_stacks *st, uint64_t lo)
{
	uint32_t a = 0, b = st->nmapped;

	while (a < b) {
		uint32_t mid = a + (b - a) / 2;

		if (st->mapped[mid]->hi > lo)
			b = mid;
		else
			a = mid + 1;
	}
	return a;
}

uint32_t gn_stack_find_func(const struct gn_stack *k, uint32_t func)
{
	uint32_t i, end = k->n > GN_SEARCH_MAX ? k->n - GN_SEARCH_MAX : 0;

	for (i = k->n; i > end; i--)
		if (k->frames[i - 1].func == func)
			return i - 1;
	return GN_NONE;
}
