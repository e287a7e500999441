// SPDX-License-Identifier: BSD-2-Clause
#include <stdio.h>

#include <Zydis/Zydis.h>

#include "site/decode.h"

static void decoder(ZydisDecoder *d)
{
	ZydisDecoderInit(d, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

/* The number of the general register that holds `reg`, or GN_NO_REG. */
static uint8_t gpr(ZydisRegister reg)
{
	ZydisRegister whole = ZydisRegisterGetLargestEnclosing(
		ZYDIS_MACHINE_MODE_LONG_64, reg);

	if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64)
		return GN_NO_REG;
	return (uint8_t)ZydisRegisterGetId(whole);
}

static bool is_gpr64(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_GPR64;
}

static void read_mem(const ZydisDecodedOperand *op, const struct gn_insn *in,
		     struct gn_mem *m)
{
	m->base = gpr(op->mem.base);
	m->index = gpr(op->mem.index);
	m->scale = op->mem.scale;
	m->disp = op->mem.disp.value;
	m->size = op->size / 8 < 255 ? (uint8_t)(op->size / 8) : 255;
	if (op->mem.base == ZYDIS_REGISTER_RIP)
		m->disp += (int64_t)(in->addr + in->len);
}

/* A write to the first page, where nothing is mapped. Programs use it to abort,
 * and compilers omit the code after it. */
static bool is_crash(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       op->actions & ZYDIS_OPERAND_ACTION_WRITE &&
	       op->mem.type == ZYDIS_MEMOP_TYPE_MEM &&
	       op->mem.segment != ZYDIS_REGISTER_FS &&
	       op->mem.segment != ZYDIS_REGISTER_GS &&
	       op->mem.base == ZYDIS_REGISTER_NONE &&
	       op->mem.index == ZYDIS_REGISTER_NONE &&
	       op->mem.disp.value >= 0 && op->mem.disp.value < 4096;
}

static void set_flow(const ZydisDecodedInstruction *z,
		     const ZydisDecodedOperand *op, struct gn_insn *in)
{
	bool direct = op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		      op[0].imm.is_relative;

	if (direct)
		in->target = in->addr + in->len + (uint64_t)op[0].imm.value.s;
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		in->flow = direct ? GN_FLOW_CALL : GN_FLOW_CALL_IND;
		break;
	case ZYDIS_CATEGORY_UNCOND_BR:
		in->flow = direct ? GN_FLOW_JMP : GN_FLOW_JMP_IND;
		break;
	case ZYDIS_CATEGORY_COND_BR:
		in->flow = direct ? GN_FLOW_JCC : GN_FLOW_NEXT;
		break;
	case ZYDIS_CATEGORY_RET:
		in->flow = GN_FLOW_RET;
		break;
	default:
		break;
	}
	if (z->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
		in->flow = GN_FLOW_OTHER;
	else if (in->flow == GN_FLOW_NEXT && is_crash(op))
		in->flow = GN_FLOW_STOP;
}

static bool by_flags(const ZydisDecodedInstruction *z)
{
	return (z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
		(z->opcode & 0xf0) == 0x70) ||
	       (z->opcode_map == ZYDIS_OPCODE_MAP_0F &&
		(z->opcode & 0xf0) == 0x80);
}

/* Whether it only computes, for a few cycles, without calling anything. */
static bool is_light(const ZydisDecodedInstruction *z)
{
	if (z->attributes & (ZYDIS_ATTRIB_HAS_LOCK | ZYDIS_ATTRIB_HAS_REP |
			     ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
		return false;
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_BINARY:
		return z->mnemonic != ZYDIS_MNEMONIC_DIV &&
		       z->mnemonic != ZYDIS_MNEMONIC_IDIV;
	case ZYDIS_CATEGORY_DATAXFER:
	case ZYDIS_CATEGORY_LOGICAL:
	case ZYDIS_CATEGORY_SHIFT:
	case ZYDIS_CATEGORY_ROTATE:
	case ZYDIS_CATEGORY_CMOV:
	case ZYDIS_CATEGORY_SETCC:
	case ZYDIS_CATEGORY_CONVERT:
	case ZYDIS_CATEGORY_LOGICAL_FP:
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
		return true;
	case ZYDIS_CATEGORY_POP:
		return z->mnemonic == ZYDIS_MNEMONIC_POP;
	default:
		return z->mnemonic == ZYDIS_MNEMONIC_LEA ||
		       z->mnemonic == ZYDIS_MNEMONIC_LEAVE ||
		       z->mnemonic == ZYDIS_MNEMONIC_VZEROUPPER;
	}
}

static void set_flow_by_name(const ZydisDecodedInstruction *z,
			     struct gn_insn *in)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_INT3:
		in->flow = GN_FLOW_STOP;
		break;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
		in->flow = GN_FLOW_OTHER;
		break;
	case ZYDIS_MNEMONIC_XBEGIN: /* goes to the abort handler, or to the next
				       instruction */
		in->flow = GN_FLOW_JCC;
		break;
	case ZYDIS_MNEMONIC_XABORT:
		in->flow = GN_FLOW_NEXT;
		break;
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
		in->slow = true;
		break;
	case ZYDIS_MNEMONIC_NOP:
		in->nop = true;
		break;
	case ZYDIS_MNEMONIC_ENDBR64:
		in->endbr = true;
		break;
	default:
		break;
	}
	if (z->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
			     ZYDIS_ATTRIB_HAS_REPNE) &&
	    z->meta.category == ZYDIS_CATEGORY_STRINGOP)
		in->slow = true;
	in->notrack = z->attributes & ZYDIS_ATTRIB_HAS_NOTRACK;
	in->light = in->flow == GN_FLOW_NEXT && !in->slow && is_light(z);
	in->condition = by_flags(z) ? z->opcode & 0xf : GN_NO_CONDITION;
}

