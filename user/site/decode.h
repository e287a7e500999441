/* SPDX-License-Identifier: BSD-2-Clause */
/* An instruction, reduced to what the planner needs: where control goes, how
 * general registers change, which memory a branch reads. */
#ifndef GNOMON_SITE_DECODE_H
#define GNOMON_SITE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General registers, by the processor's numbers. */
enum { GN_RAX = 0, GN_RSP = 4, GN_RBP = 5, GN_REGS = 16, GN_NO_REG = 0xff };

#define GN_NO_CONDITION 0xff

enum gn_flow {
	GN_FLOW_NEXT = 0, /* to the next instruction */
	GN_FLOW_CALL,	  /* direct: target */
	GN_FLOW_CALL_IND,
	GN_FLOW_JMP, /* direct: target */
	GN_FLOW_JCC, /* direct: target, or the next instruction */
	GN_FLOW_JMP_IND,
	GN_FLOW_RET,
	GN_FLOW_STOP,  /* traps: ud2, hlt, int3, a write to a null pointer */
	GN_FLOW_OTHER, /* far branches, iret, ...: not followed */
};

enum gn_effect {
	GN_EFF_NONE = 0,
	GN_EFF_PUSH,	/* rsp -= imm; stores src, if it is a register */
	GN_EFF_POP,	/* dst from memory, rsp += imm */
	GN_EFF_ADD,	/* dst += imm */
	GN_EFF_ADD_REG, /* dst = src + other; if that is GN_NO_REG, the sum has
			   more parts */
	GN_EFF_ALIGN,	/* dst is rounded down, by less than a page */
	GN_EFF_COPY,	/* dst = src + imm */
	GN_EFF_CONST,	/* dst = imm, an address */
	GN_EFF_LOAD,	/* dst = 8 bytes of memory */
	GN_EFF_LOAD4,	/* dst = 4 bytes of memory, sign-extended */
	GN_EFF_STORE,	/* 8 bytes of memory = src */
	GN_EFF_LEAVE,	/* rsp = rbp + 8, rbp from memory */
};

struct gn_mem {
	bool used;     /* it has an explicit memory operand, lea excluded */
	uint8_t base;  /* GN_NO_REG: none */
	uint8_t index; /* GN_NO_REG: none */
	uint8_t scale;
	uint8_t size; /* bytes accessed; 255: or more */
	int64_t disp; /* if base is none: the address (also rip-relative) */
};

struct gn_insn {
	uint64_t addr;
	uint64_t target; /* of a direct branch */
	int64_t imm;
	struct gn_mem mem;
	uint16_t kills; /* registers written, besides the effect */
	uint8_t len;
	uint8_t flow;	  /* enum gn_flow */
	uint8_t effect;	  /* enum gn_effect */
	uint8_t dst, src; /* src: also the register of an indirect branch */
	uint8_t other;	  /* of ADD_REG */
	bool notrack; /* an indirect jump whose target need not be endbr64 */
	bool nop;
	bool endbr;
	bool light; /* takes few cycles and accesses only its memory operand */
	/* condition of a jump by the flags, as encoded; else GN_NO_CONDITION */
	uint8_t condition;
	bool slow; /* may run long: system calls, repeated string operations */
};

/* Decodes the instruction at `bytes`. False: there is none in `size` bytes. */
bool gn_decode(const uint8_t *bytes, size_t size, uint64_t addr,
	       struct gn_insn *insn);

enum gn_ref { GN_REF_NONE = 0, GN_REF_CALL, GN_REF_JUMP, GN_REF_ADDRESS };

/* The result of a partial, fast decoding. */
struct gn_skim {
	size_t len;    /* 0: no instruction */
	bool sets_rsp; /* it may write rsp, other than by push, pop, call, ret
			  or adding a constant */
	bool calls_kernel;
	enum gn_ref
		ref; /* it calls, jumps to, or takes the address of `target` */
	uint64_t target;
};

/* Faster than gn_decode(). */
void gn_decode_skim(const uint8_t *bytes, size_t size, uint64_t addr,
		    struct gn_skim *skim);

/* Text for people, in Intel's syntax. */
void gn_decode_text(const uint8_t *bytes, size_t size, uint64_t addr,
		    char *text, size_t room);

#endif
