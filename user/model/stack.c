// SPDX-License-Identifier: BSD-2-Clause
/* The frames of a stack, and what events do to them. */
#include "model/stack.h"

#include "model/walk.h"

/*
 * Ends a frame in whose place another function was entered. It jumped to that
 * function if its own leave, from a return probe, can come after the other's.
 */
static int overlay(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k)
{
	struct gn_frame *f = &k->frames[k->n - 1];
	int err;

	if (!s->names.fns[s->tree.nodes[f->node].fn].leave_return) {
		/* it was unwound, and so were the frames that jumped to it */
		gn_pending_at(st, s, k, f->key, false);
		gn_stack_pop(st, s, k, GN_END_UNWOUND);
		return 0;
	}
	err = gn_pending_add(st, s, k, f);
	k->n--;
	gn_walk_leave(s, k, GN_END_LEFT);
	if (st->nunwinds)
		gn_stack_drop_unwind(st, k, f);
	return err;
}

/* Ends the frames that must be gone when a call has this key. */
static int make_way(struct gn_stacks *st, struct gn_stage *s,
		    struct gn_stack *k, uint64_t key)
{
	int err = 0;

	gn_pending_below(st, s, k, key);
	gn_stack_unwind(st, s, k, key);
	gn_pending_at(st, s, k, key, true);
	while (k->n && k->frames[k->n - 1].key == key)
		err |= overlay(st, s, k);
	return err;
}

/* How many frames are left if those with numbers up to this one end, and all
 * that they called. */
static uint32_t outside(const struct gn_stack *k, uint32_t number)
{
	uint32_t left = k->n;

	for (uint32_t i = k->n; i-- > 0;) {
		const struct gn_frame *f = &k->frames[i];

		if (!(f->flags & GN_FRAME_NUMBERED))
			continue;
		if (!gn_number_is_within(f->number, number))
			break;
		left = i;
	}
	return left;
}

static void end_down_to(struct gn_stacks *st, struct gn_stage *s,
			struct gn_stack *k, uint32_t left,
			enum gn_frame_end how)
{
	while (k->n > left)
		gn_stack_pop(st, s, k, how);
}

static void leave_numbered(struct gn_stacks *st, struct gn_stage *s,
			   struct gn_stack *k, uint32_t number, uint32_t func)
{
	uint32_t at = outside(k, number);

	if (at == k->n || k->frames[at].number != number ||
	    k->frames[at].func != func) {
		s->checks.unmatched_leaves++;
		return;
	}
	end_down_to(st, s, k, at + 1, GN_END_UNWOUND);
	gn_stack_pop(st, s, k, GN_END_LEFT);
}

static int push(struct gn_stacks *st, struct gn_stage *s,
		const struct gn_frame *frame, uint32_t fn)
{
	struct gn_stack *k = st->active;
	uint32_t below;
	struct gn_frame *f;
	int err = gn_stack_grow(s, k, (size_t)k->n + 1);

	if (err)
		return err;
	below = k->n ? k->frames[k->n - 1].node : st->root;
	f = &k->frames[k->n];
	*f = *frame;
	f->start = k->clock;
	err = gn_tree_child(&s->tree, below, fn, &f->node);
	if (!err)
		k->n++;
	return err;
}

/* Prepares the stack for a frame at `key`. */
static int make_room(struct gn_stacks *st, struct gn_stage *s, uint64_t key)
{
	int err = make_way(st, s, st->active, key);

	if (st->nparked)
		gn_parked_overwrite(st, s, key);
	return err;
}

int gn_stacks_enter(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		    uint32_t func, uint32_t fn)
{
	struct gn_stack *k = st->active;
	struct gn_frame f;
	int err = 0;

	gn_frame_begin(&f, key, func);
	if (f.flags & GN_FRAME_NUMBERED) {
		end_down_to(st, s, k, outside(k, f.number), GN_END_UNWOUND);
	} else if (key) {
		err = make_room(st, s, key);
	} else {
		f.key = k->n ? k->frames[k->n - 1].key : GN_KEY_MAX;
		f.flags = GN_FRAME_KEYLESS;
	}
	if (!err)
		err = push(st, s, &f, fn);
	if (err)
		return err;
	s->tree.nodes[k->frames[k->n - 1].node].calls++;
	st->calls++;
	gn_walk_enter(s, k, fn, GN_BEGIN_CALL);
	return 0;
}

void gn_stacks_land(struct gn_stacks *st, struct gn_stage *s, uint64_t key)
{
	struct gn_stack *k = st->active;

	gn_pending_below(st, s, k, key + 1);
	gn_stack_unwind(st, s, k, key + 1);
	if (st->nparked)
		gn_parked_overwrite(st, s, key);
}

/* Ends the frames that are in the place where the function goes on. Returns
 * whether it was suspended: then it is not on top of the stack. */
