// SPDX-License-Identifier: BSD-2-Clause
/* Chooses the cheapest enter site in the entry block. */
#include <errno.h>
#include <string.h>

#include <gnomon/hook.h>

#include "site/site_internal.h"

/* From cheap to expensive. NEVER is not used even if there is no other. */
enum rank {
	RANK_PUSH = 0, /* emulated by every kernel */
	RANK_NOP,      /* emulated by newer kernels, harmless on all */
	RANK_STEPPED,
	RANK_NEVER,
};

static enum rank rank_of(enum gn_cost cost, const struct gn_insn *in)
{
	switch (cost) {
	case GN_COST_EMULATED:
		return in->nop && in->len > 2 ? RANK_NOP : RANK_PUSH;
	case GN_COST_STEPPED:
		return RANK_STEPPED;
	default:
		/* nop5: the call that the kernel writes there kills a forked
		 * child, and overwrites what a leaf function keeps below rsp */
		return RANK_NEVER;
	}
}

/* A function that is believed never to return has no exits. */
static bool is_exit(const struct gn_body *b, size_t i)
{
	return b->nexits && b->marks[i].flags & GN_MARK_EXIT;
}

/* Whether a jump of the function can reach instruction i, where rsp is the
 * entry's + depth. In code with endbr64, each label of an indirect jump has its
 * own: a label at the beginning is after the function's. */
static bool can_come_back(const struct gn_body *b, size_t i, int64_t depth)
{
	if (b->marks[i].flags & GN_MARK_TARGET)
		return true;
	if (!b->jumps_unknown || (!i && b->insns[0].endbr))
		return false;
	if (b->jumps_anywhere)
		return true;
	for (size_t j = 0; j < b->njumps_rsp; j++)
		if (b->jumps_rsp[j] == depth)
			return true;
	return false;
}

static void take(const struct gn_body *b, const struct gn_insn *in,
		 int64_t depth, struct gn_plan *plan)
{
	plan->enter = (struct gn_site){
		.kind = GN_SITE_ENTER,
		.addr = in->addr,
		.adjust = (uint32_t)(8 - depth),
	};
	if (gn_site_fill(b->elf, &plan->enter))
		plan->refused = "its code has no place in the file";
}

/* Whether an instruction calls the function that grows a stack in Go. */
static bool makes_stack(const struct gn_body *b, const struct gn_insn *in)
{
	static const char name[] = "runtime.morestack";
	const struct gn_elf_symbol *symbol = gn_symbol_at(b->elf, in->target);

	return symbol && !strncmp(symbol->name, name, sizeof(name) - 1);
}

/* Whether instruction i leads to code that only grows the stack, and then
 * begins the function again. */
static bool begins_again(const struct gn_body *b, size_t i)
{
	const size_t most = 256; /* instructions: it saves the arguments */
	size_t begin = gn_body_find(b, b->insns[i].target), at = begin;
	const struct gn_insn *in;

	for (; at < b->ninsns && at - begin < most; at++) {
		in = &b->insns[at];
		if (in->flow == GN_FLOW_JMP)
			return in->target == b->addr;
		if ((in->flow != GN_FLOW_CALL || !makes_stack(b, in)) &&
		    in->flow != GN_FLOW_NEXT)
			return false;
		if (at + 1 < b->ninsns && in[1].addr != in->addr + in->len)
			return false;
	}
	return false;
}

static size_t count_jumps_to_begin(const struct gn_body *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->ninsns; i++)
		n += (b->insns[i].flow == GN_FLOW_JMP ||
		      b->insns[i].flow == GN_FLOW_JCC) &&
		     b->insns[i].target == b->addr;
	return n;
}

/*
 * Returns the first instruction after the stack checks, else 0. Functions of Go
 * that need stack begin with such a check: if there is too little, the function
 * calls code that grows it, and begins again. After the checks each call passes
 * once.
 */
static size_t behind_checks(const struct gn_body *b)
{
	size_t begin = 0, n = b->parts[0].count;

	if (!n || !(b->marks[0].flags & GN_MARK_TARGET) || b->jumps_unknown ||
	    count_jumps_to_begin(b) != 1)
		return 0;
	for (size_t i = 0; i + 1 < n && !b->insns[i].slow; i++) {
		if (i && ((b->marks[i].flags & GN_MARK_TARGET) ||
			  gn_symbol_at(b->elf, b->insns[i].addr)))
			break;
		if (b->insns[i].flow == GN_FLOW_JCC && begins_again(b, i))
			begin = i + 1;
		else if (b->insns[i].flow != GN_FLOW_NEXT)
			break;
	}
	return begin;
}

void gn_enter_choose(const struct gn_body *b, enum gn_leave_mode leave,
		     struct gn_plan *plan)
{
	enum rank best = RANK_NEVER;
	const char *why = "none of its first instructions can be probed";
	size_t begin = behind_checks(b);
	struct gn_state s;

	plan->begins_again = b->parts[0].count && can_come_back(b, 0, 0);
	gn_state_entry(&s);
	for (size_t i = 0; i < begin; i++)
		gn_state_apply(&s, &b->insns[i], GN_NO_REG);
	for (size_t i = begin; i < b->parts[0].count; i++) {
		const struct gn_insn *in = &b->insns[i];
		int64_t depth = s.reg[GN_RSP].n;
		const uint8_t *bytes;
		enum rank rank;
		size_t size;

		/* a later probe could be hit more than once per call, or where
		 * rsp is not known */
		if (s.reg[GN_RSP].kind != GN_V_KNOWN || depth > 0 ||
		    8 - depth > GN_ADJUST_MAX ||
		    (leave == GN_LEAVE_RETURN && depth))
			break;
		if ((b->marks[i].flags & GN_MARK_TARGET) ||
		    (i && gn_symbol_at(b->elf, in->addr))) {
			if (!i)
				why = "a loop comes back to its first "
				      "instruction";
			break;
		}
		bytes = gn_body_bytes(b, in->addr, &size);
		rank = rank_of(gn_cost_of(bytes, size, in->addr, NULL, NULL),
			       in);
		if (can_come_back(b, i, depth))
			rank = RANK_NEVER;
		if (leave == GN_LEAVE_RET && is_exit(b, i)) {
			if (best == RANK_NEVER && !i)
				why = "its only instruction is entry and leave";
			rank = RANK_NEVER;
		}
		if (rank < best) {
			best = rank;
			take(b, in, depth, plan);
		}
		if (best == RANK_PUSH || in->flow != GN_FLOW_NEXT || in->slow)
			break;
		gn_state_apply(&s, in, GN_NO_REG);
	}
	if (best == RANK_NEVER)
		plan->refused = why;
}
