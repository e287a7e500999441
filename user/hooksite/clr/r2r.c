// SPDX-License-Identifier: BSD-2-Clause
#include "r2r.h"

#include "r2r_read.h"

#define SECTION_OWN	114u /* inlining within a module */
#define SECTION_ANY	119u /* inlining across modules */
#define PAIRS_MAX	(1u << 24)
#define FOREIGN_METHOD	1u
#define FOREIGN_HOLDERS 2u

/* One entry of the table. */
struct entry {
	struct gn_r2r_reader r;
	uint32_t left; /* numbers left to read */
	bool any;      /* from SECTION_ANY */
	bool multi;
	bool others;  /* the table lists methods of other modules */
	bool foreign; /* the entry is about another module: give up */
};

static uint32_t next(struct entry *e)
{
	if (!e->left) {
		e->r.bad = true;
		return 0;
	}
	e->left--;
	return gn_r2r_number(&e->r, false);
}

static void read_method(struct entry *e, struct gn_r2r_copy *copy)
{
	uint32_t head = next(e);

	if (!e->any) {
		copy->method = head >> 1;
		e->foreign = head & 1 && !e->others;
		if (head & 1 && e->others)
			copy->module = next(e);
		return;
	}
	copy->method = head >> 2;
	e->foreign = head & (FOREIGN_METHOD | FOREIGN_HOLDERS);
	if (!e->foreign && e->multi)
		e->foreign = next(e) != 0;
}

/* The rows of the holders are stored as differences. */
static void read_entry(struct entry *e, const struct gn_r2r_asker *asker,
		       uint32_t *pairs)
{
	struct gn_r2r_copy copy = {0};

	e->left = gn_r2r_number(&e->r, false);
	read_method(e, &copy);
	if (!asker || !asker->asks(asker->ctx, copy.module, copy.method))
		return;
	while (e->left && !e->r.bad && !e->foreign && ++*pairs < PAIRS_MAX) {
		uint32_t step = next(e);

		if (!e->any || e->multi) {
			e->foreign = step & 1;
			step >>= 1;
		}
		copy.holder += step;
		if (!e->foreign && !e->r.bad)
			asker->each(asker->ctx, &copy);
	}
}

struct table {
	struct entry like;
	const struct gn_r2r_asker *asker;
	uint32_t pairs;
};

static bool take_entry(void *ctx, struct gn_r2r_reader at)
{
	struct table *t = ctx;
	struct entry e = t->like;

	e.r = at;
	read_entry(&e, t->asker, &t->pairs);
	return !e.r.bad && !e.foreign && t->pairs < PAIRS_MAX;
}

enum gn_r2r gn_r2r_copies(const struct gn_pe *pe,
			  const struct gn_r2r_asker *asker)
{
	struct table t = {.like = {.any = true}, .asker = asker};
	struct gn_bytes table;
	uint32_t flags;

	if (!pe->native.n)
		return GN_R2R_NONE;
	if (!gn_r2r_flags(pe, &flags) || flags & GN_R2R_COMPONENT)
		return GN_R2R_UNTOLD;
	t.like.multi = flags & GN_R2R_MULTI;
	if (!gn_r2r_section(pe, SECTION_ANY, &table)) {
		t.like.any = false;
		if (!gn_r2r_section(pe, SECTION_OWN, &table))
			return GN_R2R_UNTOLD;
		/* a module that was compiled alone has copies of its own
		 * methods only */
		if (!asker && !t.like.multi)
			return GN_R2R_TOLD;
	}
	return gn_r2r_entries(&table, take_entry, &t) ? GN_R2R_TOLD
						      : GN_R2R_UNTOLD;
}

bool gn_r2r_table(const struct gn_bytes *table,
		  const struct gn_r2r_asker *asker)
{
	struct table t = {.like = {.others = true}, .asker = asker};

	return gn_r2r_entries(table, take_entry, &t);
}

bool gn_r2r_enters(const struct gn_bytes *section, uint32_t row)
{
	struct gn_r2r_reader at;
	struct gn_r2r_sparse all;

	return gn_r2r_sparse(section, &all) && row && row <= all.count &&
	       gn_r2r_element(&all, row - 1, &at);
}

bool gn_r2r_has(const struct gn_pe *pe, uint32_t row)
{
	struct gn_bytes section;
	uint32_t flags;

	return gn_r2r_flags(pe, &flags) &&
	       gn_r2r_section(pe, GN_R2R_METHODS, &section) &&
	       gn_r2r_enters(&section, row);
}
