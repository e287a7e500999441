// SPDX-License-Identifier: BSD-2-Clause
/* Finds where an indirect jump goes: to another function (then rsp is the
 * entry's), through a switch's table, or to a label of the function itself. */
#include <string.h>

#include "site/site_internal.h"

/* Whether the function begins here, or its nops for sleds do, after an
 * endbr64. */
static bool is_begin(const struct gn_body *b, uint64_t addr)
{
	const struct gn_insn *first = b->insns;

	return addr == b->addr ||
	       (b->ninsns && first->endbr && addr == first->addr + first->len);
}

/* Whether it is an instruction whose address is taken, other than the
 * function's beginning and what belongs to tables that were read. */
static bool is_label(const struct gn_body *b, uint64_t addr)
{
	size_t i = is_begin(b, addr) ? SIZE_MAX : gn_body_find(b, addr);

	if (i == SIZE_MAX || b->marks[i].flags & GN_MARK_TABLE)
		return false;
	for (size_t t = 0; t < b->ntables; t++)
		if (b->tables[t].begin == addr)
			return false;
	return true;
}

static bool points_into(const struct gn_body *b, const struct gn_part *part)
{
	const uint64_t *at;
	size_t n, lo = 0, hi;

	gn_elf_pointers(b->elf, &at, &n);
	hi = n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (at[mid] < part->begin)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < n && at[lo] < part->end; lo++)
		if (is_label(b, at[lo]))
			return true;
	return false;
}

bool gn_body_takes_labels(const struct gn_body *b)
{
	for (size_t p = 0; p < b->nparts; p++)
		if (points_into(b, &b->parts[p]))
			return true;
	for (size_t i = 0; i < b->ninsns; i++) {
		const struct gn_insn *in = &b->insns[i];

		/* the next instruction's address is only used as a position */
		if (in->effect == GN_EFF_CONST &&
		    (uint64_t)in->imm != in->addr + in->len &&
		    is_label(b, (uint64_t)in->imm))
			return true;
	}
	return false;
}

/* A jump to an unknown value: by rsp, it is a tail jump or stays inside. If it
 * can be either, note that a function that gives its labels away may get them
 * back, as an interpreter that keeps them in the code that it runs. */
static struct gn_jump by_rsp(const struct gn_body *b, const struct gn_state *s)
{
	enum gn_jump_class class = GN_JUMP_UNKNOWN;

	if (s->reg[GN_RSP].kind == GN_V_KNOWN && s->reg[GN_RSP].n)
		class = GN_JUMP_INSIDE;
	else if (s->reg[GN_RSP].kind == GN_V_KNOWN && !b->labels)
		class = GN_JUMP_TAIL;
	return (struct gn_jump){.class = class};
}

/* A jump through a table, of labels or functions, that cannot be read. */
static struct gn_jump hidden_table(const struct gn_body *b,
				   const struct gn_state *s)
{
	struct gn_jump jump = by_rsp(b, s);

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
		return hidden_table(b, s);
	return by_rsp(b, s);
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
		return hidden_table(b, s);
	default:
		return by_rsp(b, s);
	}
}

static struct gn_jump by_memory(const struct gn_body *b,
				const struct gn_state *s,
				const struct gn_mem *m)
{
	struct gn_jump jump;

	if (m->index == GN_NO_REG && m->base == GN_NO_REG) {
		jump = by_rsp(b, s);
		if (jump.class == GN_JUMP_TAIL)
			jump.import = gn_elf_import(b->elf, (uint64_t)m->disp);
		return jump;
	}
	if (m->index == GN_NO_REG)
		return by_rsp(b, s);
	if (m->scale != 8)
		return hidden_table(b, s);
	if (m->base == GN_NO_REG)
		return by_table(b, s, (uint64_t)m->disp, 0, 8);
	if (s->reg[m->base].kind == GN_V_CONST)
		return by_table(b, s,
				(uint64_t)s->reg[m->base].n + (uint64_t)m->disp,
				0, 8);
	return hidden_table(b, s);
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
	/* compilers use notrack for switches only: unlike functions, their
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
