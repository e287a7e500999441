// SPDX-License-Identifier: BSD-2-Clause
/*
 * The control-flow graph of a decoded function: the register state at the start
 * of each block, and from that, where the function ends and what it does to its
 * stack. At any instruction rsp has one depth, whichever path leads there. If
 * two paths disagree, one of them is never taken: the one after a call that
 * does not return. Such edges are followed last.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "site/site_internal.h"

static int enqueue(struct gn_body *b, size_t i)
{
	int err;

	if (b->marks[i].flags & GN_MARK_QUEUED)
		return 0;
	err = gn_grow_by_one(&b->queue, &b->queue_room, b->nqueue,
			     sizeof(*b->queue));
	if (err)
		return err;
	b->marks[i].flags |= GN_MARK_QUEUED;
	b->queue[b->nqueue++] = i;
	return 0;
}

/* Limit of blocks and of deferred edges: each keeps all registers. */
#define STATES_MAX (1u << 18)

static bool work(struct gn_body *b)
{
	return gn_body_work(b, 1);
}

/* Records that control reaches instruction i with state s. */
static int arrive(struct gn_body *b, size_t i, const struct gn_state *s,
		  bool seed)
{
	struct gn_mark_of *m = &b->marks[i];
	int err;

	if (!work(b))
		return 0;
	if (!m->state && b->nstates == STATES_MAX)
		return gn_body_give_up(b);
	if (!m->state) {
		err = gn_grow_by_one(&b->states, &b->states_room, b->nstates,
				     sizeof(*b->states));
		if (err)
			return err;
		b->states[b->nstates++] = *s;
		m->state = (uint32_t)b->nstates;
		m->flags |= GN_MARK_LEADER | (seed ? GN_MARK_SEED : 0);
		return enqueue(b, i);
	}
	/* a state from an unknown source must not change a known one */
	if (seed && !(m->flags & GN_MARK_SEED))
		return 0;
	if (gn_state_meet(&b->states[m->state - 1], s))
		return enqueue(b, i);
	return 0;
}

static int defer(struct gn_body *b, size_t i, const struct gn_state *s)
{
	int err;

	if (b->ndeferred == STATES_MAX)
		return gn_body_give_up(b);
	err = gn_grow_by_one(&b->deferred, &b->deferred_room, b->ndeferred,
			     sizeof(*b->deferred));
	if (!err)
		b->deferred[b->ndeferred++] = (struct gn_edge){i, *s};
	return err;
}

static int jump_to(struct gn_body *b, uint64_t target, const struct gn_state *s,
		   bool seed)
{
	size_t to =
		gn_body_holds(b, target) ? gn_body_find(b, target) : SIZE_MAX;

	if (to == SIZE_MAX)
		return 0;
	/* so far this was in the middle of a block */
	if (!(b->marks[to].flags & GN_MARK_LEADER))
		b->again = true;
	b->marks[to].flags |= GN_MARK_LEADER | GN_MARK_TARGET;
	return arrive(b, to, s, seed);
}

/*
 * A jump can lead to, or into, a part of the function that has no name: a cold
 * part in a stripped file. The unwind table says where it begins. It belongs to
 * the function if no other code refers to its beginning, or if the function's
 * frame is still set up.
 */
static int find_part(struct gn_body *b, uint64_t target,
		     const struct gn_state *s)
{
	const struct gn_value *rsp = &s->reg[GN_RSP];
	const uint64_t *starts;
	uint64_t begin, end;
	const char *import;
	int place;
	size_t i;

	/* the table has a single entry for all of the PLT */
	if (gn_symbol_over(b->elf, target) ||
	    !gn_start_over(b->elf, target, &i) ||
	    gn_plt_entry(b->elf, target, &import))
		return 0;
	gn_elf_starts(b->elf, &starts);
	begin = starts[i];
	end = gn_start_end(b->elf, i);
	if (target >= end)
		return 0;
	place = gn_body_place(b, begin);
	if (place < 0)
		return place;
	if (place == GN_PLACE_FUNCTION ||
	    (place != (begin == target ? GN_PLACE_PART : GN_PLACE_UNUSED) &&
	     (rsp->kind != GN_V_KNOWN || !rsp->n)))
		return 0;
	if (gn_body_add_part(b, begin, end))
		b->again = true;
	return 0;
}

