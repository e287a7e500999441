// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds whether code without a name, in a stripped file, is a function or a
 * part that the compiler moved out of one. A function is called, or its address
 * is stored, or several functions end in a jump to it. A part is only jumped
 * to, by its one function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "site/site_internal.h"

enum { CALLED = 1, JUMPED = 2, SHARED = 4, MANY = 8 };

struct gn_references {
	const struct gn_elf *elf;
	bool ready;
	/* whether the file says which addresses are taken; else only a call
	 * proves a function */
	bool known;
	uint8_t *flags; /* by start */
	uint64_t *from; /* code that jumps to it */
	/* functions with a name that jump to it; 0: none; MANY: more than
	 * two */
	uint64_t (*named)[2];
	uint64_t (*nameless)[2]; /* the same for code without a name */
};

struct gn_references *gn_references_new(const struct gn_elf *elf)
{
	struct gn_references *f = calloc(1, sizeof(*f));

	if (f)
		f->elf = elf;
	return f;
}

void gn_references_free(struct gn_references *f)
{
	if (!f)
		return;
	free(f->flags);
	free(f->from);
	free(f->named);
	free(f->nameless);
	free(f);
}

/* Two pieces of code with names are two functions. Without a name, a piece can
 * be part of the same function as another one. */
static void note_from(struct gn_references *f, size_t i, uint64_t from)
{
	const struct gn_elf_symbol *s = gn_symbol_at(f->elf, from);
	uint64_t *list = s ? f->named[i] : f->nameless[i];

	if ((s && (s->is_cold || strchr(s->name, '.'))) || list[0] == from ||
	    list[1] == from)
		return;
	if (!list[1])
		list[list[0] != 0] = from;
	else if (s)
		f->flags[i] |= MANY;
}

/* Returns the function that code without a name is part of; 0: not known. */
static uint64_t owner(const struct gn_references *f, uint64_t part)
{
	size_t i;

	return f->known && gn_start_at(f->elf, part, &i) &&
			       f->flags[i] == JUMPED
		       ? f->named[i][0]
		       : 0;
}

/*
 * Whether functions end in a jump to it. A jump that is never taken does not
 * count: after a call that does not return, compilers let a function jump to
 * what follows it or its cold part, which can be another function's.
 */
static bool is_tail(const struct gn_references *f, size_t i)
{
	const uint64_t by[] = {f->named[i][0], f->named[i][1],
			       owner(f, f->nameless[i][0]),
			       owner(f, f->nameless[i][1])};
	const uint64_t *starts;
	uint64_t first = 0;

	gn_elf_starts(f->elf, &starts);
	if (f->flags[i] & MANY)
		return true;
	for (size_t k = 0; k < sizeof(by) / sizeof(by[0]); k++) {
		if (!by[k] || by[k] == first ||
		    (i &&
		     (by[k] == starts[i - 1] || by[k] == f->named[i - 1][0] ||
		      by[k] == f->named[i - 1][1])))
			continue;
		if (first)
			return true;
		first = by[k];
	}
	return false;
}

static void note(struct gn_references *f, const struct gn_skim *skim,
		 uint64_t from)
{
	size_t i;

	if (!skim->ref || !gn_start_at(f->elf, skim->target, &i))
		return;
	if (skim->ref != GN_REF_JUMP) {
		f->flags[i] |= CALLED;
		return;
	}
	/* a jump within the same code proves nothing */
	if (from == skim->target)
		return;
	if (f->flags[i] & JUMPED && f->from[i] != from)
		f->flags[i] |= SHARED;
	f->flags[i] |= JUMPED;
	f->from[i] = from;
	note_from(f, i, from);
}

static int look(struct gn_references *f)
{
	const uint64_t *starts, *pointers;
	size_t n = gn_elf_starts(f->elf, &starts), npointers, i;
	struct gn_sweep sweep;
	struct gn_skim skim;
	uint64_t addr;

	f->known = gn_elf_pointers(f->elf, &pointers, &npointers);
	if (n) {
		f->flags = calloc(n, sizeof(*f->flags));
		f->from = calloc(n, sizeof(*f->from));
		f->named = calloc(n, sizeof(*f->named));
		f->nameless = calloc(n, sizeof(*f->nameless));
		if (!f->flags || !f->from || !f->named || !f->nameless)
			return -ENOMEM;
		/* otherwise a pointer may be an entry of a switch's table,
		 * which leads to parts */
		for (size_t k = 0; f->known && k < npointers; k++)
			if (gn_start_at(f->elf, pointers[k], &i))
				f->flags[i] |= CALLED;
		gn_sweep_begin(&sweep, f->elf);
		while (gn_sweep_next(&sweep, &skim, &addr))
			note(f, &skim, sweep.below);
	}
	f->ready = true;
	return 0;
}

int gn_references_place(struct gn_references *f, uint64_t addr)
{
	size_t i;
	int err = f->ready ? 0 : look(f);

	if (err)
		return err;
	if (!gn_start_at(f->elf, addr, &i))
		return GN_PLACE_UNKNOWN;
	if (f->flags[i] & CALLED)
		return GN_PLACE_FUNCTION;
	if (is_tail(f, i))
		return GN_PLACE_TAIL;
	if (!f->known)
		return GN_PLACE_UNKNOWN;
	if (f->flags[i] == JUMPED)
		return GN_PLACE_PART;
	return f->flags[i] ? GN_PLACE_UNKNOWN : GN_PLACE_UNUSED;
}
