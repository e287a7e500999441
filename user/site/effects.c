// SPDX-License-Identifier: BSD-2-Clause
/* What a function does: how it ends, what it calls, how it uses its stack. */
#include <string.h>

#include "site/site_internal.h"

static void blame(const char **why, const char *reason)
{
	if (!*why)
		*why = reason;
}

/* Whether the instruction accesses the return address. A ret does not count,
 * nor does the copy that a realigned frame keeps for unwinders. */
static bool touches_return(const struct gn_body *b, const struct gn_state *s,
			   const struct gn_insn *in)
{
	const struct gn_mem *m = &in->mem;
	int64_t at;

	if (in->effect == GN_EFF_POP && gn_rsp_is(s, 0))
		return true;
	if (!m->used || m->base == GN_NO_REG || m->index != GN_NO_REG ||
	    s->reg[m->base].kind != GN_V_KNOWN || in->nop)
		return false;
	if (in->effect == GN_EFF_PUSH && m->base == b->drap)
		return false;
	at = s->reg[m->base].n + m->disp;
	return at < 8 && at + m->size > 0;
}

/* Why rsp may leave this function's frame; NULL: it does not. */
static const char *leaves_frame(const struct gn_state *s,
				const struct gn_insn *in)
{
	static const char loads[] = "it loads the stack pointer";

	if (in->effect == GN_EFF_LEAVE)
		return gn_value_own(&s->reg[GN_RBP]) ? NULL : loads;
	if (in->kills & 1u << GN_RSP ||
	    (in->dst == GN_RSP && in->effect == GN_EFF_ADD_REG))
		return "it moves the stack pointer by an unknown amount";
	if (in->dst != GN_RSP)
		return NULL;
	switch (in->effect) {
	case GN_EFF_POP:
	case GN_EFF_LOAD:
	case GN_EFF_LOAD4:
	case GN_EFF_CONST:
		return loads;
	case GN_EFF_COPY:
		return gn_value_own(&s->reg[in->src]) ? NULL : loads;
	default:
		return NULL;
	}
}

/* Adds a way out, up to a limit that real code does not reach: each would be a
 * probe. */
static int add_exit(struct gn_body *b, size_t i, enum gn_site_kind kind,
		    uint64_t target, const char *import)
{
	int err;

	b->marks[i].flags |= GN_MARK_EXIT;
	if (b->nexits == GN_EXITS_MAX) {
		blame(&b->leaves, "it has too many ways out");
		return 0;
	}
	err = gn_grow_by_one(&b->exits, &b->exits_room, b->nexits,
			     sizeof(*b->exits));
	if (!err)
		b->exits[b->nexits++] =
			(struct gn_exit){i, kind, target, import};
	return err;
}

static int add_call(struct gn_body *b, uint64_t target, bool tail)
{
	int err = gn_grow_by_one(&b->calls, &b->calls_room, b->ncalls,
				 sizeof(*b->calls));

	if (!err)
		b->calls[b->ncalls++] = (struct gn_call){target, tail};
	return err;
}

/*
 * Whether `target` is right after a part of the function but does not continue
 * it: padding, or the beginning of another function. A compiler lets code that
 * is never reached (after a call that does not return) run or jump there, with
 * the frame set up. Pieces of a function have a dot in their names.
 */
static bool is_nowhere(const struct gn_body *b, uint64_t target)
{
	const struct gn_elf_symbol *to = gn_symbol_at(b->elf, target);
	const size_t most = 16; /* bytes of padding */
	const uint8_t *bytes = gn_elf_code(b->elf, target, most);
	bool behind = false;
	struct gn_insn in;
	size_t start;

	for (size_t p = 0; p < b->nparts; p++)
		behind |= b->parts[p].end == target;
	if (!behind)
		return false;
	if (gn_start_at(b->elf, target, &start))
		return to && !to->is_cold && !strchr(to->name, '.');
	return bytes && !gn_symbol_over(b->elf, target) &&
	       gn_decode(bytes, most, target, &in) && in.nop;
}

