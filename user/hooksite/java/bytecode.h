/* SPDX-License-Identifier: BSD-2-Clause */
/* Instructions (JVMS 6.5): their lengths, where they branch to, and what they
 * do to the depth of the operand stack. */
#ifndef GNOMON_JAVA_BYTECODE_H
#define GNOMON_JAVA_BYTECODE_H

#include "classfile.h"

enum gn_java_op {
	GN_OP_ICONST_0 = 3,
	GN_OP_BIPUSH = 16,
	GN_OP_SIPUSH = 17,
	GN_OP_LDC_W = 19,
	GN_OP_ALOAD = 25,
	GN_OP_ALOAD_0 = 42,
	GN_OP_ALOAD_3 = 45,
	GN_OP_ISTORE = 54,
	GN_OP_ASTORE = 58,
	GN_OP_ISTORE_0 = 59,
	GN_OP_ASTORE_3 = 78,
	GN_OP_DUP = 89,
	GN_OP_SWAP = 95,
	GN_OP_IFEQ = 153,
	GN_OP_GOTO = 167,
	GN_OP_JSR = 168,
	GN_OP_RET = 169,
	GN_OP_TABLESWITCH = 170,
	GN_OP_LOOKUPSWITCH = 171,
	GN_OP_IRETURN = 172,
	GN_OP_RETURN = 177,
	GN_OP_GETSTATIC = 178,
	GN_OP_PUTFIELD = 181,
	GN_OP_INVOKEVIRTUAL = 182,
	GN_OP_INVOKESPECIAL = 183,
	GN_OP_INVOKESTATIC = 184,
	GN_OP_INVOKEINTERFACE = 185,
	GN_OP_INVOKEDYNAMIC = 186,
	GN_OP_ATHROW = 191,
	GN_OP_WIDE = 196,
	GN_OP_MULTIANEWARRAY = 197,
	GN_OP_IFNULL = 198,
	GN_OP_IFNONNULL = 199,
	GN_OP_GOTO_W = 200,
	GN_OP_JSR_W = 201,
};

/* The length of the instruction at `at`, or 0 if there is none, or it does not
 * end in the code. */
uint32_t gn_java_op_len(const uint8_t *code, uint32_t len, uint32_t at);

static inline bool gn_java_returns(uint8_t op)
{
	return op >= GN_OP_IRETURN && op <= GN_OP_RETURN;
}

/* A branch with an offset of two bytes, or of four. */
static inline bool gn_java_branches(uint8_t op)
{
	return (op >= GN_OP_IFEQ && op <= GN_OP_JSR) || op == GN_OP_IFNULL ||
	       op == GN_OP_IFNONNULL;
}

static inline bool gn_java_branches_far(uint8_t op)
{
	return op == GN_OP_GOTO_W || op == GN_OP_JSR_W;
}

static inline bool gn_java_switches(uint8_t op)
{
	return op == GN_OP_TABLESWITCH || op == GN_OP_LOOKUPSWITCH;
}

/* The next instruction is never what runs after this one. */
bool gn_java_ends_flow(uint8_t op);

/*
 * The targets of a valid instruction: for (i = 0; gn_java_target(...); i++).
 * A target is anywhere: the caller checks it.
 */
bool gn_java_target(const uint8_t *code, uint32_t at, uint32_t i,
		    int64_t *target);

/*
 * How many slots a valid instruction takes from the stack, and how many it then
 * adds. Instructions that move slots (dup ... swap) take none. False: it names
 * no constant that it must.
 */
bool gn_java_op_slots(const struct gn_java_class *c, const uint8_t *code,
		      uint32_t at, uint32_t *take, uint32_t *add);

/* Whether it is invokespecial of a constructor. */
bool gn_java_initializes(const struct gn_java_class *c, const uint8_t *code,
			 uint32_t at);

#endif
