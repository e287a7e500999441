// SPDX-License-Identifier: BSD-2-Clause
/*
 * Where an indirect jump goes: to another function (then rsp is the entry's),
 * or through a switch's table, or to a label of the function itself.
 */
#include <string.h>

#include "site/site_internal.h"

/* A jump to an unknown value: by rsp it is a tail jump or stays inside. */
static struct gn_jump by_rsp(const struct gn_state *s)
{
	switch (s->reg[GN_RSP].kind) {
	case GN_V_KNOWN:
		return (struct gn_jump){.class = s->reg[GN_RSP].n
							 ? GN_JUMP_INSIDE
							 : GN_JUMP_TAIL};
	default:
		return (struct gn_jump){.class = GN_JUMP_UNKNOWN};
	}
}

/* A jump through a table that cannot be read: of labels, or of functions. */
static struct gn_jump hidden_table(const struct gn_state *s)
{
	struct gn_jump jump = by_rsp(s);

	if (jump.class == GN_JUMP_TAIL)
		jump.class = GN_JUMP_UNKNOWN;
	return jump;
}

static struct gn_jump by_table(const struct gn_body *b,
			       const struct gn_state *s, uint64_t table,
			       uint64_t base, uint8_t width)
{
	struct gn_jump jump = {GN_JUMP_TABLE, table, base, width, NULL};
	uint64_t first = 0;

	if (gn_jump_entry(b, &jump, 0, &first))
		return jump;
	/* a relocated table is empty in the file */
	if (!first || width == 4)
		return hidden_table(s);
	return by_rsp(s);
}

static struct gn_jump by_register(const struct gn_body *b,
				  const struct gn_state *s, uint8_t reg)
{
	const struct gn_value *v = &s->reg[reg];

	switch (v->kind) {
	case GN_V_TABLE4:
		return by_table(b, s, (uint64_t)v->n, (uint64_t)v->base, 4);
	case GN_V_TABLE8:
		return by_table(b, s, (uint64_t)v->n, 0, 8);
	case GN_V_INDEX4:
	case GN_V_INDEX8:
		return hidden_table(s);
	default:
		return by_rsp(s);
	}
}

static struct gn_jump by_memory(const struct gn_body *b,
				const struct gn_state *s,
				const struct gn_mem *m)
{
	struct gn_jump jump;

	if (m->index == GN_NO_REG && m->base == GN_NO_REG) {
		jump = by_rsp(s);
		if (jump.class == GN_JUMP_TAIL)
			jump.import = gn_elf_import(b->elf, (uint64_t)m->disp);
		return jump;
	}
	if (m->index == GN_NO_REG)
		return by_rsp(s);
	if (m->scale != 8)
		return hidden_table(s);
	if (m->base == GN_NO_REG)
		return by_table(b, s, (uint64_t)m->disp, 0, 8);
	if (s->reg[m->base].kind == GN_V_CONST)
		return by_table(b, s,
				(uint64_t)s->reg[m->base].n + (uint64_t)m->disp,
				0, 8);
	return hidden_table(s);
}

struct gn_jump gn_jump_class(const struct gn_body *b, const struct gn_state *s,
			     const struct gn_insn *in)
{
	struct gn_jump jump;

	if (in->mem.used)
		jump = by_memory(b, s, &in->mem);
	else if (in->src != GN_NO_REG)
		jump = by_register(b, s, in->src);
	else
		jump = (struct gn_jump){.class = GN_JUMP_UNKNOWN};
	/* compilers use notrack for switches only: unlike a function, their
	 * labels do not begin with endbr64 */
	if (in->notrack && jump.class != GN_JUMP_TABLE)
		jump.class = GN_JUMP_INSIDE;
	return jump;
}

bool gn_jump_entry(const struct gn_body *b, const struct gn_jump *jump,
		   size_t i, uint64_t *target)
{
	uint64_t at = jump->table + i * jump->width;
	const uint8_t *p = gn_elf_rodata(b->elf, at, jump->width);
	int32_t rel;

	if (i > GN_BODY_MAX)
		return false;
	if (p && jump->width == 8) {
		memcpy(target, p, 8);
	} else if (p) {
		memcpy(&rel, p, 4);
		*target = jump->base + (uint64_t)(int64_t)rel;
	} else if (jump->width != 8 || !gn_elf_pointer(b->elf, at, target)) {
		return false;
	}
	return gn_body_holds(b, *target);
}
