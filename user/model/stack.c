// SPDX-License-Identifier: BSD-2-Clause
#include "model/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/walk.h"

static struct gn_stack *new_stack(struct gn_stacks *st)
{
	struct gn_stack *k = calloc(1, sizeof(*k));

	if (k)
		k->id = ++st->ids;
	return k;
}

static void free_stack(struct gn_stack *k)
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
	st->first = new_stack(st);
	st->active = st->next = st->first;
	st->main = st->ids;
	return st->first ? 0 : -ENOMEM;
}

void gn_stacks_free(struct gn_stacks *st)
{
	uint32_t i;

	for (i = 0; i < st->nmapped; i++)
		free_stack(st->mapped[i]);
	free_stack(st->first);
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

uint64_t gn_stack_marked(const struct gn_stack *k, uint64_t key)
{
	uint32_t i = k->nmarks;

	while (i && k->marks[i - 1].key < key)
		i--;
	return i ? k->marks[i - 1].time : 0;
}

struct gn_stack *gn_stacks_current(const struct gn_stacks *st)
{
	return st->interrupted && !st->active->n ? st->interrupted : st->active;
}

static struct gn_stack *owner_of(const struct gn_stacks *st)
{
	struct gn_stack *k = gn_stacks_current(st);

	return st->next != st->active && (st->next->n || !k->n) ? st->next : k;
}

uint32_t gn_stacks_owner(const struct gn_stacks *st)
{
	const struct gn_stack *owner = owner_of(st);

	return owner->n ? owner->frames[owner->n - 1].node : st->root;
}

uint64_t gn_stacks_owner_id(const struct gn_stacks *st)
{
	return owner_of(st)->id;
}

uint32_t gn_stacks_charge_open(struct gn_stacks *st, uint64_t elapsed,
			       bool *outside)
{
	struct gn_stack *owner = owner_of(st);

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

uint32_t gn_stacks_top(const struct gn_stacks *st, const struct gn_tree *tree)
{
	const struct gn_stack *k = gn_stacks_current(st);

	return k && k->n ? tree->nodes[k->frames[k->n - 1].node].fn : GN_NONE;
}

void gn_stack_end_frame(struct gn_stacks *st, struct gn_stage *s,
			const struct gn_stack *k, const struct gn_frame *f,
			enum gn_frame_end how)
{
	if (f->flags & GN_FRAME_INHERITED)
		return;
	switch (how) {
	case GN_END_OPEN:
		s->checks.open_frames++;
		return;
	case GN_END_UNWOUND:
	case GN_END_CAUGHT:
		s->checks.unwound_frames++;
		s->tree.nodes[f->node].unwound++;
		st->unwound++;
		if (how == GN_END_UNWOUND)
			return;
		break;
	case GN_END_LEFT:
	case GN_END_AGAIN:
	case GN_END_SUSPENDED:
		break;
	}
	gn_tree_finish_call(&s->tree, f->node, k->clock - f->start);
}

/* Drops the open unwind of a frame that is gone. It cannot end any more, so the
 * exception was caught. */
static void drop_unwind(struct gn_stacks *st, const struct gn_stack *k,
			const struct gn_frame *f)
{
	while (st->nunwinds) {
		const struct gn_unwind *u = &st->unwinds[st->nunwinds - 1];

		if (!u->found || u->stack != k->id || u->key != f->key ||
		    u->func != f->func)
			break;
		st->nunwinds--;
	}
}

void gn_stack_pop(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		  enum gn_frame_end how)
{
	struct gn_frame *f = &k->frames[--k->n];

	gn_stack_end_frame(st, s, k, f, how);
	gn_walk_leave(s, k, how);
	if (st->nunwinds)
		drop_unwind(st, k, f);
}

static void end_stack(struct gn_stacks *st, struct gn_stage *s,
		      struct gn_stack *k, enum gn_frame_end how)
{
	while (k->n)
		gn_stack_pop(st, s, k, how);
	gn_pending_end(st, s, k, how);
}

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
		drop_unwind(st, k, f);
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

int gn_stack_grow(struct gn_stage *s, struct gn_stack *k, size_t need)
{
	uint32_t before = k->cap;

	if (need <= before)
		return 0;
	if (s->most_frames && s->frames + need - before > s->most_frames)
		return -ENOSPC;
	if (gn_grow(&k->frames, &k->cap, need, sizeof(*k->frames)))
		return -ENOMEM;
	s->frames += k->cap - before;
	return 0;
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
	struct gn_frame f = gn_frame_of(key, func);
	int err = 0;

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

/* Ends what is where the function goes on. Whether it was suspended: it is not
 * on top of the stack. */
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
	const struct gn_frame f = gn_frame_of(key, func);
	struct gn_stack *k = st->active;
	int err = 0;

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

	if (k->n && top_func(k) == func)
		k->frames[k->n - 1].await = number & 0x3fff;
}

void gn_stacks_suspend(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		       uint32_t func)
{
	struct gn_stack *k = st->active;

	if (GN_FUNC_IS_NUMBERED(func)) {
		end_down_to(st, s, k, outside(k, (uint32_t)key - 1),
			    GN_END_SUSPENDED);
		return;
	}
	gn_pending_below(st, s, k, key);
	while (k->n && k->frames[k->n - 1].key < key)
		gn_stack_pop(st, s, k, GN_END_SUSPENDED);
}

uint32_t gn_stack_find_func(const struct gn_stack *k, uint32_t func)
{
	uint32_t i, end = k->n > GN_SEARCH_MAX ? k->n - GN_SEARCH_MAX : 0;

	for (i = k->n; i > end; i--)
		if (k->frames[i - 1].func == func)
			return i - 1;
	return GN_NONE;
}

static void leave_keyless(struct gn_stacks *st, struct gn_stage *s,
			  struct gn_stack *k, uint32_t func)
{
	uint32_t at = gn_stack_find_func(k, func);

	if (at == GN_NONE) {
		s->checks.unmatched_leaves++;
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

static void unmap(struct gn_stacks *st, uint32_t at)
{
	st->nmapped--;
	memmove(&st->mapped[at], &st->mapped[at + 1],
		(st->nmapped - at) * sizeof(*st->mapped));
}

/* Needs room in st->mapped. */
static void map(struct gn_stacks *st, struct gn_stack *k, uint64_t lo,
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
	k = new_stack(st);
	if (k)
		map(st, k, lo, hi);
	return k;
}

static void retire(struct gn_stacks *st, struct gn_stage *s, uint32_t at)
{
	struct gn_stack *k = st->mapped[at];

	unmap(st, at);
	end_stack(st, s, k, GN_END_UNWOUND);
	if (st->interrupted == k)
		st->interrupted = NULL;
	free_stack(k);
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
		k = new_stack(st);
	}
	if (!k)
		return -ENOMEM;
	map(st, k, lo, hi);
	k->signal = signal;
	k->used = ++st->switches;
	st->next = k;
	return 0;
}

int gn_stacks_restart(struct gn_stacks *st, struct gn_stage *s)
{
	struct gn_stack *k = new_stack(st);

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