static void effect_mov(const ZydisDecodedOperand *op, struct gn_insn *in)
{
	if (op[0].size != 64)
		return;
	if (is_gpr64(&op[0]) && is_gpr64(&op[1])) {
		in->effect = GN_EFF_COPY;
		in->dst = gpr(op[0].reg.value);
		in->src = gpr(op[1].reg.value);
	} else if (is_gpr64(&op[0]) &&
		   op[1].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		   op[1].mem.segment != ZYDIS_REGISTER_FS &&
		   op[1].mem.segment != ZYDIS_REGISTER_GS) {
		in->effect = GN_EFF_LOAD;
		in->dst = gpr(op[0].reg.value);
	} else if (op[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		   is_gpr64(&op[1])) {
		in->effect = GN_EFF_STORE;
		in->src = gpr(op[1].reg.value);
	} else if (is_gpr64(&op[0]) &&
		   op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		in->effect = GN_EFF_CONST;
		in->dst = gpr(op[0].reg.value);
		in->imm = op[1].imm.value.s;
	}
}

/* a program at fixed addresses may load an address by mov r32, imm32 */
static void effect_mov32(const ZydisDecodedOperand *op, struct gn_insn *in)
{
	if (op[0].type != ZYDIS_OPERAND_TYPE_REGISTER || op[0].size != 32 ||
	    op[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE)
		return;
	in->effect = GN_EFF_CONST;
	in->dst = gpr(op[0].reg.value);
	in->imm = (int64_t)(op[1].imm.value.u & 0xffffffff);
}

static void effect_lea(const ZydisDecodedOperand *op, struct gn_insn *in)
{
	struct gn_mem m;

	if (!is_gpr64(&op[0]) || op[1].type != ZYDIS_OPERAND_TYPE_MEMORY)
		return;
	read_mem(&op[1], in, &m);
	in->dst = gpr(op[0].reg.value);
	if (m.index != GN_NO_REG) {
		in->effect = GN_EFF_ADD_REG;
		in->src = m.index;
		in->other = m.scale == 1 && !m.disp ? m.base : GN_NO_REG;
		return;
	}
	in->imm = m.disp;
	in->src = m.base;
	in->effect = m.base == GN_NO_REG ? GN_EFF_CONST : GN_EFF_COPY;
}

static void effect_add(const ZydisDecodedOperand *op, int sign,
		       struct gn_insn *in)
{
	if (!is_gpr64(&op[0]))
		return;
	in->dst = gpr(op[0].reg.value);
	if (op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		in->effect = GN_EFF_ADD;
		in->imm = sign * op[1].imm.value.s;
	} else if (sign > 0 && is_gpr64(&op[1])) {
		in->effect = GN_EFF_ADD_REG;
		in->src = gpr(op[1].reg.value);
		in->other = in->dst;
	} else {
		in->dst = GN_NO_REG;
	}
}

/* A mask that rounds down, as for frames with a large alignment. */
static void effect_and(const ZydisDecodedOperand *op, struct gn_insn *in)
{
	int64_t mask = op[1].imm.value.s;

	if (!is_gpr64(&op[0]) || op[1].type != ZYDIS_OPERAND_TYPE_IMMEDIATE ||
	    mask >= 0 || mask < -4096 || (-mask & (-mask - 1)))
		return;
	in->effect = GN_EFF_ALIGN;
	in->dst = gpr(op[0].reg.value);
}

static void set_effect(const ZydisDecodedInstruction *z,
		       const ZydisDecodedOperand *op, struct gn_insn *in)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
	case ZYDIS_MNEMONIC_PUSHFQ:
		in->effect = GN_EFF_PUSH;
		in->imm = z->operand_width / 8;
		in->src = z->mnemonic == ZYDIS_MNEMONIC_PUSH && is_gpr64(op)
				  ? gpr(op[0].reg.value)
				  : GN_NO_REG;
		break;
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_POPFQ:
		in->effect = GN_EFF_POP;
		in->imm = z->operand_width / 8;
		in->dst = z->mnemonic == ZYDIS_MNEMONIC_POP && is_gpr64(op)
				  ? gpr(op[0].reg.value)
				  : GN_NO_REG;
		break;
	case ZYDIS_MNEMONIC_MOV:
		effect_mov(op, in);
		if (in->effect == GN_EFF_NONE)
			effect_mov32(op, in);
		break;
	case ZYDIS_MNEMONIC_MOVSXD:
		if (is_gpr64(&op[0]) &&
		    op[1].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			in->effect = GN_EFF_LOAD4;
			in->dst = gpr(op[0].reg.value);
		}
		break;
	case ZYDIS_MNEMONIC_LEA:
		effect_lea(op, in);
		break;
	case ZYDIS_MNEMONIC_ADD:
		effect_add(op, 1, in);
		break;
	case ZYDIS_MNEMONIC_SUB:
		effect_add(op, -1, in);
		break;
	case ZYDIS_MNEMONIC_AND:
		effect_and(op, in);
		break;
	case ZYDIS_MNEMONIC_LEAVE:
		in->effect = GN_EFF_LEAVE;
		break;
	default:
		break;
	}
}

