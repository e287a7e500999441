// SPDX-License-Identifier: BSD-2-Clause
/* The stacks of a thread: which one it is on, and who owns its time. */
#include "model/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/walk.h"

uint32_t gn_stacks_charge_open(struct gn_stacks *st, uint64_t elapsed,
			       bool *outside)
{
	struct gn_stack *owner = gn_stacks_owning(st);

	owner->clock += elapsed;
	*outside = !owner->n;
	return owner->n ? owner->frames[owner->n - 1].node : st->root;
}

static uint32_t top_func(const struct gn_stack *k)
{
	return k->n ? k->frames[k->n - 1].func : 0;
}

uint32_t gn_stacks_charge(struct gn_stacks *st, uint64_t elapsed, bool *outside)
{
	uint32_t node = gn_stacks_charge_open(st, elapsed, outside);

	st->left = 0;
	if (st->next != st->active) {
		st->left = top_func(st->active);
		st->interrupted = st->next->signal && !st->next->part
					  ? gn_stacks_current(st)
					  : NULL;
		st->active = st->next;
		st->active->used = ++st->switches;
	}
	return node;
}

static void end_stack(struct gn_stacks *st, struct gn_stage *s,
		      struct gn_stack *k, enum gn_frame_end how)
{
	while (k->n)
		gn_stack_pop(st, s, k, how);
	gn_pending_end(st, s, k, how);
}

void gn_stacks_settle(struct gn_stacks *st, struct gn_stage *s)
{
	struct gn_stack *k;
	uint32_t i;

	for (i = 0; (k = gn_stacks_at(st, i)); i++) {
		gn_shrink(&k->frames, &k->cap, k->n, sizeof(*k->frames));
		s->frames += k->cap;
	}
	/* the next tree lacks their paths */
	s->frames += st->parked_frames;
	gn_parked_forget(st, s);
}

static void unmap(struct gn_stacks *st, uint32_t at)
{
	st->nmapped--;
	memmove(&st->mapped[at], &st->mapped[at + 1],
		(st->nmapped - at) * sizeof(*st->mapped));
}

static void retire(struct gn_stacks *st, struct gn_stage *s, uint32_t at)
{
	struct gn_stack *k = st->mapped[at];

	unmap(st, at);
	end_stack(st, s, k, GN_END_UNWOUND);
	if (st->interrupted == k)
		st->interrupted = NULL;
	gn_stack_free(k);
}

static void retire_oldest(struct gn_stacks *st, struct gn_stage *s)
{
	uint32_t i, oldest = GN_NONE;

	for (i = 0; i < st->nmapped; i++) {
		struct gn_stack *k = st->mapped[i];

		if (k == st->active || k == st->next)
			continue;
		if (oldest == GN_NONE || k->used < st->mapped[oldest]->used)
			oldest = i;
	}
	if (oldest != GN_NONE)
		retire(st, s, oldest);
}

/*
 * Finds the known stack that the mapping belongs to: the one with the same end
 * (a stack grows down), else the lowest one that overlaps it. Other stacks that
 * overlap it are gone, because an address holds only one thing. But the active
 * stack is never gone: if it overlaps the mapping, it is the result.
 */
static struct gn_stack *take_overlapping(struct gn_stacks *st,
					 struct gn_stage *s, uint64_t lo,
					 uint64_t hi)
{
	uint32_t i, from = gn_stacks_find(st, lo);
	struct gn_stack *best = NULL;

	for (i = from; i < st->nmapped && st->mapped[i]->lo < hi; i++) {
		struct gn_stack *k = st->mapped[i];

		if (!best || k == st->active ||
		    (k->hi == hi && best != st->active))
			best = k;
	}
	for (i = from; i < st->nmapped && st->mapped[i]->lo < hi;) {
		if (st->mapped[i] == best)
			unmap(st, i);
		else
			retire(st, s, i);
	}
	return best;
}

/* Gives the mapping to the stack that has none yet, unless its frames show that
 * it lies elsewhere. */
static struct gn_stack *take_first(struct gn_stacks *st, uint64_t lo,
				   uint64_t hi)
{
	struct gn_stack *k = st->first;
	const struct gn_frame *top = k && k->n ? &k->frames[k->n - 1] : NULL;

	if (!k)
		return NULL;
	if (top && top->key != GN_KEY_MAX && (top->key <= lo || top->key > hi))
		return NULL;
	st->first = NULL;
	return k;
}

int gn_stacks_switch(struct gn_stacks *st, struct gn_stage *s, uint64_t lo,
		     uint64_t hi, bool signal)
{
	struct gn_stack *k = st->next;

	if (k->lo == lo && k->hi == hi) {
		k->signal = signal;
		return 0;
	}
	if (gn_grow(&st->mapped, &st->mapped_cap, (size_t)st->nmapped + 1,
		    sizeof(*st->mapped)))
		return -ENOMEM;
	/* a next stack that never became active owns no time */
	st->next = st->active;
	k = gn_stacks_parts(st, lo, hi);
	if (k) {
		st->next = k;
		return 0;
	}
	k = take_overlapping(st, s, lo, hi);
	if (!k)
		k = take_first(st, lo, hi);
	if (!k) {
		if (st->nmapped >= GN_STACKS_MAX)
			retire_oldest(st, s);
		k = gn_stack_new(st);
	}
	if (!k)
		return -ENOMEM;
	gn_stacks_map(st, k, lo, hi);
	k->signal = signal;
	k->used = ++st->switches;
	st->next = k;
	return 0;
}

int gn_stacks_restart(struct gn_stacks *st, struct gn_stage *s)
{
	struct gn_stack *k = gn_stack_new(st);

	if (!k)
		return -ENOMEM;
	gn_stacks_end_all(st, s, GN_END_UNWOUND);
	gn_stacks_free(st);
	st->first = st->active = st->next = k;
	st->main = k->id;
	return 0;
}

void gn_stacks_end_all(struct gn_stacks *st, struct gn_stage *s,
		       enum gn_frame_end how)
{
	uint32_t i;

	for (i = 0; i < st->nmapped; i++)
		end_stack(st, s, st->mapped[i], how);
	if (st->first)
		end_stack(st, s, st->first, how);
	st->nunwinds = 0;
}

/* The child gets all frames or none; then it begins like a thread that gnomon
 * attached to. */
static int no_frames(struct gn_stack *k, int err)
{
	k->n = 0;
	return err == -ENOSPC ? 0 : err;
}

int gn_stacks_inherit(struct gn_stacks *st, struct gn_stage *s,
		      const struct gn_stacks *parent)
{
	const struct gn_stack *from = gn_stacks_current(parent);
	struct gn_stack *k = st->active;
	uint32_t i, node = st->root;
	int err;

	err = gn_stack_grow(s, k, from->n);
	if (err)
		return no_frames(k, err);
	for (i = 0; i < from->n; i++) {
		err = gn_tree_child(&s->tree, node,
				    s->tree.nodes[from->frames[i].node].fn,
				    &node);
		if (err)
			return no_frames(k, err);
		k->frames[i] = from->frames[i];
		k->frames[i].node = node;
		k->frames[i].flags |= GN_FRAME_INHERITED;
		k->frames[i].start = k->clock;
		k->n = i + 1;
		gn_walk_enter(s, k, s->tree.nodes[node].fn, GN_BEGIN_INHERITED);
	}
	return 0;
}
