/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the general registers at an instruction: an abstract
 * interpretation. A register is a place in the function's own stack frame, a
 * constant, related to a jump table, or unknown.
 */
#ifndef GNOMON_SITE_DATAFLOW_H
#define GNOMON_SITE_DATAFLOW_H

#include "site/decode.h"

enum gn_value_kind {
	GN_V_UNKNOWN = 0,
	GN_V_STACK,  /* somewhere in the function's own frame */
	GN_V_KNOWN,  /* rsp at the function's entry + n */
	GN_V_CONST,  /* n is an address */
	GN_V_LOAD4,  /* 4 bytes from the table at n */
	GN_V_TABLE4, /* n + 4 bytes from the table at n */
	GN_V_TABLE8, /* 8 bytes from the table at n */
	GN_V_INDEX4, /* 4 bytes from a table at an unknown place */
	GN_V_INDEX8, /* an entry of a table at an unknown place, or a sum: not a
			pointer to a function */
};

struct gn_value {
	enum gn_value_kind kind;
	int64_t n;
	int64_t base;
};

struct gn_state {
	struct gn_value reg[GN_REGS];
};

/* The state at a function's entry. */
void gn_state_entry(struct gn_state *s);

/* Applies the instruction. `drap`: the register in which the function keeps its
 * entry's rsp + 8 while it aligns its stack, or GN_NO_REG. */
void gn_state_apply(struct gn_state *s, const struct gn_insn *in, uint8_t drap);

/* Keeps in `into` only what holds in both. True: `into` changed. */
bool gn_state_meet(struct gn_state *into, const struct gn_state *from);

static inline bool gn_value_own(const struct gn_value *v)
{
	return v->kind == GN_V_STACK || v->kind == GN_V_KNOWN;
}

static inline bool gn_rsp_is(const struct gn_state *s, int64_t n)
{
	return s->reg[GN_RSP].kind == GN_V_KNOWN && s->reg[GN_RSP].n == n;
}

#endif