/* Sets the registers written and the memory accessed, besides the effect. */
static void set_operands(const ZydisDecodedInstruction *z,
			 const ZydisDecodedOperand *op, struct gn_insn *in)
{
	bool stack = in->effect == GN_EFF_PUSH || in->effect == GN_EFF_POP ||
		     in->effect == GN_EFF_LEAVE || in->flow != GN_FLOW_NEXT;

	for (int i = 0; i < z->operand_count; i++) {
		uint8_t reg;

		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    op[i].visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		    op[i].mem.type == ZYDIS_MEMOP_TYPE_MEM) {
			read_mem(&op[i], in, &in->mem);
			in->mem.used = true;
		}
		if (op[i].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		    !(op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			continue;
		reg = gpr(op[i].reg.value);
		if (reg == GN_NO_REG || (stack && reg == GN_RSP) ||
		    (in->effect && reg == in->dst) ||
		    (in->effect == GN_EFF_LEAVE && reg == GN_RBP))
			continue;
		in->kills |= (uint16_t)(1u << reg);
	}
}

bool gn_decode(const uint8_t *bytes, size_t size, uint64_t addr,
	       struct gn_insn *in)
{
	ZydisDecoder d;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];

	decoder(&d);
	for (size_t i = 0; i < 2; i++)
		op[i].type = ZYDIS_OPERAND_TYPE_UNUSED;
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&d, bytes, size, &z, op)))
		return false;
	*in = (struct gn_insn){
		.addr = addr,
		.len = z.length,
		.dst = GN_NO_REG,
		.src = GN_NO_REG,
		.other = GN_NO_REG,
		.mem = {.base = GN_NO_REG, .index = GN_NO_REG},
	};
	set_flow(&z, op, in);
	set_flow_by_name(&z, in);
	if (in->flow == GN_FLOW_NEXT)
		set_effect(&z, op, in);
	else if (is_gpr64(&op[0]))
		in->src = gpr(op[0].reg.value); /* indirect branch */
	set_operands(&z, op, in);
	return true;
}

