// SPDX-License-Identifier: BSD-2-Clause
/* Finds the function that an address belongs to. */
#include "site/site_internal.h"

/* Index of the first symbol above addr. */
static size_t above(const struct gn_elf_symbol *all, size_t n, uint64_t addr)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (all[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct gn_elf_symbol *gn_symbol_over(const struct gn_elf *elf,
					   uint64_t addr)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all), i = above(all, n, addr), first;

	if (!i)
		return NULL;
	first = i ? above(all, n, all[i - 1].addr - 1) : 0;
	if (!all[i - 1].addr)
		first = 0;
	/* aliases have the same length, so checking a few is enough */
	for (size_t j = first; j < i && j < first + 16; j++)
		if (addr - all[j].addr < all[j].size)
			return &all[j];
	return NULL;
}

const struct gn_elf_symbol *gn_symbol_at(const struct gn_elf *elf,
					 uint64_t addr)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all);
	size_t i = addr ? above(all, n, addr - 1) : 0;

	return i < n && all[i].addr == addr ? &all[i] : NULL;
}

uint64_t gn_symbol_next(const struct gn_elf *elf, uint64_t addr)
{
	const struct gn_elf_symbol *all;
	size_t n = gn_elf_symbols(elf, &all), i = above(all, n, addr);

	return i < n ? all[i].addr : UINT64_MAX;
}

bool gn_start_at(const struct gn_elf *elf, uint64_t addr, size_t *index)
{
	const uint64_t *starts;
	size_t lo = 0, hi = gn_elf_starts(elf, &starts);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (starts[mid] == addr) {
			*index = mid;
			return true;
		}
		if (starts[mid] < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return false;
}

bool gn_start_over(const struct gn_elf *elf, uint64_t addr, size_t *index)
{
	const uint64_t *starts;
	size_t lo = 0, hi = gn_elf_starts(elf, &starts);

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (starts[mid] <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	*index = lo - 1;
	return lo && !gn_symbol_at(elf, starts[lo - 1]) &&
	       gn_symbol_next(elf, starts[lo - 1]) > addr;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t gn_start_end(const struct gn_elf *elf, size_t index)
{
	const uint64_t *starts;
	size_t n = gn_elf_starts(elf, &starts), next = index;
	uint64_t end = lower(gn_elf_start_end(elf, index),
			     gn_symbol_next(elf, starts[index]));

	while (next < n && starts[next] == starts[index])
		next++;
	return next < n ? lower(end, starts[next]) : end;
}

bool gn_plt_entry(const struct gn_elf *elf, uint64_t addr, const char **import)
{
	const size_t most = 16; /* bytes of an entry */
	const uint8_t *bytes = gn_elf_code(elf, addr, most);
	size_t at = 0;

	*import = NULL;
	while (bytes && at < most) {
		struct gn_insn in;

		if (!gn_decode(bytes + at, most - at, addr + at, &in))
			return false;
		if (in.flow == GN_FLOW_JMP_IND && in.mem.used &&
		    in.mem.base == GN_NO_REG && in.mem.index == GN_NO_REG) {
			*import = gn_elf_import(elf, (uint64_t)in.mem.disp);
			return true;
		}
		if (!in.endbr && !in.nop)
			return false;
		at += in.len;
	}
	return false;
}
