/* SPDX-License-Identifier: BSD-2-Clause */
#include "bytecode.h"

/* The lengths by opcode. 0: see below. */
static const char lengths[] =
	/* 0: nop, constants */
	"1111111111111111"
	/* 16: bipush, sipush, ldc, loads */
	"2323322222111111"
	"1111111111111111"
	/* 48: arrays, 54: stores */
	"1111112222211111"
	"1111111111111111"
	"1111111111111111"
	/* 96: arithmetic, 132: iinc */
	"1111111111111111"
	"1111111111111111"
	"1111311111111111"
	/* 153: branches, 169: ret, 170: switches, returns */
	"1111111113333333"
	"3333333332001111"
	/* 178: fields, calls, types, wide */
	"1133333335532311"
	"3311043355";

/* What an instruction takes from the stack, and adds. x: see below. */
static const char slots[] =
	/* 0: constants */
	"00010101010101010102020101010202"
	/* 16: ldc, loads */
	"01010101020102010201010101010202"
	"02020101010102020202010101012122"
	/* 48: loads from arrays, stores */
	"21222121212110201020101010101020"
	"20202010101010202020201010101030"
	/* 80: stores to arrays, pop, dup */
	"40304030303030102000000000000000"
	/* 96: arithmetic */
	"21422142214221422142214221422142"
	"21422142112211222132213221322142"
	/* 128: logic, iinc, conversions, comparisons */
	"21422142001211122121221112122122"
	"21111111412121414110101010101020"
	/* 160: branches, switches, returns */
	"20202020202020000100101010201020"
	/* 176: fields, calls, objects */
	"1000xxxxxxxxxxxxxxxxxx0111111110"
	/* 192: monitors, wide */
	"11111010xxxx10100001";

#define OPCODES 202

_Static_assert(sizeof(lengths) == OPCODES + 1, "a length for each opcode");
_Static_assert(sizeof(slots) == 2 * OPCODES + 1, "slots of each opcode");

static int64_t get_s4(const uint8_t *p)
{
	return (int32_t)gn_java_get_u4(p);
}

/* Switches have their numbers at addresses that are multiples of four. */
static uint32_t switch_at(uint32_t at)
{
	return (at + 4) & ~3u;
}

/* The number of cases of a switch, which was found to be in the code. */
static int64_t switch_cases(const uint8_t *code, uint32_t at)
{
	const uint8_t *p = code + switch_at(at);

	if (code[at] == GN_OP_LOOKUPSWITCH)
		return get_s4(p + 4);
	return get_s4(p + 8) - get_s4(p + 4) + 1;
}

static uint32_t switch_len(const uint8_t *code, uint32_t len, uint32_t at)
{
	bool table = code[at] == GN_OP_TABLESWITCH;
	uint32_t head = switch_at(at) + (table ? 12 : 8);
	uint32_t size = table ? 4 : 8;
	int64_t n;

	if (head > len)
		return 0;
	n = switch_cases(code, at);
	if (n < 0 || n > (len - head) / size)
		return 0;
	return head + (uint32_t)n * size - at;
}

uint32_t gn_java_op_len(const uint8_t *code, uint32_t len, uint32_t at)
{
	uint8_t op;
	uint32_t n;

	if (at >= len || code[at] >= OPCODES)
		return 0;
	op = code[at];
	n = (uint32_t)(lengths[op] - '0');
	if (gn_java_switches(op))
		return switch_len(code, len, at);
	if (op == GN_OP_WIDE) {
		uint8_t wide = at + 1 < len ? code[at + 1] : 0;

		n = wide == 132 ? 6 : 4;
		if (wide != 132 && wide != GN_OP_RET &&
		    (lengths[wide < OPCODES ? wide : 0] != '2' || wide < 21 ||
		     wide > GN_OP_ASTORE))
			return 0;
	}
	return n <= len - at ? n : 0;
}

bool gn_java_ends_flow(uint8_t op)
{
	return op == GN_OP_GOTO || op == GN_OP_GOTO_W || op == GN_OP_ATHROW ||
	       op == GN_OP_RET || gn_java_switches(op) || gn_java_returns(op);
}

