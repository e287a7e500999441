/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One instruction, reduced to what the planner needs: where control goes, how
 * the general registers change, which memory a branch reads.
 */
#ifndef GNOMON_SITE_DECODE_H
#define GNOMON_SITE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of general registers as the processor has them. */
enum { GN_RAX = 0, GN_RSP = 4, GN_RBP = 5, GN_REGS = 16, GN_NO_REG = 0xff };

#define GN_NO_CONDITION 0xff

enum gn_flow {
	GN_FLOW_NEXT = 0, /* to the next instruction */
	GN_FLOW_CALL,	  /* direct: target */
	GN_FLOW_CALL_IND,
	GN_FLOW_JMP, /* direct: target */
	GN_FLOW_JCC, /* direct: target, or the next */
	GN_FLOW_JMP_IND,
	GN_FLOW_RET,
	GN_FLOW_STOP,  /* traps: ud2, hlt, int3, a write to a null pointer */
	GN_FLOW_OTHER, /* far branches, iret, ...: not followed */
};

enum gn_effect {
	GN_EFF_NONE = 0,
	GN_EFF_PUSH,	/* rsp -= imm; src, if it is a register, is stored */
	GN_EFF_POP,	/* dst from memory, rsp += imm */
	GN_EFF_ADD,	/* dst += imm */
	GN_EFF_ADD_REG, /* dst = src + other, or more if that is GN_NO_REG */
	GN_EFF_ALIGN,	/* dst is rounded down, by less than a page */
	GN_EFF_COPY,	/* dst = src + imm */
	GN_EFF_CONST,	/* dst = imm, an address */
	GN_EFF_LOAD,	/* dst = 8 bytes of memory */
	GN_EFF_LOAD4,	/* dst = 4 bytes of memory, their sign extended */
	GN_EFF_STORE,	/* 8 bytes of memory = src */
	GN_EFF_LEAVE,	/* rsp = rbp + 8, rbp from memory */
};

struct gn_mem {
	bool used;     /* there is an explicit memory operand, not lea's */
	uint8_t base;  /* GN_NO_REG: none */
	uint8_t index; /* GN_NO_REG: none */
	uint8_t scale;
	uint8_t size; /* bytes accessed, 255 for more */
	int64_t disp; /* the address, when base is none (rip-relative too) */
};

struct gn_insn {
	uint64_t addr;
	uint64_t target; /* of a direct branch */
	int64_t imm;
	struct gn_mem mem;
	uint16_t kills; /* registers written, beyond the effect */
	uint8_t len;
	uint8_t flow;	  /* enum gn_flow */
	uint8_t effect;	  /* enum gn_effect */
	uint8_t dst, src; /* src: also the register of an indirect branch */
	uint8_t other;	  /* of ADD_REG */
	bool notrack;	  /* an indirect jump that no endbr64 need follow */
	bool nop;
	bool endbr;
	bool light; /* a few cycles, and no memory but its operand */
	/* of a jump by the flags, as encoded, else GN_NO_CONDITION */
	uint8_t condition;
	bool slow; /* can run long: system calls, repeated string operations */
};

/* The instruction at `bytes`; false if there is none within `size` bytes. */
bool gn_decode(const uint8_t *bytes, size_t size, uint64_t addr,
	       struct gn_insn *insn);

enum gn_ref { GN_REF_NONE = 0, GN_REF_CALL, GN_REF_JUMP, GN_REF_ADDRESS };

/* What a partial, fast decoding of an instruction tells. */
struct gn_skim {
	size_t len;    /* 0: there is none */
	bool sets_rsp; /* it may write rsp, other than by push, pop, call, ret
			  or an added constant */
	bool calls_kernel;
	enum gn_ref
		ref; /* it calls, jumps to, or takes the address of target */
	uint64_t target;
};

/* Faster than gn_decode(). */
void gn_decode_skim(const uint8_t *bytes, size_t size, uint64_t addr,
		    struct gn_skim *skim);

/* Text for people, in Intel's syntax. */
void gn_decode_text(const uint8_t *bytes, size_t size, uint64_t addr,
		    char *text, size_t room);

#endif
