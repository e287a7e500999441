// SPDX-License-Identifier: BSD-2-Clause
/* Sorts a sheet's rows by one of its columns. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/sheet.h"

struct place {
	const struct gn_cell *cell;
	const struct gn_sheet_column *column;
	size_t row;
};

static int up(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_cells(const struct gn_cell *a, const struct gn_cell *b,
			 const struct gn_sheet_column *c)
{
	if (!a->known || !b->known)
		return up(!a->known, !b->known);
	if (c->kind == GN_CELL_TEXT)
		return strcmp(a->text, b->text);
	if (c->kind == GN_CELL_ID || !strcmp(c->key, "at"))
		return up(a->n, b->n);
	return up(b->n, a->n);
}

/* Rows with equal cells stay in their usual order. */
static int compare(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	int order = compare_cells(a->cell, b->cell, a->column);

	return order ? order : up(a->row, b->row);
}

int gn_sheet_sort(struct gn_sheet *s, size_t column)
{
	size_t n = s->kind->ncolumns;
	struct place *place = calloc(s->n + 1, sizeof(*place));
	struct gn_cell *cell = calloc(s->n * n + 1, sizeof(*cell));

	if (!place || !cell) {
		free(place);
		free(cell);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->n; i++)
		place[i] = (struct place){&s->cell[i * n + column],
					  &s->kind->column[column], i};
	qsort(place, s->n, sizeof(*place), compare);
	for (size_t i = 0; i < s->n; i++)
		memcpy(&cell[i * n], &s->cell[place[i].row * n],
		       n * sizeof(*cell));
	free(place);
	free(s->cell);
	s->cell = cell;
	s->room = s->n;
	return 0;
}