/* Whether the instruction may write rsp in a way that sets gn_skim.sets_rsp. */
static bool skim_sets_rsp(const ZydisDecodedInstruction *z)
{
	bool one = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
	bool reg, rm;

	/* some vector instructions write a general register; only a full
	 * decoding shows which */
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return true;
	if (!(z->attributes & ZYDIS_ATTRIB_HAS_MODRM)) {
		if (one && (z->opcode == 0xc8 || z->opcode == 0xc9))
			return true; /* enter, leave */
		/* pop, xchg, mov, bswap */
		return (z->opcode & 7) == 4 && !z->raw.rex.B &&
		       (one ? z->opcode == 0x5c || z->opcode >= 0x90
			    : z->opcode == 0xcc);
	}
	reg = z->raw.modrm.reg == 4 && !z->raw.rex.R;
	rm = z->raw.modrm.mod == 3 && z->raw.modrm.rm == 4 && !z->raw.rex.B;
	if (one && (z->opcode == 0x81 || z->opcode == 0x83))
		return rm && z->raw.modrm.reg != 0 && z->raw.modrm.reg != 5 &&
		       z->raw.modrm.reg != 7; /* add, sub, cmp */
	return reg || rm;
}

static bool skim_calls_kernel(const ZydisDecodedInstruction *z)
{
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return false;
	if (z->opcode_map == ZYDIS_OPCODE_MAP_0F)
		return z->opcode == 0x05 || z->opcode == 0x34;
	return z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && z->opcode == 0xcd;
}

static void skim_ref(const ZydisDecodedInstruction *z, uint64_t addr,
		     struct gn_skim *skim)
{
	bool one = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT;
	bool two = z->opcode_map == ZYDIS_OPCODE_MAP_0F;
	int64_t rel = z->raw.imm[0].value.s;

	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY)
		return;
	if (one && z->opcode == 0xe8) {
		skim->ref = GN_REF_CALL;
	} else if ((one && (z->opcode == 0xe9 || z->opcode == 0xeb ||
			    (z->opcode & 0xf0) == 0x70)) ||
		   (two && (z->opcode & 0xf0) == 0x80)) {
		skim->ref = GN_REF_JUMP;
	} else if (one && z->opcode == 0x8d && !z->raw.modrm.mod &&
		   z->raw.modrm.rm == 5) {
		skim->ref = GN_REF_ADDRESS;
		rel = z->raw.disp.value;
	}
	skim->target = addr + z->length + (uint64_t)rel;
}

void gn_decode_skim(const uint8_t *bytes, size_t size, uint64_t addr,
		    struct gn_skim *skim)
{
	ZydisDecoder d;
	ZydisDecodedInstruction z;

	*skim = (struct gn_skim){0};
	decoder(&d);
	ZydisDecoderEnableMode(&d, ZYDIS_DECODER_MODE_MINIMAL, ZYAN_TRUE);
	if (ZYAN_FAILED(
		    ZydisDecoderDecodeInstruction(&d, NULL, bytes, size, &z)))
		return;
	skim->len = z.length;
	skim->sets_rsp = skim_sets_rsp(&z);
	skim->calls_kernel = skim_calls_kernel(&z);
	skim_ref(&z, addr, skim);
}

void gn_decode_text(const uint8_t *bytes, size_t size, uint64_t addr,
		    char *text, size_t room)
{
	ZydisDecoder d;
	ZydisDecodedInstruction z;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisFormatter f;

	decoder(&d);
	snprintf(text, room, "(none)");
	if (ZYAN_FAILED(ZydisDecoderDecodeFull(&d, bytes, size, &z, op)) ||
	    ZYAN_FAILED(ZydisFormatterInit(&f, ZYDIS_FORMATTER_STYLE_INTEL)) ||
	    ZYAN_FAILED(ZydisFormatterSetProperty(
		    &f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
		    ZYDIS_PADDING_DISABLED)))
		return;
	if (ZYAN_FAILED(ZydisFormatterFormatInstruction(
		    &f, &z, op, z.operand_count_visible, text, room, addr,
		    NULL)))
		snprintf(text, room, "%s", ZydisMnemonicGetString(z.mnemonic));
}
