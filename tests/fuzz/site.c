/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arbitrary bytes as the code of functions in a made-up file. The planner must
 * finish, and its sites must be right. Independent walks through the code,
 * which follow the stack pointer, check that (site_walk.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"
#include "fuzz.h"
#include "site_walk.h"

#define TEXT_ADDR   0x10ff0u /* close to a page end, which code crosses */
#define RODATA_ADDR 0x40000u
#define GOT_ADDR    0x50000u
#define SYMBOLS_MAX 6
#define ADDRS_MAX   6
#define WALKS	    24

static const char *const names[] = {"f", "f.cold", "g", "g.cold.1", "h", "f2"};
static const char *const imports[] = {"memcpy", "longjmp", "swapcontext",
				      "elsewhere"};

static int by_addr(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int by_symbol(const void *a, const void *b)
{
	const struct gn_elf_symbol *x = a, *y = b;

	return x->addr < y->addr   ? -1
	       : x->addr > y->addr ? 1
				   : strcmp(x->name, y->name);
}

static int by_slot(const void *a, const void *b)
{
	const struct gn_import *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Addresses in the code: up to ADDRS_MAX - 1, sorted. The gn_elf frees them. */
static uint64_t *take_addrs(struct gn_fuzz_in *in, size_t code, size_t *n)
{
	uint64_t *a = calloc(ADDRS_MAX, sizeof(*a));

	must(a, "there is memory");
	*n = gn_fuzz_take(in, 1) % ADDRS_MAX;
	for (size_t i = 0; i < *n; i++)
		a[i] = TEXT_ADDR + gn_fuzz_take(in, 2) % code;
	qsort(a, *n, sizeof(*a), by_addr);
	return a;
}

/* An end for each start, derived from its address: unknown (0), or at some
 * distance. */
static uint64_t *some_ends(const uint64_t *starts, size_t n)
{
	uint64_t *ends = calloc(n + 1, sizeof(*ends));

	must(ends, "there is memory");
	for (size_t i = 0; i < n; i++)
		ends[i] = starts[i] % 3 ? starts[i] + starts[i] % 61 : 0;
	return ends;
}

static void take_symbols(struct gn_fuzz_in *in, struct gn_elf *elf, size_t code)
{
	size_t n = 1 + gn_fuzz_take(in, 1) % SYMBOLS_MAX;

	elf->symbols = calloc(n, sizeof(*elf->symbols));
	must(elf->symbols, "there is memory");
	for (size_t i = 0; i < n; i++) {
		struct gn_elf_symbol *s = &elf->symbols[i];
		uint64_t at = i ? gn_fuzz_take(in, 2) % code : 0;
		uint64_t size = gn_fuzz_take(in, 2);

		*s = (struct gn_elf_symbol){
			.name = names[i],
			.demangled = names[i],
			.addr = TEXT_ADDR + at,
			/* by default all the rest of the code */
			.size = size && size < code - at ? size : code - at,
			.offset = at,
			.is_cold = strstr(names[i], ".cold") != NULL,
		};
	}
	elf->nsymbols = n;
	qsort(elf->symbols, n, sizeof(*elf->symbols), by_symbol);
}

static void take_imports(struct gn_fuzz_in *in, struct gn_elf *elf)
{
	size_t n = gn_fuzz_take(in, 1) % 5;

	elf->imports = calloc(n + 1, sizeof(*elf->imports));
	must(elf->imports, "there is memory");
	for (size_t i = 0; i < n; i++)
		elf->imports[i] =
			(struct gn_import){GOT_ADDR + 8 * i, imports[i % 4]};
	elf->nimports = n;
	qsort(elf->imports, n, sizeof(*elf->imports), by_slot);
}

/* The code is what is left of the input after everything else, filled up with
 * zeros. */
static struct gn_elf *take_elf(struct gn_fuzz_in *in)
{
	struct gn_elf *elf = calloc(1, sizeof(*elf));
	size_t code = 1 + gn_fuzz_take(in, 2) % 4096;
	size_t rodata = gn_fuzz_take(in, 1);

	must(elf, "there is memory");
	elf->main.fd = elf->debug.fd = -1;
	elf->path = strdup("/made/up");
	elf->place = strdup(elf->path);
	elf->segments = calloc(2, sizeof(*elf->segments));
	must(elf->path && elf->place && elf->segments, "there is memory");
	/* the size of the code is needed before the code itself is reached */
	code = code < in->left ? code : in->left ? in->left : 1;
	take_symbols(in, elf, code);
	elf->starts = take_addrs(in, code, &elf->nstarts);
	elf->ends = some_ends(elf->starts, elf->nstarts);
	elf->pointers = take_addrs(in, code, &elf->npointers);
	elf->pointers_hidden = gn_fuzz_take(in, 1) & 1;
	elf->entry = gn_fuzz_take(in, 1) & 1 ? TEXT_ADDR : 0;
	take_imports(in, elf);
	elf->segments[1] =
		(struct gn_segment){RODATA_ADDR, 0x40000, rodata, false,
				    gn_fuzz_take_bytes(in, &rodata)};
	elf->segments[1].size = rodata;
	elf->nsegments = rodata ? 2 : 1;
	elf->segments[0] = (struct gn_segment){TEXT_ADDR, 0, code, true, NULL};
	elf->segments[0].bytes = calloc(1, code);
	must(elf->segments[0].bytes, "there is memory");
	memcpy(elf->segments[0].bytes, in->p,
	       in->left < code ? in->left : code);
	return elf;
}

static void check_plan(const struct gn_elf *elf,
		       const struct gn_elf_symbol *sym,
		       const struct gn_plan *plan, enum gn_leave_mode wanted)
{
	if (plan->refused)
		return;
	gn_walk_sites(elf, sym, plan);
	must(wanted != GN_LEAVE_RET || plan->leave == GN_LEAVE_RET,
	     "no return probe where none is wanted");
	must(plan->leave != GN_LEAVE_RETURN ||
		     (plan->enter.adjust == 8 && !plan->nleaves),
	     "a return probe sits on the return address");
	for (uint32_t seed = 0; seed < WALKS; seed++)
		gn_walk(elf, sym, plan, seed);
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	unsigned int flags = (unsigned int)gn_fuzz_take(&in, 1);
	enum gn_leave_mode wanted = (enum gn_leave_mode)(flags % 3);
	struct gn_elf *elf = take_elf(&in);
	struct gn_planner *p = gn_planner_new(wanted);

	must(p, "there is memory");
	if (flags & 0x10)
		must(!gn_planner_scan(p, &elf, 1), "a file can be scanned");
	if (flags & 0x20)
		gn_planner_open_world(p, "it is asked for");
	for (size_t i = 0; i < elf->nsymbols; i++) {
		struct gn_plan plan;

		must(!gn_planner_plan(p, elf, &elf->symbols[i], &plan),
		     "a function can be planned");
		check_plan(elf, &elf->symbols[i], &plan, wanted);
		gn_plan_clear(&plan);
	}
	gn_planner_free(p);
	if (elf->nsegments == 1)
		free(elf->segments[1].bytes);
	gn_elf_close(elf);
}
