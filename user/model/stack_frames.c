/* SPDX-License-Identifier: BSD-2-Clause */
/* The frames of one stack. */
#include "model/stack.h"

#include <errno.h>

#include "model/mem.h"
#include "model/walk.h"

uint64_t gn_stack_marked(const struct gn_stack *k, uint64_t key)
{
	uint32_t i = k->nmarks;

	while (i && k->marks[i - 1].key < key)
		i--;
	return i ? k->marks[i - 1].time : 0;
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

void gn_stack_drop_unwind(struct gn_stacks *st, const struct gn_stack *k,
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
		gn_stack_drop_unwind(st, k, f);
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
