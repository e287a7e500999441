// SPDX-License-Identifier: BSD-2-Clause
/* How the kernel handles a probe on an instruction. The rules are its behaviour
 * as measured for every opcode (docs/sites.md). */
#include <errno.h>
#include <string.h>

#include "site/site_internal.h"

const char *gn_cost_name(enum gn_cost cost)
{
	switch (cost) {
#define GN_COST_CASE(name, text, meaning) \
	case GN_COST_##name:              \
		return text;
		GN_COST_LIST(GN_COST_CASE)
#undef GN_COST_CASE
	default:
		return "unknown";
	}
}

struct opcode {
	bool bad_prefix; /* es, cs, ss, ds, lock: refused */
	bool narrow;	 /* prefix 66 */
	bool repeated;	 /* prefix f2 or f3 */
	bool strange; /* XOP, 3DNow!, FMA4: unknown to the kernel's decoder */
	uint8_t rex;
	bool vector; /* VEX or EVEX: the kernel checks the last byte only */
	bool two;    /* opcode 0f xx */
	uint8_t byte;
	uint8_t modrm; /* of a one-byte opcode */
};

static bool is_prefix(uint8_t byte, struct opcode *op)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0xf0:
		op->bad_prefix = true;
		return true;
	case 0x66:
		op->narrow = true;
		return true;
	case 0xf2:
	case 0xf3:
		op->repeated = true;
		return true;
	case 0x64:
	case 0x65:
	case 0x67:
		return true;
	default:
		return false;
	}
}

/* AMD's FMA4: four operands, in the third opcode map of vectors. */
static bool is_fma4(uint8_t byte)
{
	return (byte & 0xfe) == 0x48 || (byte & 0xfc) == 0x5c ||
	       (byte & 0xe8) == 0x68;
}

/* `bytes` must be a whole instruction of `len` bytes. */
static struct opcode split(const uint8_t *bytes, size_t len)
{
	struct opcode op = {0};
	size_t i = 0, at;

	while (i + 1 < len && is_prefix(bytes[i], &op))
		i++;
	if (i + 1 < len && (bytes[i] & 0xf0) == 0x40)
		op.rex = bytes[i++];
	at = i;
	op.byte = bytes[i];
	switch (op.byte) {
	case 0xc5:
		i += 2;
		op.vector = true;
		break;
	case 0xc4:
		i += 3;
		op.vector = true;
		break;
	case 0x62:
		i += 4;
		op.vector = true;
		break;
	case 0x0f:
		i += 1;
		op.two = true;
		break;
	default:
		/* 8f is a pop, or XOP */
		op.strange =
			op.byte == 0x8f && i + 1 < len && bytes[i + 1] & 0x38;
		op.modrm = i + 1 < len ? bytes[i + 1] : 0;
		return op;
	}
	op.byte = i < len ? bytes[i] : 0xcc;
	op.strange = (op.two && op.byte == 0x0f) ||
		     (bytes[at] == 0xc4 && i < len &&
		      (bytes[at + 1] & 0x1f) == 3 && is_fma4(op.byte));
	return op;
}

/*
 * Instructions that break when the kernel executes them out of line: they save
 * the trap flag or their own address, delay the trap, or trap more than once.
 */
static bool breaks_when_stepped(const struct opcode *op)
{
	if (op->vector)
		return false;
	if (op->two) /* syscall, sysenter */
		return op->byte == 0x05 || op->byte == 0x34;
	if (op->byte == 0x9c) /* pushf */
		return true;
	if (op->byte == 0x8e) /* mov to ss */
		return (op->modrm & 0x38) == 0x10;
	if (op->byte == 0xc7) /* xbegin */
		return op->modrm == 0xf8;
	return op->repeated && ((op->byte & 0xfc) == 0xa4 ||
				(op->byte >= 0xaa && op->byte <= 0xaf));
}

/* One-byte opcodes that the kernel refuses: invalid in 64-bit mode, input and
 * output, interrupts. It also looks up vector opcodes here, although they mean
 * something else. */
