// SPDX-License-Identifier: BSD-2-Clause
/*
 * A return probe fires when the return address of its frame is used. So a
 * function that ends by a jump to another one leaves only when that one does;
 * until then its frame is pending. A longjmp followed by a new call from the
 * same place begins with the same events: only whether the leave comes tells
 * the two apart.
 */
#include "model/stack.h"

#include <errno.h>
#include <string.h>

#include "model/mem.h"

/* Reports how the call of a dropped entry ended. */
static void settle(struct gn_stacks *st, struct gn_stage *s,
		   const struct gn_pending *e, enum gn_frame_end how)
{
	if (e->inherited)
		return;
	/* entries at its key were dropped for lack of room: a missing leave
	 * proves nothing */
	if (e->crowded)
		how = GN_END_LEFT;
	switch (how) {
	case GN_END_LEFT:
		gn_tree_finish_call(&s->tree, e->node, e->ns);
		break;
	case GN_END_OPEN:
		s->checks.open_frames++;
		break;
	default:
		s->checks.unwound_frames++;
		s->tree.nodes[e->node].unwound++;
		st->unwound++;
	}
}

static void take_out(struct gn_stack *k, uint32_t at)
{
	k->npending--;
	memmove(&k->pending[at], &k->pending[at + 1],
		(k->npending - at) * sizeof(*k->pending));
}

/* Drops the oldest entry. The other entries at its key are marked, because they
 * cannot be told apart from it any more. */
static void make_room(struct gn_stacks *st, struct gn_stage *s,
		      struct gn_stack *k)
{
	struct gn_pending *e = k->pending;
	uint32_t i;

	for (i = 1; i < k->npending && e[i].key == e->key && !e[i].crowded; i++)
		e[i].crowded = true;
	e->crowded = true;
	settle(st, s, e, GN_END_LEFT);
	take_out(k, 0);
}

int gn_pending_add(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		   const struct gn_frame *f)
{
	const struct gn_pending *last;

	if (k->npending == GN_PENDING_MAX)
		make_room(st, s, k);
	if (gn_grow(&k->pending, &k->pending_cap, k->npending + 1,
		    sizeof(*k->pending)))
		return -ENOMEM;
	last = k->npending ? &k->pending[k->npending - 1] : NULL;
	k->pending[k->npending++] = (struct gn_pending){
		.key = f->key,
		.ns = k->clock - f->start,
		.func = f->func,
		.node = f->node,
		.inherited = f->flags & GN_FRAME_INHERITED,
		.crowded = last && last->key == f->key && last->crowded,
	};
	return 0;
}

/* Returns the index after the latest entry for that leave; 0: none. */
static uint32_t find(const struct gn_stack *k, uint64_t key, uint32_t func)
{
	uint32_t i = k->npending;

	while (i > 0 && k->pending[i - 1].key < key)
		i--;
	for (; i > 0 && k->pending[i - 1].key == key; i--)
		if (k->pending[i - 1].func == func)
			return i;
	return 0;
}

bool gn_pending_has(const struct gn_stack *k, uint64_t key, uint32_t func)
{
	return find(k, key, func);
}

bool gn_pending_take(struct gn_stage *s, struct gn_stack *k, uint64_t key,
		     uint32_t func)
{
	uint32_t i = find(k, key, func);

	if (!i)
		return false;
	settle(NULL, s, &k->pending[i - 1], GN_END_LEFT);
	take_out(k, i - 1);
	return true;
}

void gn_pending_due(struct gn_stack *k, uint64_t key)
{
	uint32_t i;

	for (i = k->npending; i > 0 && k->pending[i - 1].key == key; i--)
		k->pending[i - 1].due = true;
}

void gn_pending_below(struct gn_stacks *st, struct gn_stage *s,
		      struct gn_stack *k, uint64_t key)
{
	while (k->npending && k->pending[k->npending - 1].key < key)
		settle(st, s, &k->pending[--k->npending], GN_END_UNWOUND);
}

void gn_pending_at(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		   uint64_t key, bool due_only)
{
	uint32_t i;

	for (i = k->npending; i > 0 && k->pending[i - 1].key == key; i--) {
		if (due_only && !k->pending[i - 1].due)
			continue;
		settle(st, s, &k->pending[i - 1], GN_END_UNWOUND);
		take_out(k, i - 1);
	}
}

void gn_pending_end(struct gn_stacks *st, struct gn_stage *s,
		    struct gn_stack *k, enum gn_frame_end how)
{
	while (k->npending) {
		const struct gn_pending *e = &k->pending[--k->npending];

		settle(st, s, e, e->due ? GN_END_UNWOUND : how);
	}
}
