// SPDX-License-Identifier: BSD-2-Clause
/*
 * Exceptions that a runtime reports: the unwinding of a frame begins and ends.
 * Only the begin names the function. In between, handlers run and can throw
 * further exceptions. A begin without an end is the frame that catches.
 */
#include "model/stack.h"

#include <errno.h>
#include <string.h>

#include <gnomon/event.h>
#include "model/mem.h"
#include "model/walk.h"

/* Keys fall towards the top, except for frames that share one. */
static uint32_t find_key(const struct gn_stack *k, uint64_t key, uint32_t func)
{
	uint32_t a = 0, b = k->n;

	while (a < b) {
		uint32_t mid = a + (b - a) / 2;

		if (k->frames[mid].key < key)
			b = mid;
		else
			a = mid + 1;
	}
	for (; a > 0 && k->frames[a - 1].key == key; a--)
		if (k->frames[a - 1].func == func)
			return a - 1;
	return GN_NONE;
}

int gn_stacks_unwind_begin(struct gn_stacks *st, uint32_t func, bool muted)
{
	const struct gn_stack *k = st->active;
	struct gn_unwind u = {.stack = k->id, .func = func, .muted = muted};
	uint32_t at = muted ? GN_NONE : gn_stack_find_func(k, func);

	if (at != GN_NONE) {
		u.found = true;
		u.key = k->frames[at].key;
		/* Drop unwinds of inner frames: they were caught, or this one
		 * overtakes them. */
		while (st->nunwinds) {
			const struct gn_unwind *o =
				&st->unwinds[st->nunwinds - 1];

			if (o->stack != k->id || (o->found && o->key > u.key))
				break;
			st->nunwinds--;
		}
	}
	if (st->nunwinds == GN_UNWIND_MAX) {
		st->nunwinds--;
		memmove(st->unwinds, st->unwinds + 1,
			st->nunwinds * sizeof(*st->unwinds));
	}
	if (gn_grow(&st->unwinds, &st->unwinds_cap, (size_t)st->nunwinds + 1,
		    sizeof(*st->unwinds)))
		return -ENOMEM;
	st->unwinds[st->nunwinds++] = u;
	return 0;
}

/* Removes the unwind that ends: the innermost one, or the innermost of
 * `func`. */
static bool take_unwind(struct gn_stacks *st, uint32_t func,
			struct gn_unwind *out)
{
	uint32_t i = st->nunwinds;

	if (GN_FUNC_INDEX(func))
		while (i > 0 && st->unwinds[i - 1].func != func)
			i--;
	if (!i)
		return false;
	*out = st->unwinds[i - 1];
	st->nunwinds = i - 1;
	return true;
}

int gn_stack_hang(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		  uint32_t at)
{
	uint32_t i, node = at ? k->frames[at - 1].node : st->root;
	int err = 0;

	for (i = at; i < k->n; i++) {
		err = gn_tree_child(&s->tree, node,
				    s->tree.nodes[k->frames[i].node].fn, &node);
		if (err)
			break;
		k->frames[i].node = node;
	}
	/* no room for new paths in the tree: drop frames */
	while (err == -ENOSPC && k->n > i)
		gn_stack_end_frame(st, s, k, &k->frames[--k->n],
				   GN_END_UNWOUND);
	return err;
}

/* Removes a frame. The frames above continue, called by the frame below. */
static int remove_frame(struct gn_stacks *st, struct gn_stage *s,
			struct gn_stack *k, uint32_t at)
{
	int err;

	gn_stack_end_frame(st, s, k, &k->frames[at], GN_END_CAUGHT);
	gn_walk_end_above(s, k, at + 1);
	gn_walk_leave(s, k, GN_END_CAUGHT);
	k->n--;
	memmove(&k->frames[at], &k->frames[at + 1],
		(k->n - at) * sizeof(*k->frames));
	err = gn_stack_hang(st, s, k, at);
	gn_walk_begin_again(s, k, at);
	return err;
}

int gn_stacks_unwind_end(struct gn_stacks *st, struct gn_stage *s,
			 uint32_t func)
{
	struct gn_stack *k = st->active;
	struct gn_unwind u;
	uint32_t at = GN_NONE;

	if (take_unwind(st, func, &u)) {
		if (u.muted)
			return 0;
		if (u.found && u.stack == k->id)
			at = find_key(k, u.key, u.func);
	} else if (GN_FUNC_INDEX(func)) {
		at = gn_stack_find_func(k, func);
	}
	if (at == GN_NONE) {
		s->checks.unmatched_unwinds++;
		return 0;
	}
	return remove_frame(st, s, k, at);
}