bool gn_java_target(const uint8_t *code, uint32_t at, uint32_t i,
		    int64_t *target)
{
	const uint8_t *p = code + at + 1;
	uint8_t op = code[at];
	bool table = op == GN_OP_TABLESWITCH;

	if (gn_java_switches(op)) {
		if (i > switch_cases(code, at))
			return false;
		p = code + switch_at(at);
		/* the default is before the cases */
		if (i)
			p += table ? 8 + 4 * i : 4 + 8 * i;
		*target = at + get_s4(p);
		return true;
	}
	if (i)
		return false;
	if (gn_java_branches(op))
		*target = at + (int64_t)(int16_t)gn_java_get_u2(p);
	else if (gn_java_branches_far(op))
		*target = at + get_s4(p);
	else
		return false;
	return true;
}

/* The slots of the type at d[*i]; moves behind it. -1: there is no type. */
static int type_slots(struct gn_java_text d, size_t *i)
{
	bool array = false;
	char c;

	while (*i < d.n && d.at[*i] == '[') {
		array = true;
		++*i;
	}
	if (*i == d.n)
		return -1;
	c = d.at[(*i)++];
	if (c == 'L') {
		const char *end = memchr(d.at + *i, ';', d.n - *i);

		if (!end)
			return -1;
		*i = (size_t)(end - d.at) + 1;
		return 1;
	}
	if (c == 'V')
		return 0;
	return !array && (c == 'J' || c == 'D') ? 2 : 1;
}

static bool call_slots(struct gn_java_text d, uint32_t *take, uint32_t *add)
{
	size_t i = 1;
	int n;

	if (!d.n || d.at[0] != '(')
		return false;
	while (i < d.n && d.at[i] != ')') {
		n = type_slots(d, &i);
		if (n < 0)
			return false;
		*take += (uint32_t)n;
	}
	if (i++ >= d.n)
		return false;
	n = type_slots(d, &i);
	*add = (uint32_t)n;
	return n >= 0;
}

/* Name and type of a member that an instruction names. */
static bool member(const struct gn_java_class *c, uint16_t index,
		   struct gn_java_text *name, struct gn_java_text *type)
{
	static const enum gn_java_tag tags[] = {
		GN_JAVA_METHODREF, GN_JAVA_FIELDREF,
		GN_JAVA_INTERFACE_METHODREF, GN_JAVA_INVOKE_DYNAMIC,
		GN_JAVA_DYNAMIC};
	const uint8_t *p = NULL;

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags) && !p; i++)
		p = gn_java_constant(c, index, tags[i]);
	if (p)
		p = gn_java_constant(c, gn_java_get_u2(p + 2),
				     GN_JAVA_NAME_AND_TYPE);
	if (!p)
		return false;
	*name = gn_java_utf8(c, gn_java_get_u2(p));
	*type = gn_java_utf8(c, gn_java_get_u2(p + 2));
	return name->at && type->at;
}

static bool member_slots(const struct gn_java_class *c, const uint8_t *code,
			 uint32_t at, uint32_t *take, uint32_t *add)
{
	uint8_t op = code[at];
	struct gn_java_text name, type;
	size_t i = 0;
	int n;

	if (!member(c, gn_java_get_u2(code + at + 1), &name, &type))
		return false;
	if (op >= GN_OP_INVOKEVIRTUAL) {
		*take = op != GN_OP_INVOKESTATIC && op != GN_OP_INVOKEDYNAMIC;
		return call_slots(type, take, add);
	}
	n = type_slots(type, &i);
	if (n < 0)
		return false;
	/* getstatic, putstatic, getfield, putfield */
	*take = op >= GN_OP_GETSTATIC + 2;
	if ((op - GN_OP_GETSTATIC) & 1)
		*take += (uint32_t)n;
	else
		*add = (uint32_t)n;
	return true;
}

bool gn_java_op_slots(const struct gn_java_class *c, const uint8_t *code,
		      uint32_t at, uint32_t *take, uint32_t *add)
{
	uint8_t op = code[at];

	*take = *add = 0;
	if (op == GN_OP_WIDE)
		op = code[at + 1];
	if (op == GN_OP_MULTIANEWARRAY) {
		*take = code[at + 3];
		*add = 1;
		return true;
	}
	if (slots[2 * op] == 'x')
		return member_slots(c, code, at, take, add);
	*take = (uint32_t)(slots[2 * op] - '0');
	*add = (uint32_t)(slots[2 * op + 1] - '0');
	return true;
}

bool gn_java_initializes(const struct gn_java_class *c, const uint8_t *code,
			 uint32_t at)
{
	struct gn_java_text name, type;

	return code[at] == GN_OP_INVOKESPECIAL &&
	       member(c, gn_java_get_u2(code + at + 1), &name, &type) &&
	       gn_java_is(name, "<init>");
}
