/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects the columns of a sheet that --columns names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/sheet.h"
#include "output/text.h"

int gn_sheet_columns(enum gn_by by, const char *list,
		     size_t column[GN_SHEET_COLUMNS])
{
	char word[GN_CELL];
	size_t len;

	for (int n = 0; n < GN_SHEET_COLUMNS; list += len + 1) {
		int at;

		len = strcspn(list, ",");
		if (len >= sizeof(word))
			return -EINVAL;
		memcpy(word, list, len);
		word[len] = '\0';
		at = gn_sheet_column(by, word);
		if (at < 0)
			return -EINVAL;
		column[n++] = (size_t)at;
		if (!list[len])
			return n;
	}
	return -EINVAL;
}

int gn_sheet_choose(struct gn_sheet *s, enum gn_by by, const char *list)
{
	const struct gn_sheet_kind *all = s->kind;
	size_t column[GN_SHEET_COLUMNS], n;
	struct gn_cell *cell;
	int found;

	if (!strcmp(list, "default"))
		return 0;
	s->chosen = *all;
	s->chosen.spare = "";
	s->kind = &s->chosen;
	if (!strcmp(list, "all"))
		return 0;
	found = gn_sheet_columns(by, list, column);
	if (found < 0)
		return found;
	n = (size_t)found;
	cell = calloc(s->n * n + 1, sizeof(*cell));
	if (!cell)
		return -ENOMEM;
	for (size_t i = 0; i < s->n * n; i++)
		cell[i] = s->cell[i / n * all->ncolumns + column[i % n]];
	for (size_t i = 0; i < n; i++)
		s->chosen_column[i] = all->column[column[i]];
	free(s->cell);
	s->cell = cell;
	s->chosen.column = s->chosen_column;
	s->chosen.ncolumns = n;
	return 0;
}
