/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by sheet.c (rows and columns), sheet_table.c (the table for people)
 * and sheet_formats.c. */
#ifndef GNOMON_OUTPUT_SHEET_PARTS_H
#define GNOMON_OUTPUT_SHEET_PARTS_H

#include "output/sheet.h"
#include "output/text.h"

/* What is appended to the column's key. */
static inline const char *gn_sheet_unit(const struct gn_sheet_column *c)
{
	return c->kind == GN_CELL_TIME ? "_ns" : "";
}

/* Whether the column is aligned as texts are. */
static inline bool gn_sheet_is_text(const struct gn_sheet *s, size_t column)
{
	return s->kind->column[column].kind == GN_CELL_TEXT ||
	       s->kind->column[column].kind == GN_CELL_FLAG;
}

/* Formats a known value that is no text for people. */
void gn_sheet_format(char buf[GN_CELL], enum gn_cell_kind kind,
		     const struct gn_cell *c, bool exact);

#endif
