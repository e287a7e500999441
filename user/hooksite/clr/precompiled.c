// SPDX-License-Identifier: BSD-2-Clause
#include "precompiled.h"

#include <stdlib.h>

#include "filter.h"
#include "image.h"

/* A module that is being scanned. */
struct scan {
	struct gn_precompiled *p;
	struct gn_filter_lines lines;
	uint32_t place;
	const struct gn_image *image;
	/* by row; NULL: not needed so far */
	bool *asked;  /* the filter asks for it */
	bool *marked; /* it can have copies in any module */
	bool off;
	struct gn_precompiled_part part; /* of a composite image */
	bool lost; /* out of memory: some copies are missing */
};

static bool *rows_of(const struct scan *s)
{
	return calloc(s->image->md.table[GN_TOKEN_METHODDEF].count + 1, 1);
}

/* Whether the row, which comes from untrusted tables, exists. */
static bool is_row(const struct scan *s, uint32_t row)
{
	return row <= s->image->md.table[GN_TOKEN_METHODDEF].count;
}

static void visit_marked(void *ctx, uint32_t row)
{
	struct scan *s = ctx;

	if (is_row(s, row))
		s->marked[row] = true;
}

static bool is_marked(struct scan *s, uint32_t row)
{
	if (!s->marked) {
		s->marked = rows_of(s);
		if (!s->marked)
			return true;
		gn_md_marked(&s->image->md, visit_marked, s);
	}
	return s->marked[row];
}

static bool add(struct scan *s, uint32_t row)
{
	if (!s->asked)
		s->asked = rows_of(s);
	if (!s->asked)
		return false;
	s->asked[row] = true;
	return gn_method_set_add(&s->p->asked, GN_METHOD(s->place, row)) >= 0;
}

static void take(void *ctx, struct gn_text *type, uint32_t row,
		 const struct gn_md_method *m)
{
	struct scan *s = ctx;

	if (!add(s, row))
		atomic_store(&s->p->full, true);
	if (s->off || !is_marked(s, row))
		return;
	s->lines.exact = s->p->lenient;
	s->off = gn_image_asks_method(s->image, &s->lines, type, row, m);
	s->lines.exact = false;
}

static void add_holder(struct scan *s, uint32_t holder)
{
	if (gn_method_set_add(&s->p->holders, GN_METHOD(s->place, holder)) < 0)
		atomic_store(&s->p->off, true);
}

static bool asks_copies(void *ctx, uint32_t module, uint32_t method)
{
	const struct scan *s = ctx;

	(void)module;
	return is_row(s, method) && s->asked[method];
}

static void visit_copy(void *ctx, const struct gn_r2r_copy *copy)
{
	add_holder(ctx, copy->holder);
}

static uint32_t place_of(const struct scan *s, uint32_t module)
{
	return atomic_load(&s->part.composite->place[module]);
}

/* If the method's module has a place, the filter's answer is known. If not, it
 * is looked up when the holder is about to run. */
static bool asks_part(void *ctx, uint32_t module, uint32_t method)
{
	const struct scan *s = ctx;
	uint32_t place = place_of(s, module);

	return !place || gn_precompiled_asks(s->p, place, method);
}

static void visit_part(void *ctx, const struct gn_r2r_copy *copy)
{
	struct scan *s = ctx;

	if (place_of(s, copy->module))
		add_holder(s, copy->holder);
	else
		s->lost |= !gn_copies_add(&s->part.later, copy);
}

static bool keep_part(struct scan *s)
{
	struct gn_precompiled_part *part = malloc(sizeof(*part));

	if (!part)
		return false;
	s->part.core = gn_image_is_core(s->image);
	gn_copies_sort(&s->part.later);
	*part = s->part;
	atomic_store(&s->p->part[s->place - 1], part);
	return true;
}

/* False: the module's code is not in a composite image that lists all
 * copies. */
static bool look_through_part(struct scan *s)
{
	const struct gn_r2r_asker asker = {asks_part, visit_part, s};
	struct gn_composite *c = gn_composites_get(&s->p->composites, s->image,
						   &s->part.component);

	if (!c)
		return false;
	s->part.composite = c;
	/* all that the filter asks for in this module is known by now */
	atomic_store(&c->place[s->part.component], s->place);
	if (gn_composite_copies(c, s->part.component, &asker) && !s->lost &&
	    keep_part(s))
		return true;
	gn_copies_free(&s->part.later);
	return false;
}

static bool all_told(struct scan *s)
{
	const struct gn_r2r_asker asker = {asks_copies, visit_copy, s};

	return gn_r2r_copies(&s->image->pe, s->asked ? &asker : NULL) !=
		       GN_R2R_UNTOLD ||
	       look_through_part(s);
}