/* A jump to code outside of the function. */
static int jump_out(struct gn_body *b, size_t i, const struct gn_state *s)
{
	const struct gn_insn *in = &b->insns[i];
	const struct gn_elf_symbol *to = gn_symbol_at(b->elf, in->target);
	const char *import;
	bool entry = (to && !to->is_cold) ||
		     gn_plt_entry(b->elf, in->target, &import);
	bool top = gn_rsp_is(s, 0);
	bool framed = s->reg[GN_RSP].kind == GN_V_KNOWN && !top;
	int err;

	if (framed && is_nowhere(b, in->target))
		return 0;
	err = gn_body_place(b, in->target);
	if (err < 0)
		return err;
	entry |= err == GN_PLACE_FUNCTION || err == GN_PLACE_TAIL;

	if (in->flow == GN_FLOW_JCC && in->condition == GN_NO_CONDITION)
		blame(&b->leaves, "a jump leaves it on a condition that is not "
				  "in the flags");
	else if (framed)
		blame(&b->leaves, "it jumps into other code with its own frame "
				  "still on the stack");
	else if (!entry && !top)
		blame(&b->leaves, "it jumps to code of unknown use");
	else if (!entry && !gn_symbol_over(b->elf, in->target))
		blame(&b->leaves, "it jumps to nameless code that may be a "
				  "part of itself");
	err = add_call(b, in->target, true);
	return err ? err : add_exit(b, i, GN_SITE_TAIL, in->target, NULL);
}

static void unknown_inside(struct gn_body *b, const struct gn_state *s)
{
	const size_t most = sizeof(b->jumps_rsp) / sizeof(b->jumps_rsp[0]);
	const struct gn_value *v = &s->reg[GN_RSP];

	b->jumps_unknown = true;
	blame(&b->closed, "it has a jump table that cannot be read");
	for (size_t i = 0; i < b->njumps_rsp; i++)
		if (v->kind == GN_V_KNOWN && b->jumps_rsp[i] == v->n)
			return;
	if (v->kind != GN_V_KNOWN || b->njumps_rsp == most)
		b->jumps_anywhere = true;
	else
		b->jumps_rsp[b->njumps_rsp++] = v->n;
}

static int jump_indirect(struct gn_body *b, size_t i, const struct gn_state *s)
{
	struct gn_jump jump = gn_jump_class(b, s, &b->insns[i]);

	switch (jump.class) {
	case GN_JUMP_TABLE:
		return 0;
	case GN_JUMP_INSIDE:
		unknown_inside(b, s);
		return 0;
	case GN_JUMP_UNKNOWN:
		unknown_inside(b, s);
		b->tails_hidden = true;
		blame(&b->leaves, "it has an indirect jump that may leave it");
		return 0;
	default:
		b->tails_hidden |=
			!jump.import || !gn_benign_import(jump.import);
		if (b->tails_hidden)
			blame(&b->closed, "it ends in an indirect jump");
		return add_exit(b, i, GN_SITE_TAIL, 0, jump.import);
	}
}

/*
 * A ret is the function's leave if rsp is what it was at the entry. If rsp is
 * not known, the ret still serves as a leave, but proves nothing. In code that
 * only exceptions or unread tables reach, rsp is never known, so that is no
 * objection. Whether it is code is checked later.
 */
static void look_at_ret(struct gn_body *b, const struct gn_state *s, bool seed)
{
	const char *why = "its stack pointer could not be followed to a return";

	if (gn_rsp_is(s, 0) || (seed && s->reg[GN_RSP].kind == GN_V_STACK))
		return;
	if (s->reg[GN_RSP].kind == GN_V_KNOWN) {
		why = "it returns with another stack pointer than it was "
		      "entered with";
		blame(&b->leaves, why);
	}
	blame(&b->benign, why);
	blame(&b->closed, why);
}

