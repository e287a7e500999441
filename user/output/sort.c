/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns that rows are sorted by. */
#include <errno.h>
#include <stdbool.h>
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

const char *gn_sort_choice(size_t i)
{
	for (int c = 0; c < GN_COLUMN_COUNT; c++) {
		const char *name = gn_column_name(c), *full = gn_column_long(c);

		if (!sorts(c))
			continue;
		if (i-- == 0)
			return name;
		if (strcmp(name, full) != 0 && i-- == 0)
			return full;
	}
	return NULL;
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