static void mark_table(struct gn_body *b, uint64_t target)
{
	size_t to = gn_body_find(b, target);

	if (to != SIZE_MAX)
		b->marks[to].flags |= GN_MARK_TABLE;
}

/* Notes the beginning of a table. One that was read beyond that ends there. */
static struct gn_table *find_table(struct gn_body *b, uint64_t begin)
{
	struct gn_table *t;

	for (size_t i = 0; i < b->ntables; i++) {
		t = &b->tables[i];
		if (t->begin == begin)
			return t;
		if (begin > t->begin && begin < t->end)
			b->again = true;
	}
	if (b->ntables == GN_TABLES_MAX)
		return NULL;
	t = &b->tables[b->ntables++];
	t->begin = begin;
	return t;
}

/* Returns where the next table begins. */
static uint64_t table_limit(const struct gn_body *b, uint64_t begin)
{
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < b->ntables; i++)
		if (b->tables[i].begin > begin && b->tables[i].begin < limit)
			limit = b->tables[i].begin;
	return limit;
}

/*
 * A table does not say how long it is. After it there is often another table,
 * of this function or of the next. Its entries count from another base: they
 * lead out of this function, between its instructions or, by chance, to one.
 */
static int jump_indirect(struct gn_body *b, const struct gn_insn *in,
			 const struct gn_state *s, bool seed)
{
	struct gn_jump jump = gn_jump_class(b, s, in);
	struct gn_table *table;
	uint64_t target = 0, at = jump.table, limit;
	size_t start;
	int err = 0;

	if (jump.class != GN_JUMP_TABLE)
		return 0;
	table = find_table(b, at);
	limit = table_limit(b, at);
	for (size_t i = 0; !err && work(b) && at < limit &&
			   gn_jump_entry(b, &jump, i, &target) &&
			   gn_body_find(b, target) != SIZE_MAX;
	     i++, at += jump.width) {
		err = jump_to(b, target, s, seed);
		mark_table(b, target);
	}
	if (table)
		table->end = at;
	/* the entry that ended the table may point to a cold part */
	if (!err && gn_body_add_cold(b, target))
		b->again = true;
	/* or to the beginning of a nameless one; an address within one may be
	 * the first entry of the next function's table */
	else if (!err && gn_start_at(b->elf, target, &start))
		err = find_part(b, target, s);
	return err;
}

/* Whether a part ends with instruction i. */
static bool last_of_part(const struct gn_body *b, size_t i)
{
	for (size_t p = 0; p < b->nparts; p++)
		if (i + 1 == b->parts[p].first + b->parts[p].count)
			return true;
	return false;
}

/* Interprets one block. */
static int run_block(struct gn_body *b, size_t i)
{
	struct gn_state s = b->states[b->marks[i].state - 1];
	bool seed = b->marks[i].flags & GN_MARK_SEED, after_call = false;
	int err = 0;

	for (;; i++) {
		const struct gn_insn *in = &b->insns[i];
		bool last = last_of_part(b, i);

		if (!work(b))
			return 0;
		b->marks[i].flags |= GN_MARK_SEEN;
		if (in->effect == GN_EFF_COPY && in->dst != GN_RSP &&
		    s.reg[in->src].kind == GN_V_KNOWN &&
		    s.reg[in->src].n + in->imm == 8)
			b->drap = in->dst;
		gn_state_apply(&s, in, b->drap);
		switch (in->flow) {
		case GN_FLOW_JMP:
		case GN_FLOW_JCC:
			if (gn_body_jumps_nowhere(b, i, &s))
				return 0;
			if (!gn_body_holds(b, in->target))
				err = find_part(b, in->target, &s);
			if (!err)
				err = jump_to(b, in->target, &s, seed);
			if (err || in->flow == GN_FLOW_JMP || last)
				return err;
			return arrive(b, i + 1, &s, seed);
		case GN_FLOW_JMP_IND:
			return jump_indirect(b, in, &s, seed);
		case GN_FLOW_RET:
		case GN_FLOW_STOP:
		case GN_FLOW_OTHER:
			return 0;
		default:
			break;
		}
		after_call = in->flow == GN_FLOW_CALL ||
			     in->flow == GN_FLOW_CALL_IND ||
			     (after_call && in->nop);
		if (last)
			return 0;
		if (!(b->marks[i + 1].flags & GN_MARK_LEADER))
			continue;
		if (after_call)
			return defer(b, i + 1, &s);
		return arrive(b, i + 1, &s, seed);
	}
}

