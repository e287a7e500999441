/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns that rows are sorted by. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/columns.h"
#include "output/sheet.h"

static bool of_waits(int column)
{
	return column >= GN_COLUMN_WAIT_TIME &&
	       column <= GN_COLUMN_WAIT_LONGEST;
}

static bool of_async(int column)
{
	return column >= GN_COLUMN_ASYNC_TIME && column <= GN_COLUMN_ASYNC_MOST;
}

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
		       (column < GN_COLUMN_NAME || of_waits(column) ||
			of_async(column) || column >= GN_COLUMN_CLASS);
	}
}

/* Whether an earlier column has the same name. */
static bool is_again(int column)
{
	const char *name = gn_column_name(column);

	for (int c = 0; c < column; c++)
		if (sorts(c) && !strcmp(gn_column_name(c), name))
			return true;
	return false;
}

/* The column of the i-th name, which is set in *name. -1 past the last: then *i
 * has been reduced by the number of names. */
static int choice(size_t *i, const char **name)
{
	for (int c = 0; c < GN_COLUMN_COUNT; c++) {
		if (!sorts(c))
			continue;
		*name = gn_column_name(c);
		if (!is_again(c) && (*i)-- == 0)
			return c;
		if (!strcmp(*name, gn_column_long(c)))
			continue;
		*name = gn_column_long(c);
		if ((*i)-- == 0)
			return c;
	}
	return -1;
}

static bool is_column(const char *name)
{
	for (int c = 0; c < GN_COLUMN_COUNT; c++)
		if (sorts(c) && gn_column_is(c, name, strlen(name)))
			return true;
	return false;
}

/* Whether a sheet before that of `by` has the same name. */
static bool is_in_sheets(const char *name, enum gn_by by)
{
	for (int b = GN_BY_GC; b < (int)by; b++)
		if (gn_sheet_column((enum gn_by)b, name) >= 0)
			return true;
	return false;
}

const char *gn_sort_choice(size_t i)
{
	const char *name;

	if (choice(&i, &name) >= 0)
		return name;
	for (int by = GN_BY_GC; by < GN_BY_COUNT; by++)
		for (size_t k = 0;
		     (name = gn_sheet_sort_word((enum gn_by)by, k)); k++)
			if (!is_column(name) &&
			    !is_in_sheets(name, (enum gn_by)by) && i-- == 0)
				return name;
	return NULL;
}

/* Whether rows of `by` have values in the column that can differ. */
static bool has(enum gn_by by, int column)
{
	if (of_waits(column))
		return by == GN_BY_WAITS;
	if (of_async(column))
		return by == GN_BY_ASYNC;
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

/* The column of that name that rows of `by` have; else any of that name; else
 * -1. */
static int find(const char *name, enum gn_by by)
{
	int any = -1;

	for (int c = 0; c < GN_COLUMN_COUNT; c++) {
		if (!sorts(c) || !gn_column_is(c, name, strlen(name)))
			continue;
		if (has(by, c))
			return c;
		any = c;
	}
	return any;
}

bool gn_sort_fits(const char *name, enum gn_by by)
{
	int column;

	if (gn_by_is_sheet(by))
		return gn_sheet_column(by, name) >= 0;
	column = find(name, by);
	return column >= 0 && has(by, column);
}

static void sheet_keys(char buf[GN_SORT_KEYS], enum gn_by by)
{
	const char *name;
	size_t n = 0;

	for (size_t i = 0; (name = gn_sheet_sort_word(by, i)); i++)
		n += (size_t)snprintf(buf + n, GN_SORT_KEYS - n, "%s%s",
				      n ? ", " : "", name);
}

void gn_sort_keys(char buf[GN_SORT_KEYS], enum gn_by by)
{
	size_t n = 0;

	if (gn_by_is_sheet(by)) {
		sheet_keys(buf, by);
		return;
	}
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

int gn_rows_sort(struct gn_row *row, size_t n, const char *column,
		 enum gn_by by)
{
	int c;

	if (!column)
		return 0;
	if (gn_by_is_sheet(by)) /* a sheet sorts itself */
		return gn_sort_fits(column, by) ? 0 : -EINVAL;
	c = find(column, by);
	if (c < 0)
		return -EINVAL;
	if (n)
		qsort_r(row, n, sizeof(*row), compare, &c);
	return 0;
}
