/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows as an aligned table: columns of numbers, then names. On a terminal that
 * is too narrow, names are shortened in the middle, or put on a line of their
 * own. Other output is never shortened.
 */
#ifndef GNOMON_OUTPUT_GRID_H
#define GNOMON_OUTPUT_GRID_H

#include "output/rows.h"

/* Room for all columns of columns.h and a few more. */
#define GN_GRID_COLUMNS 64

enum gn_show {
	GN_SHOW_COUNT,
	GN_SHOW_ID,	/* a number without commas */
	GN_SHOW_TIME,	/* UINT64_MAX: not known */
	GN_SHOW_SIGNED, /* an int64_t; INT64_MIN: not known */
	GN_SHOW_PCT,
	GN_SHOW_TEXT, /* not used in grids */
};

struct gn_column {
	const char *top, *title; /* the title's two lines */
	const char *word;	 /* its name in left_out[] */
	enum gn_show show;
	uint64_t (*get)(const struct gn_row *r, int arg);
	int arg;
	/* whether the row has no value; or NULL */
	bool (*empty)(const struct gn_row *r, int arg);
	/* whether `~` is shown before the value; or NULL */
	bool (*uncertain)(const struct gn_row *r, int arg);
	uint64_t whole;	 /* PCT: what is 100 % */
	bool busy;	 /* PCT: idle threads have none */
	int gap;	 /* blanks before it */
	bool fits;	 /* gn_grid_fit() may leave it out, */
	uint64_t weight; /* the lightest first */
	bool usual;	 /* not named by the user: gn_grid_fit() drops it
			  * last */
	int width;	 /* set by measure() of grid.c */
};

struct gn_grid {
	struct gn_column column[GN_GRID_COLUMNS];
	int n;
	/* words of the columns that gn_grid_fit() left out */
	const char *left_out[GN_GRID_COLUMNS];
	int nleft_out;
	bool marks;   /* the column of `!` and `<` */
	bool modules; /* the module after the name */
	const char *title;
	bool kinds; /* rows are functions with callers and callees, or with
		     * reasons, in blocks with a blank line between them */
};

/* Leaves out columns until the widest row has at most `width` cells, or no more
 * can be left out. 0 or -ENOMEM. */
int gn_grid_fit(struct gn_grid *g, const struct gn_rows *rows,
		const struct gn_output_opts *o, int width);

/* 0, -errno of the stream, -ENOMEM. */
int gn_grid_print(struct gn_grid *g, const struct gn_rows *rows,
		  const struct gn_output_opts *o, FILE *f);

#endif
