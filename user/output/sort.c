/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns that rows are sorted by. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/columns.h"

static bool sorts(int column)
{
	switch (column) {
	case GN_COLUMN_NAME:
	case GN_COLUMN_MODULE:
	case GN_COLUMN_PID:
	case GN_COLUMN_GAPS:
		return true;
	default:
		return gn_column_show(column) != GN_SHOW_PCT &&
		       (column < GN_COLUMN_NAME || column >= GN_COLUMN_CLASS);
	}
}

/* The column of the i-th name to sort by, -1 past the last. */
static int choice(size_t i, const char **name)
{
	for (int c = 0; c < GN_COLUMN_COUNT; c++) {
		if (!sorts(c))
			continue;
		*name = gn_column_name(c);
		if (i-- == 0)
			return c;
		if (!strcmp(*name, gn_column_long(c)))
			continue;
		*name = gn_column_long(c);
		if (i-- == 0)
			return c;
	}
	return -1;
}

const char *gn_sort_choice(size_t i)
{
	const char *name;

	return choice(i, &name) < 0 ? NULL : name;
}

/* Whether the rows have a value there, and not all the same. */
static bool has(enum gn_by by, int column)
{
	if (gn_by_has_own_columns(by))
		return column == GN_COLUMN_NAME || column == GN_COLUMN_MODULE;
	switch (column) {
	case GN_COLUMN_PID:
		return gn_by_owns_all(by);
	case GN_COLUMN_GAPS:
		return by == GN_BY_THREAD;
	case GN_COLUMN_MODULE:
	case GN_COLUMN_MIN:
	case GN_COLUMN_AVG:
	case GN_COLUMN_MAX:
	case GN_COLUMN_FINISHED:
		return !gn_by_owns_all(by);
	default:
		return true;
	}
}

bool gn_sort_fits(size_t i, enum gn_by by)
{
	const char *name;
	int column = choice(i, &name);

	return column >= 0 && has(by, column);
}

void gn_sort_keys(char buf[GN_SORT_KEYS], enum gn_by by)
{
	size_t n = 0;

	for (int c = 0; c < GN_COLUMN_CLASS; c++)
		if (sorts(c) && has(by, c))
			n += (size_t)snprintf(buf + n, GN_SORT_KEYS - n, "%s%s",
					      n ? ", " : "", gn_column_name(c));
	if (has(by, GN_COLUMN_CLASS))
		snprintf(buf + n, GN_SORT_KEYS - n,
			 ", lock, lock+ and the other classes");
}

static int up(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right, void *ctx)
{
	const struct gn_row *a = left, *b = right;
	int c = *(const int *)ctx, order = 0;

	if (c == GN_COLUMN_MODULE)
		order = strcmp(a->module, b->module);
	else if (c == GN_COLUMN_PID)
		order = up(a->pid, b->pid) ? up(a->pid, b->pid)
					   : up(a->tid, b->tid);
	else if (c != GN_COLUMN_NAME)
		order = up(gn_column_value(b, c), gn_column_value(a, c));
	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->module, b->module);
	return order ? order : up(a->id, b->id);
}

int gn_rows_sort(struct gn_row *row, size_t n, const char *column)
{
	int c = 0;

	if (!column)
		return 0;
	while (c < GN_COLUMN_COUNT &&
	       !(sorts(c) && gn_column_is(c, column, strlen(column))))
		c++;
	if (c == GN_COLUMN_COUNT)
		return -EINVAL;
	if (n)
		qsort_r(row, n, sizeof(*row), compare, &c);
	return 0;
}
