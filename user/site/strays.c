// SPDX-License-Identifier: BSD-2-Clause
/*
 * Code that no known path reaches. It may run nevertheless, such as an
 * exception handler or a label. Else it is dead, or not code but a table: a
 * probe in it would change what the program reads.
 */
#include "site/site_internal.h"

/* Whether control can reach code of the function by paths that are not
 * visible. */
static bool has_hidden_ways(const struct gn_body *b)
{
	const uint64_t *at;
	size_t n;

	/* Go and NativeAOT continue after a panic or a handler by tables of
	 * their own */
	return b->jumps_unknown || b->labels ||
	       !gn_elf_pointers(b->elf, &at, &n) ||
	       gn_elf_has_section(b->elf, ".gcc_except_table") ||
	       gn_elf_has_section(b->elf, GN_AOT_SECTION) ||
	       gn_elf_is_go(b->elf);
}

/* Whether the address, which the function reads or takes, is of data within the
 * function. */
static bool is_data(const struct gn_body *b, uint64_t addr)
{
	size_t i;

	if (addr == b->addr || !gn_body_holds(b, addr))
		return false;
	i = gn_body_find(b, addr);
	return i == SIZE_MAX || b->marks[i].flags & GN_MARK_STRAY;
}

static bool has_data(const struct gn_body *b)
{
	for (size_t t = 0; t < b->ntables; t++)
		if (gn_body_holds(b, b->tables[t].begin))
			return true;
	for (size_t i = 0; i < b->ninsns; i++) {
		const struct gn_insn *in = &b->insns[i];

		if (b->marks[i].flags & GN_MARK_STRAY || in->nop)
			continue;
		if (in->mem.used && in->mem.base == GN_NO_REG &&
		    in->mem.index == GN_NO_REG &&
		    is_data(b, (uint64_t)in->mem.disp))
			return true;
	}
	return false;
}

void gn_body_strays(struct gn_body *b)
{
	size_t kept = 0;

	b->strays_run = has_hidden_ways(b) && !has_data(b);
	if (b->strays_run)
		return;
	for (size_t i = 0; i < b->nexits; i++)
		if (!(b->marks[b->exits[i].insn].flags & GN_MARK_STRAY))
			b->exits[kept++] = b->exits[i];
	if (kept < b->nexits && has_hidden_ways(b) && !b->leaves)
		b->leaves = "it has data among its code";
	b->nexits = kept;
}
