/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows and cells of a sheet. */
#include "output/sheet.h"

#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>

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