static void look_through(struct scan *s)
{
	struct gn_precompiled *p = s->p;

	gn_image_visit(s->image, &s->lines, take, s);
	atomic_store(&p->found[s->place - 1], s->asked);
	atomic_store(&p->rows[s->place - 1],
		     s->image->md.table[GN_TOKEN_METHODDEF].count);
	if (s->off || atomic_load(&p->full))
		atomic_store(&p->off, true);
	/* last: from now on the module's precompiled code can be kept */
	atomic_store(&p->told[s->place - 1], all_told(s));
	free(s->marked);
	free(s->asked);
}

uint32_t gn_precompiled_load(struct gn_precompiled *p, struct gn_images *images,
			     gn_cor_id module)
{
	struct scan s = {.p = p, .lines = p->lines};
	struct gn_image own;

	if (atomic_load(&p->off) || gn_modules_find(&p->modules, module))
		return 0;
	s.image = p->lines.line ? gn_images_get(images, module) : NULL;
	if (p->lines.line && !s.image &&
	    gn_image_open(images->info, module, &own))
		s.image = &own; /* it can be unloaded */
	/* a module that is made in memory has no precompiled code, and programs
	 * can make more of them than there are places */
	if (s.image) {
		s.place = gn_modules_add(&p->modules, module);
		if (s.place)
			look_through(&s);
		else
			atomic_store(&p->off, true);
	}
	return atomic_load(&p->off) ? atomic_load(&p->kept) : 0;
}

void gn_precompiled_unload(struct gn_precompiled *p, gn_cor_id module)
{
	gn_modules_forget(&p->modules, module);
}

bool gn_precompiled_untold(const struct gn_precompiled *p, gn_cor_id module)
{
	uint32_t place = gn_modules_find(&p->modules, module);

	return place && !atomic_load(&p->off) &&
	       !atomic_load(&p->told[place - 1]);
}

uint32_t gn_precompiled_place(const struct gn_precompiled *p, gn_cor_id module)
{
	return atomic_load(&p->full) ? 0 : gn_modules_find(&p->modules, module);
}

bool gn_precompiled_found(const struct gn_precompiled *p, gn_cor_id module)
{
	uint32_t place = gn_precompiled_place(p, module);

	return !place || atomic_load(&p->found[place - 1]);
}

bool gn_precompiled_asks(const struct gn_precompiled *p, uint32_t place,
			 uint32_t row)
{
	return gn_method_set_has(&p->asked, GN_METHOD(place, row));
}

bool gn_precompiled_asked(const struct gn_precompiled *p, void *info,
			  gn_cor_id function)
{
	uint64_t method = gn_image_method(info, &p->modules, function);

	/* assume yes for a module that was not scanned, such as one that is
	 * made while the program runs, and for a method that an edit added */
	return !method || atomic_load(&p->full) ||
	       GN_TOKEN_ROW(method) >
		       atomic_load(&p->rows[GN_METHOD_MODULE(method) - 1]) ||
	       gn_method_set_has(&p->asked, method);
}

/*
 * Whether a method holds a copy of a requested method from a module that came
 * later. Such code does not need that module before it runs, so the answer is
 * yes until the module is loaded. The core library is the exception: it refers
 * to no other module, and has such copies only for type arguments from that
 * module.
 */
static bool holds_later(const struct gn_precompiled *p,
			const struct gn_precompiled_part *part, uint32_t holder)
{
	const struct gn_r2r_copy *copy;
	uint32_t n;

	copy = part ? gn_copies_in(&part->later, holder, &n) : NULL;
	for (uint32_t i = 0; copy && i < n; i++) {
		uint32_t place =
			atomic_load(&part->composite->place[copy[i].module]);

		if (place ? gn_precompiled_asks(p, place, copy[i].method)
			  : !part->core)
			return true;
	}
	return false;
}

bool gn_precompiled_keeps(struct gn_precompiled *p, void *info,
			  gn_cor_id function)
{
	uint64_t method;
	uint32_t place;

	if (atomic_load(&p->off))
		return false;
	method = gn_image_method(info, &p->modules, function);
	place = GN_METHOD_MODULE(method);
	if (!method || !atomic_load(&p->told[place - 1]) ||
	    gn_method_set_has(&p->asked, method) ||
	    gn_method_set_has(&p->holders, method) ||
	    holds_later(p, atomic_load(&p->part[place - 1]),
			GN_TOKEN_ROW(method)))
		return false;
	if (place > 1)
		atomic_fetch_add(&p->kept, 1);
	return !atomic_load(&p->off);
}

bool gn_precompiled_has(const struct gn_precompiled *p, uint32_t place,
			const struct gn_image *image, uint32_t row)
{
	const struct gn_precompiled_part *part =
		place ? atomic_load(&p->part[place - 1]) : NULL;

	return part ? gn_composite_has(part->composite, part->component, row)
		    : gn_r2r_has(&image->pe, row);
}

bool gn_precompiled_refuse(struct gn_precompiled *p, uint64_t method)
{
	return !method || gn_method_set_add(&p->refused, method) != 0;
}