static int look(struct gn_body *b, size_t i, const struct gn_state *s,
		bool seed)
{
	const struct gn_insn *in = &b->insns[i];
	const char *import, *why;

	if (touches_return(b, s, in))
		blame(&b->benign, "it looks at its own return address");
	why = leaves_frame(s, in);
	if (why) {
		blame(&b->closed, why);
		blame(&b->benign, why);
		blame(&b->frame, why);
	}
	if (s->reg[GN_RSP].kind == GN_V_KNOWN && s->reg[GN_RSP].n > 0)
		blame(&b->benign, "it takes its return address off the stack");
	switch (in->flow) {
	case GN_FLOW_RET:
		look_at_ret(b, s, seed);
		return add_exit(b, i, GN_SITE_LEAVE, 0, NULL);
	case GN_FLOW_CALL:
		return gn_body_holds(b, in->target)
			       ? 0
			       : add_call(b, in->target, false);
	case GN_FLOW_CALL_IND:
		import = in->mem.used && in->mem.base == GN_NO_REG &&
					 in->mem.index == GN_NO_REG
				 ? gn_elf_import(b->elf, (uint64_t)in->mem.disp)
				 : NULL;
		if (!import)
			blame(&b->closed, "it has an indirect call");
		else if (!gn_benign_import(import))
			blame(&b->closed, "it calls another library");
		return 0;
	case GN_FLOW_JMP:
	case GN_FLOW_JCC:
		return gn_body_holds(b, in->target) ||
				       gn_body_jumps_nowhere(b, i, s)
			       ? 0
			       : jump_out(b, i, s);
	case GN_FLOW_JMP_IND:
		return jump_indirect(b, i, s);
	case GN_FLOW_OTHER:
		blame(&b->leaves, "it has a far branch");
		blame(&b->closed, "it has a far branch");
		return 0;
	default:
		return 0;
	}
}

/* Instruction i is the last of a part, and control continues after it. */
static void runs_out(struct gn_body *b, size_t i, bool after_call)
{
	enum gn_flow flow = b->insns[i].flow;

	if (after_call || (flow != GN_FLOW_NEXT && flow != GN_FLOW_JCC))
		return; /* a call that does not return, or a jump */
	blame(&b->leaves, "it runs on into the code behind it");
	blame(&b->closed, "it runs on into the code behind it");
	b->tails_hidden = true;
}

/* Keeps the part of the state that is needed later. */
static void note(struct gn_mark_of *m, const struct gn_state *s)
{
	const struct gn_value *rsp = &s->reg[GN_RSP];

	if (rsp->kind == GN_V_KNOWN)
		m->depth = (int32_t)rsp->n;
	if (gn_value_own(&s->reg[GN_RBP]))
		m->flags |= GN_MARK_FRAME;
}

static int part_effects(struct gn_body *b, const struct gn_part *part)
{
	size_t i = part->first, end = i + part->count;
	bool known = false, seed = false, after_call = false;
	struct gn_state s;

	for (; i < end; i++) {
		const struct gn_insn *in = &b->insns[i];
		int err;

		b->marks[i].depth = GN_NO_DEPTH;
		if (b->marks[i].state) {
			s = b->states[b->marks[i].state - 1];
			seed = b->marks[i].flags & GN_MARK_SEED;
			known = true;
		}
		if (!known || !(b->marks[i].flags & GN_MARK_SEEN)) {
			known = false;
			continue;
		}
		note(&b->marks[i], &s);
		if (seed) {
			b->marks[i].flags |= GN_MARK_STRAY;
			b->strays = true;
		}
		err = look(b, i, &s, seed);
		if (err)
			return err;
		gn_state_apply(&s, in, b->drap);
		after_call = in->flow == GN_FLOW_CALL ||
			     in->flow == GN_FLOW_CALL_IND ||
			     (after_call && in->nop);
		if (i + 1 == end)
			runs_out(b, i, after_call);
	}
	return 0;
}

int gn_body_effects(struct gn_body *b)
{
	int err = 0;

	b->labels = gn_body_takes_labels(b);
	for (size_t p = 0; !err && p < b->nparts; p++)
		err = part_effects(b, &b->parts[p]);
	if (!err && b->strays)
		gn_body_strays(b);
	return err;
}