static bool refused_byte(uint8_t b)
{
	switch (b) {
	case 0x06:
	case 0x07:
	case 0x0e:
	case 0x16:
	case 0x17:
	case 0x1e:
	case 0x1f:
	case 0x27:
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0x60:
	case 0x61:
	case 0x62:
	case 0x6c:
	case 0x6d:
	case 0x6e:
	case 0x6f:
	case 0x82:
	case 0x9a:
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xcf:
	case 0xd4:
	case 0xd5:
	case 0xd6:
	case 0xe4:
	case 0xe5:
	case 0xe6:
	case 0xe7:
	case 0xea:
	case 0xec:
	case 0xed:
	case 0xee:
	case 0xef:
	case 0xf1:
	case 0xf4:
	case 0xfa:
	case 0xfb:
		return true;
	default:
		return false;
	}
}

/* The long nops that newer kernels emulate, except that of 5 bytes. */
static bool is_long_nop(const uint8_t *bytes, size_t len)
{
	static const uint8_t nops[][8] = {
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0x00},
		{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
		{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	};
	static const size_t sizes[] = {3, 4, 6, 7, 8};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (len == sizes[i] && !memcmp(bytes, nops[i], len))
			return true;
	return false;
}

/* The kernel accepts each encoding (clang's is 0f 1f 44 00 08), with any
 * prefixes, too. */
static bool is_nop5(const struct opcode *op, size_t len)
{
	if (len != 5 || op->vector)
		return false;
	return op->two ? op->byte == 0x1f : op->byte == 0x90 && !(op->rex & 1);
}

static bool is_branch(const struct opcode *op)
{
	if (op->vector)
		return false;
	if (op->two)
		return (op->byte & 0xf0) == 0x80;
	return op->byte == 0xe8 || op->byte == 0xe9 || op->byte == 0xeb ||
	       (op->byte & 0xf0) == 0x70;
}

static enum gn_cost classify(const uint8_t *bytes, size_t len, uint64_t addr)
{
	const uint64_t page = 4096;
	struct opcode op = split(bytes, len);

	if (op.bad_prefix || op.strange || breaks_when_stepped(&op))
		return GN_COST_REFUSED;
	if (!op.two && refused_byte(op.byte))
		return GN_COST_REFUSED;
	if (is_branch(&op))
		return op.narrow ? GN_COST_REFUSED : GN_COST_EMULATED;
	if (is_nop5(&op, len))
		return addr % page + len <= page ? GN_COST_OPTIMIZED
						 : GN_COST_EMULATED;
	if (is_long_nop(bytes, len))
		return GN_COST_EMULATED;
	if (op.vector || op.two)
		return GN_COST_STEPPED;
	/* xchg r8, rax: some kernels mistake it for a nop */
	if (op.byte == 0x90)
		return op.rex & 1 ? GN_COST_REFUSED : GN_COST_EMULATED;
	if ((op.byte & 0xf8) == 0x50 &&
	    (len == 1 || (len == 2 && op.rex == 0x41)))
		return GN_COST_EMULATED;
	return GN_COST_STEPPED;
}

enum gn_cost gn_cost_of(const uint8_t *bytes, size_t size, uint64_t addr,
			char insn[32], size_t *len)
{
	struct gn_skim skim;

	gn_decode_skim(bytes, size, addr, &skim);
	if (len)
		*len = skim.len;
	if (insn)
		gn_decode_text(bytes, size, addr, insn, 32);
	return skim.len ? classify(bytes, skim.len, addr) : GN_COST_REFUSED;
}

int gn_site_fill(const struct gn_elf *elf, struct gn_site *site)
{
	const size_t longest = 15; /* bytes of an instruction */
	const uint8_t *bytes = NULL;
	size_t size = longest;

	for (; size && !bytes; size--)
		bytes = gn_elf_code(elf, site->addr, size);
	if (!bytes || gn_elf_offset(elf, site->addr, &site->offset))
		return -ENOENT;
	site->cost = gn_cost_of(bytes, size + 1, site->addr, site->insn, NULL);
	return 0;
}
