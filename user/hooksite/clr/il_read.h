/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A method's body in IL (ECMA-335, II.25.4 and III): its header, instructions
 * and clauses. The body is hostile and may be cut off anywhere.
 */
#ifndef GNOMON_CLR_IL_READ_H
#define GNOMON_CLR_IL_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cor.h"

struct gn_il_method {
	const uint8_t *body;
	size_t size;
	const uint8_t *code;
	uint32_t code_size; /* at least 1 */
	uint16_t flags, max_stack;
	gn_token locals;
	size_t sections; /* where they begin; 0: there are none */
};

/* No program has longer code. */
#define GN_IL_CODE_MAX (8u << 20)

/* The header's flags, and its size in units of four bytes. */
#define GN_IL_FAT	  0x3
#define GN_IL_MORE	  0x8
#define GN_IL_INIT_LOCALS 0x10
#define GN_IL_FAT_DWORDS  3

enum {
	GN_IL_LDARG_0 = 0x02,
	GN_IL_LDARG_1 = 0x03,
	GN_IL_STLOC_0 = 0x0a,
	GN_IL_STLOC_3 = 0x0d,
	GN_IL_LDLOCA_S = 0x12,
	GN_IL_STLOC_S = 0x13,
	GN_IL_LDC_I4_M1 = 0x15,
	GN_IL_LDC_I4_0 = 0x16,
	GN_IL_LDC_I4_8 = 0x1e,
	GN_IL_LDC_I4_S = 0x1f,
	GN_IL_LDC_I4 = 0x20,
	GN_IL_LDC_I8 = 0x21,
	GN_IL_DUP = 0x25,
	GN_IL_POP = 0x26,
	GN_IL_JMP = 0x27,
	GN_IL_CALL = 0x28,
	GN_IL_CALLI = 0x29,
	GN_IL_RET = 0x2a,
	GN_IL_BR_S = 0x2b,
	GN_IL_BLT_UN_S = 0x37,
	GN_IL_BR = 0x38,
	GN_IL_BNE_UN = 0x40,
	GN_IL_BLT_UN = 0x44,
	GN_IL_SWITCH = 0x45,
	GN_IL_LDIND_U4 = 0x4b,
	GN_IL_SUB = 0x59,
	GN_IL_AND = 0x5f,
	GN_IL_OR = 0x60,
	GN_IL_XOR = 0x61,
	GN_IL_SHL = 0x62,
	GN_IL_CONV_I2 = 0x68,
	GN_IL_CONV_I4 = 0x69,
	GN_IL_CALLVIRT = 0x6f,
	GN_IL_LDFLD = 0x7b,
	GN_IL_LDFLDA = 0x7c,
	GN_IL_STFLD = 0x7d,
	GN_IL_CONV_I = 0xd3,
	GN_IL_ENDFINALLY = 0xdc,
	GN_IL_LEAVE = 0xdd,
	GN_IL_LEAVE_S = 0xde,
	GN_IL_CONV_U = 0xe0,
	GN_IL_PREFIX = 0xfe,
	/* after the prefix */
	GN_IL2_CEQ = 0x01,
	GN_IL2_LDARG = 0x09,
	GN_IL2_LDARGA = 0x0a,
	GN_IL2_STARG = 0x0b,
	GN_IL2_LDLOC = 0x0c,
	GN_IL2_LDLOCA = 0x0d,
	GN_IL2_STLOC = 0x0e,
	GN_IL2_TAIL = 0x14,
	GN_IL2_CONSTRAINED = 0x16,
	GN_IL2_SIZEOF = 0x1c,
};
#define GN_IL_PREFIXED(op) (0x100 | (op))

/* One instruction. */
struct gn_il_op {
	unsigned int code; /* GN_IL_PREFIXED(): after the prefix */
	uint32_t at, operand, size;
};

/* A clause of exception handling, with offsets in the code. */
struct gn_il_clause {
	uint32_t flags;
	uint32_t try_at, try_size;
	uint32_t handler, handler_size;
	uint32_t last; /* a filter's start, or a class token */
};

#define GN_IL_EH_FILTER 0x1
#define GN_IL_EH_FAULT	0x4

/* The position up to which the clauses have been read. */
struct gn_il_clauses {
	const struct gn_il_method *m;
	size_t at, next; /* in the body: this section's clauses, next section */
	uint32_t i, n;
	bool fat, more;
};

/* 0 or -EINVAL. The body stays the caller's. */
int gn_il_read(const uint8_t *body, size_t size, struct gn_il_method *m);

/* Reads the instruction at an offset of the code. False: it is cut off. */
bool gn_il_next(const struct gn_il_method *m, uint32_t at, struct gn_il_op *op);

/* How many targets an instruction can jump to, and one of them, as an offset in
 * the code, which can lie outside of it. */
uint32_t gn_il_targets(const struct gn_il_method *m, const struct gn_il_op *op);
uint32_t gn_il_target(const struct gn_il_method *m, const struct gn_il_op *op,
		      uint32_t i);

/* Reads the clauses one by one: 1; 0: there are no more; -EINVAL. */
void gn_il_clauses(const struct gn_il_method *m, struct gn_il_clauses *it);
int gn_il_next_clause(struct gn_il_clauses *it, struct gn_il_clause *clause);

#endif