static bool is_suspended(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
			 uint32_t func)
{
	struct gn_stack *k = st->active;
	const struct gn_frame *top;
	bool by_number = GN_FUNC_IS_NUMBERED(func);

	if (by_number)
		end_down_to(st, s, k, outside(k, (uint32_t)key - 1),
			    GN_END_UNWOUND);
	else
		gn_stack_unwind(st, s, k, key);
	top = k->n ? &k->frames[k->n - 1] : NULL;
	return !top || top->func != func ||
	       (by_number ? top->number != (uint32_t)key : top->key != key);
}

int gn_stacks_resume(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		     uint32_t func, uint32_t fn)
{
	struct gn_stack *k = st->active;
	struct gn_frame f;
	int err = 0;

	gn_frame_begin(&f, key, func);
	if (!is_suspended(st, s, key, func))
		return 0;
	if (f.flags & GN_FRAME_NUMBERED)
		end_down_to(st, s, k, outside(k, f.number), GN_END_UNWOUND);
	else
		err = make_room(st, s, key);
	if (!err)
		err = push(st, s, &f, fn);
	if (err)
		return err;
	gn_walk_enter(s, k, fn, GN_BEGIN_RESUMED);
	return 1;
}

void gn_stacks_await(struct gn_stacks *st, uint32_t func, uint64_t number)
{
	struct gn_stack *k = st->active;

	if (k->n && k->frames[k->n - 1].func == func)
		k->frames[k->n - 1].await = number & 0x3fff;
}

static void rest_keyless(struct gn_stacks *st, struct gn_stage *s,
			 struct gn_stack *k)
{
	const struct gn_frame *f = k->n ? &k->frames[k->n - 1] : NULL;

	if (!f || !(f->flags & GN_FRAME_KEYLESS))
		return;
	st->rested = f->func;
	gn_stack_pop(st, s, k, GN_END_SUSPENDED);
}

void gn_stacks_suspend(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		       uint32_t func)
{
	struct gn_stack *k = st->active;

	if (GN_FUNC_IS_NUMBERED(func)) {
		rest_keyless(st, s, k);
		end_down_to(st, s, k, outside(k, (uint32_t)key - 1),
			    GN_END_SUSPENDED);
		return;
	}
	gn_pending_below(st, s, k, key);
	while (k->n && k->frames[k->n - 1].key < key)
		gn_stack_pop(st, s, k, GN_END_SUSPENDED);
}

static void leave_keyless(struct gn_stacks *st, struct gn_stage *s,
			  struct gn_stack *k, uint32_t func)
{
	uint32_t at = gn_stack_find_func(k, func);

	if (at == GN_NONE) {
		if (func != st->rested)
			s->checks.unmatched_leaves++;
		st->rested = 0;
		return;
	}
	while (k->n - 1 > at)
		gn_stack_pop(st, s, k, GN_END_UNWOUND);
	gn_stack_pop(st, s, k, GN_END_LEFT);
}

/*
 * Whether the function that leaves at `key` switches stacks, as swapcontext()
 * does: it was called on another stack just before. It leaves on a new stack,
 * or on one that such a function left earlier. Stacks in one mapping are told
 * apart by distance: no such function's frame is that large.
 */
static bool is_switch(const struct gn_stacks *st, uint64_t key, uint32_t func)
{
	const struct gn_stack *k = st->active;
	const struct gn_frame *f = k->n ? &k->frames[k->n - 1] : NULL;

	if (st->left)
		return st->left == func;
	return f && f->func == func &&
	       (f->key > key ? f->key - key : key - f->key) >= GN_STACK_FAR;
}

/*
 * Whether the function on top leaves into a frame above its caller's, as
 * OCaml's caml_raise_exn() does: it sets the stack pointer to the handler's
 * frame and returns there. No call of it was made at that key.
 */
static bool is_raise(const struct gn_stack *k, uint64_t key, uint32_t func)
{
	uint32_t i = k->n;

	if (!i || k->frames[i - 1].func != func ||
	    k->frames[i - 1].key >= key || gn_pending_has(k, key, func))
		return false;
	while (i && k->frames[i - 1].key < key)
		i--;
	return !i || k->frames[i - 1].key != key ||
	       k->frames[i - 1].func != func;
}

void gn_stacks_leave(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		     uint32_t func, bool jump)
{
	struct gn_stack *k = st->active;
	const struct gn_frame *f;
	bool switched, raised;

	if (GN_FUNC_IS_NUMBERED(func)) {
		leave_numbered(st, s, k, (uint32_t)key, func);
		return;
	}
	if (!key) {
		leave_keyless(st, s, k, func);
		return;
	}
	switched = is_switch(st, key, func);
	raised = !switched && is_raise(k, key, func);
	if (raised)
		gn_stack_pop(st, s, k, GN_END_LEFT);
	gn_pending_below(st, s, k, key);
	gn_stack_unwind(st, s, k, key);
	f = k->n ? &k->frames[k->n - 1] : NULL;
	if (f && f->key == key && (f->func == func || switched)) {
		gn_stack_pop(st, s, k, GN_END_LEFT);
		if (!jump)
			gn_pending_due(k, key);
	} else if (!raised && !gn_pending_take(s, k, key, func) && !switched) {
		s->checks.unmatched_leaves++;
	}
}