static int drain(struct gn_body *b)
{
	while (b->nqueue) {
		size_t i = b->queue[--b->nqueue];
		int err;

		b->marks[i].flags &= (uint16_t)~GN_MARK_QUEUED;
		err = run_block(b, i);
		if (err)
			return err;
	}
	return 0;
}

static bool same_depth(const struct gn_state *a, const struct gn_state *b)
{
	return a->reg[GN_RSP].kind == b->reg[GN_RSP].kind &&
	       a->reg[GN_RSP].n == b->reg[GN_RSP].n;
}

static int drain_deferred(struct gn_body *b)
{
	int err = drain(b);

	while (!err && b->ndeferred) {
		struct gn_edge e = b->deferred[--b->ndeferred];
		uint32_t state = b->marks[e.to].state;

		if (state && !same_depth(&b->states[state - 1], &e.state))
			continue;
		err = arrive(b, e.to, &e.state, false);
		if (!err)
			err = drain(b);
	}
	return err;
}

/* Whether rbp is a frame pointer: it is only set from rsp or restored. */
static bool keeps_frame_pointer(const struct gn_body *b)
{
	bool set = false;

	for (size_t i = 0; i < b->ninsns; i++) {
		const struct gn_insn *in = &b->insns[i];

		if (in->kills & 1u << GN_RBP)
			return false;
		if (in->dst != GN_RBP || in->effect == GN_EFF_POP)
			continue;
		if (in->effect != GN_EFF_COPY || in->src != GN_RSP)
			return false;
		set = true;
	}
	return set;
}

/* Follows code that no known edge reaches: landing pads of exceptions, or
 * targets of a table that could not be read. It runs in the function's frame,
 * at an unknown depth. */
static int run_rest(struct gn_body *b)
{
	struct gn_state s;

	memset(&s, 0, sizeof(s));
	s.reg[GN_RSP].kind = GN_V_STACK;
	b->frame_pointer = keeps_frame_pointer(b);
	if (b->frame_pointer)
		s.reg[GN_RBP].kind = GN_V_STACK;
	for (size_t i = 0; i < b->ninsns; i++) {
		int err;

		if (b->marks[i].flags & GN_MARK_SEEN || b->insns[i].nop ||
		    b->insns[i].flow == GN_FLOW_STOP)
			continue;
		err = arrive(b, i, &s, true);
		if (!err)
			err = drain_deferred(b);
		if (err)
			return err;
	}
	return 0;
}

static void forget(struct gn_body *b)
{
	for (size_t i = 0; i < b->ninsns; i++) {
		b->marks[i].state = 0;
		b->marks[i].flags &=
			GN_MARK_LEADER | GN_MARK_TARGET | GN_MARK_TABLE;
	}
	b->nstates = b->nqueue = b->ndeferred = 0;
}

static int run(struct gn_body *b)
{
	struct gn_state s;
	int err;

	b->nstates = b->nqueue = b->ndeferred = 0;
	if (!b->ninsns)
		return 0;
	gn_state_entry(&s);
	err = arrive(b, 0, &s, false);
	if (!err)
		err = drain_deferred(b);
	return err;
}

int gn_body_follow(struct gn_body *b)
{
	/* each round may find a jump table or part that is new; a function that
	 * needs more rounds than this is not understood */
	const int rounds = 12;
	int err = 0;

	for (int i = 0; i < rounds; i++) {
		size_t parts = b->nparts;

		b->again = false;
		err = run(b);
		if (err || !b->again)
			break;
		if (b->nparts != parts)
			err = gn_body_decode(b);
		else
			forget(b);
		if (err)
			return err;
	}
	if (!err && b->again)
		b->whole = "its jumps could not be followed to an end";
	if (!err)
		err = run_rest(b);
	if (!err)
		err = gn_body_effects(b);
	return err;
}
