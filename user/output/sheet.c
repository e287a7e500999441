// SPDX-License-Identifier: BSD-2-Clause
#include "output/sheet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include "output/sheet_parts.h"

struct gn_cell *gn_sheet_row(struct gn_sheet *s)
{
	size_t room = s->room ? s->room * 2 : 64;
	struct gn_cell *cell;

	if (s->n == s->room) {
		cell = reallocarray(s->cell, room,
				    s->kind->ncolumns * sizeof(*s->cell));
		if (!cell)
			return NULL;
		s->cell = cell;
		s->room = room;
	}
	cell = &s->cell[s->n++ * s->kind->ncolumns];
	memset(cell, 0, s->kind->ncolumns * sizeof(*cell));
	return cell;
}

bool gn_sheet_aot(const struct gn_model *m)
{
	return gn_model_info(m, "native.aot") != NULL;
}

void gn_cell_text(struct gn_cell *c, const char *text)
{
	*c = (struct gn_cell){.known = text[0], .text = text};
}

/* The name of a loaded module is its path. */
void gn_cell_name(struct gn_cell *c, const struct gn_model_named *of)
{
	gn_cell_text(c, of->name);
	c->shown = of->shown	      ? of->shown
		   : *of->name == '/' ? gn_base_name(of->name)
				      : NULL;
}

void gn_cell_module(struct gn_cell *c, const char *path)
{
	gn_cell_text(c, path);
	c->shown = gn_base_name(path);
}

void gn_cell_number(struct gn_cell *c, uint64_t n)
{
	*c = (struct gn_cell){.known = true, .n = n};
}

const char *gn_sheet_own(struct gn_sheet *s, char *text)
{
	size_t room = s->own_room ? s->own_room * 2 : 64;
	char **own;

	if (text && s->nown == s->own_room) {
		own = reallocarray(s->own, room, sizeof(*own));
		if (!own) {
			free(text);
			return NULL;
		}
		s->own = own;
		s->own_room = room;
	}
	if (text)
		s->own[s->nown++] = text;
	return text;
}

void gn_sheet_clear(struct gn_sheet *s)
{
	for (size_t i = 0; i < s->nown; i++)
		free(s->own[i]);
	free(s->own);
	free(s->cell);
	free(s->note);
}

uint32_t gn_sheet_families(enum gn_by by)
{
	switch (by) {
	case GN_BY_GC:
		return GN_FAMILY_GC | GN_FAMILY_SUSPENSION;
	case GN_BY_JIT:
		return GN_FAMILY_JIT | GN_FAMILY_LIFE;
	case GN_BY_LOADS:
		return GN_FAMILY_LOADS | GN_FAMILY_CLASSES;
	case GN_BY_EVENTS:
		return GN_FAMILIES_ALL;
	default:
		return 0; /* sums need no events */
	}
}

static const struct gn_sheet_kind *kind_of(enum gn_by by)
{
	static const struct gn_sheet_kind *const kinds[GN_BY_COUNT] = {
		[GN_BY_GC] = &gn_sheet_gc,
		[GN_BY_JIT] = &gn_sheet_jit,
		[GN_BY_EXCEPTIONS] = &gn_sheet_exceptions,
		[GN_BY_LOADS] = &gn_sheet_loads,
		[GN_BY_ALLOCATIONS] = &gn_sheet_allocations,
		[GN_BY_EVENTS] = &gn_sheet_events,
		[GN_BY_SAMPLES] = &gn_sheet_samples,
		[GN_BY_SYSCALLS] = &gn_sheet_syscalls,
		[GN_BY_THREAD_SYSCALLS] = &gn_sheet_thread_syscalls,
	};

	return kinds[by];
}

/* Skips percents: they sort as their values do. */
const char *gn_sheet_sort_word(enum gn_by by, size_t i)
{
	const struct gn_sheet_kind *kind = kind_of(by);

	for (size_t c = 0; c < kind->ncolumns; c++)
		if (kind->column[c].kind != GN_CELL_PCT && i-- == 0)
			return kind->column[c].key;
	return NULL;
}

int gn_sheet_column(enum gn_by by, const char *word)
{
	const struct gn_sheet_kind *kind = kind_of(by);

	for (size_t i = 0; i < kind->ncolumns; i++) {
		const struct gn_sheet_column *c = &kind->column[i];
		size_t len = strlen(c->key);

		if (!strcmp(c->title, word) ||
		    (!strncmp(c->key, word, len) &&
		     (!word[len] || !strcmp(word + len, gn_sheet_unit(c)))))
			return (int)i;
	}
	/* "time" means a duration, as elsewhere, not the column "at" */
	for (size_t i = 0; !strcmp(word, "time") && i < kind->ncolumns; i++)
		if (kind->column[i].kind == GN_CELL_TIME &&
		    strcmp(kind->column[i].key, "at") != 0)
			return (int)i;
	return -1;
}

static int sort(struct gn_sheet *s, const struct gn_output_opts *o)
{
	int column = gn_sheet_column(o->by, o->sort);

	return column < 0 ? -EINVAL : gn_sheet_sort(s, (size_t)column);
}

int gn_sheet_make(const struct gn_model *m, const struct gn_output_opts *o,
		  struct gn_sheet *out)
{
	int err;

	*out = (struct gn_sheet){.kind = kind_of(o->by)};
	err = out->kind->fill(m, out);
	if (!err && o->sort)
		err = sort(out, o);
	if (!err && o->limit && out->n > o->limit) {
		out->limited = out->n - o->limit;
		out->n = o->limit;
	}
	if (!err && o->columns)
		err = gn_sheet_choose(out, o->by, o->columns);
	return err;
}
