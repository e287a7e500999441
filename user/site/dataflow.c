// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "site/dataflow.h"

/* A frame larger than this is not followed. */
#define FRAME_MAX (1 << 30)

static const struct gn_value unknown = {GN_V_UNKNOWN, 0, 0};
static const struct gn_value sum = {GN_V_INDEX8, 0, 0};

void gn_state_entry(struct gn_state *s)
{
	memset(s, 0, sizeof(*s));
	s->reg[GN_RSP] = (struct gn_value){GN_V_KNOWN, 0, 0};
}

static struct gn_value plus(struct gn_value v, int64_t n)
{
	switch (v.kind) {
	case GN_V_STACK:
		return v;
	case GN_V_KNOWN:
		if (n > FRAME_MAX || n < -FRAME_MAX || v.n + n > FRAME_MAX ||
		    v.n + n < -FRAME_MAX)
			return (struct gn_value){GN_V_STACK, 0, 0};
		v.n += n;
		return v;
	case GN_V_CONST:
		v.n = (int64_t)((uint64_t)v.n + (uint64_t)n);
		return v;
	case GN_V_UNKNOWN:
		return v;
	default:
		return n ? sum : v;
	}
}

static struct gn_value add(struct gn_value a, struct gn_value b)
{
	if (a.kind == GN_V_LOAD4 && b.kind == GN_V_CONST)
		return (struct gn_value){GN_V_TABLE4, a.n, b.n};
	if (b.kind == GN_V_LOAD4 && a.kind == GN_V_CONST)
		return add(b, a);
	if (gn_value_own(&a) || gn_value_own(&b))
		return unknown;
	return sum;
}

/* The value that a load gives. */
static struct gn_value load(const struct gn_state *s, const struct gn_insn *in,
			    uint8_t drap)
{
	bool four = in->effect == GN_EFF_LOAD4;
	const struct gn_mem *m = &in->mem;
	struct gn_value base;

	if (m->index == GN_NO_REG) {
		if (drap != GN_NO_REG && in->dst == drap && m->base == GN_RBP)
			return (struct gn_value){GN_V_KNOWN, 8, 0};
		return unknown;
	}
	if (m->scale != (four ? 4 : 8))
		return unknown;
	base = m->base == GN_NO_REG ? (struct gn_value){GN_V_CONST, 0, 0}
				    : s->reg[m->base];
	if (base.kind != GN_V_CONST)
		return (struct gn_value){four ? GN_V_INDEX4 : GN_V_INDEX8, 0,
					 0};
	return (struct gn_value){
		four ? GN_V_LOAD4 : GN_V_TABLE8,
		(int64_t)((uint64_t)base.n + (uint64_t)m->disp), 0};
}

static void kill(struct gn_state *s, uint16_t mask)
{
	for (int i = 0; i < GN_REGS; i++)
		if (mask & 1u << i)
			s->reg[i] = unknown;
}

static void set(struct gn_state *s, uint8_t reg, struct gn_value v)
{
	if (reg < GN_REGS)
		s->reg[reg] = v;
}

static void apply_effect(struct gn_state *s, const struct gn_insn *in,
			 uint8_t drap)
{
	struct gn_value *rsp = &s->reg[GN_RSP];

	switch (in->effect) {
	case GN_EFF_PUSH:
		*rsp = plus(*rsp, -in->imm);
		break;
	case GN_EFF_POP:
		*rsp = plus(*rsp, in->imm);
		set(s, in->dst, unknown);
		break;
	case GN_EFF_ADD:
		set(s, in->dst, plus(s->reg[in->dst], in->imm));
		break;
	case GN_EFF_ADD_REG:
		set(s, in->dst,
		    in->other == GN_NO_REG
			    ? sum
			    : add(s->reg[in->other], s->reg[in->src]));
		break;
	case GN_EFF_ALIGN:
		set(s, in->dst,
		    gn_value_own(&s->reg[in->dst])
			    ? (struct gn_value){GN_V_STACK, 0, 0}
			    : unknown);
		break;
	case GN_EFF_COPY:
		set(s, in->dst, plus(s->reg[in->src], in->imm));
		break;
	case GN_EFF_CONST:
		set(s, in->dst, (struct gn_value){GN_V_CONST, in->imm, 0});
		break;
	case GN_EFF_LOAD:
	case GN_EFF_LOAD4:
		set(s, in->dst, load(s, in, drap));
		break;
	case GN_EFF_LEAVE:
		*rsp = plus(s->reg[GN_RBP], 8);
		s->reg[GN_RBP] = unknown;
		break;
	default:
		break;
	}
}

void gn_state_apply(struct gn_state *s, const struct gn_insn *in, uint8_t drap)
{
	/* rax, rcx, rdx, rsi, rdi, r8 to r11: a callee may change them */
	const uint16_t scratch = 0x0fc7;

	apply_effect(s, in, drap);
	kill(s, in->kills);
	if (in->flow == GN_FLOW_CALL || in->flow == GN_FLOW_CALL_IND)
		kill(s, scratch);
}

bool gn_state_meet(struct gn_state *into, const struct gn_state *from)
{
	bool changed = false;

	for (int i = 0; i < GN_REGS; i++) {
		struct gn_value *a = &into->reg[i];
		const struct gn_value *b = &from->reg[i];
		struct gn_value v = unknown;

		if (a->kind == b->kind && a->n == b->n && a->base == b->base)
			continue;
		if (gn_value_own(a) && gn_value_own(b))
			v.kind = GN_V_STACK;
		if (a->kind == v.kind && a->n == v.n && a->base == v.base)
			continue;
		*a = v;
		changed = true;
	}
	return changed;
}
