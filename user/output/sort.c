/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns that rows are sorted by. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "output/rows.h"

/* X(enumerator, name, value of `r`): sorted downwards. */
#define NUMBER_LIST(X)                                           \
	X(ELAPSED_INCL, "elapsed-inclusive", r->v->elapsed_incl) \
	X(ELAPSED_EXCL, "elapsed-exclusive", r->v->elapsed_excl) \
	X(APP_INCL, "application-inclusive", r->v->app_incl)     \
	X(APP_EXCL, "application-exclusive", r->v->app_excl)     \
	X(EI, "ei", r->v->elapsed_incl)                          \
	X(EE, "ee", r->v->elapsed_excl)                          \
	X(AI, "ai", r->v->app_incl)                              \
	X(AE, "ae", r->v->app_excl)                              \
	X(CALLS, "calls", r->v->calls)                           \
	X(UNWOUND, "unwound", r->v->unwound)                     \
	X(MIN, "min", r->v->min)                                 \
	X(AVG, "avg", gn_row_avg(r))                             \
	X(MAX, "max", r->v->max)                                 \
	X(GAPS, "gaps", r->gaps)

enum column {
#define COLUMN_ENUM(id, name, value) COLUMN_##id,
	NUMBER_LIST(COLUMN_ENUM)
#undef COLUMN_ENUM
		COLUMN_NAME,
	COLUMN_MODULE,
	COLUMN_PID,
	COLUMN_CLASS, /* the classes follow */
	COLUMN_CLASS_INCL = COLUMN_CLASS + GN_CLASS_COUNT,
	COLUMN_COUNT = COLUMN_CLASS_INCL + GN_CLASS_COUNT,
};

static const char *const columns[] = {
#define COLUMN_TEXT(id, name, value) [COLUMN_##id] = name,
	NUMBER_LIST(COLUMN_TEXT)
#undef COLUMN_TEXT
		[COLUMN_NAME] = "name",
	[COLUMN_MODULE] = "module",
	[COLUMN_PID] = "pid",
#define COLUMN_CLASS_TEXT(id, value, name, group, meaning) \
	[COLUMN_CLASS + GN_CLASS_##id] = name,             \
			[COLUMN_CLASS_INCL + GN_CLASS_##id] = name "+",
	GN_CLASS_LIST(COLUMN_CLASS_TEXT)
#undef COLUMN_CLASS_TEXT
		[COLUMN_COUNT] = NULL,
};

const char *const *gn_sort_columns(void)
{
	return columns;
}

static uint64_t number(const struct gn_row *r, enum column c)
{
	switch (c) {
#define COLUMN_CASE(id, name, value) \
	case COLUMN_##id:            \
		return value;
		NUMBER_LIST(COLUMN_CASE)
#undef COLUMN_CASE
	default:
		return c < COLUMN_CLASS_INCL
			       ? r->classes[c - COLUMN_CLASS]
			       : r->v->class_incl[c - COLUMN_CLASS_INCL];
	}
}

static int up(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right, void *ctx)
{
	const struct gn_row *a = left, *b = right;
	enum column c = *(const enum column *)ctx;
	int order = 0;

	if (c == COLUMN_MODULE)
		order = strcmp(a->module, b->module);
	else if (c == COLUMN_PID)
		order = up(a->pid, b->pid) ? up(a->pid, b->pid)
					   : up(a->tid, b->tid);
	else if (c != COLUMN_NAME)
		order = up(number(b, c), number(a, c));
	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = strcmp(a->module, b->module);
	return order ? order : up(a->id, b->id);
}

int gn_rows_sort(struct gn_row *row, size_t n, const char *column)
{
	enum column c = 0;

	if (!column)
		return 0;
	while (columns[c] && strcmp(columns[c], column) != 0)
		c++;
	if (!columns[c])
		return -EINVAL;
	if (n)
		qsort_r(row, n, sizeof(*row), compare, &c);
	return 0;
}
