/* SPDX-License-Identifier: BSD-2-Clause */
/* Which columns the live view's tables have. */
#ifndef GNOMON_TOP_VIEW_COLUMNS_H
#define GNOMON_TOP_VIEW_COLUMNS_H

#include "output/columns.h"
#include "output/now.h"
#include "top/view.h"

/* A table's columns (enum gn_column_id) in their order on the screen. */
struct gn_top_columns {
	int n;
	int column[GN_COLUMN_COUNT];
};

void gn_top_columns(enum gn_top_mode mode, struct gn_top_columns *out);

/* The same, but only columns to sort by. */
void gn_top_sort_columns(enum gn_top_mode mode, struct gn_top_columns *out);

/* The initial sort column of a table. */
int gn_top_usual_sort(enum gn_top_mode mode);

/* A column's title in the table. */
const char *gn_top_column_title(int column, enum gn_top_mode mode);

/* True if the smallest value comes first: text and ids. */
bool gn_top_column_up(int column);

/* The rate per second of a count in a period of `length` nanoseconds. */
double gn_top_rate(uint64_t count, uint64_t length);

#endif
