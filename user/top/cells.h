/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The grid of characters that the live view draws on. It knows no terminal, so
 * tests can compare it as text. A cell never holds a control character:
 * characters that are not printable (output/text.h) become '?', so escape names
 * first.
 */
#ifndef GNOMON_TOP_CELLS_H
#define GNOMON_TOP_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/time_class.h>

/* The most rows, and the most columns, of a grid. */
#define GN_CELLS_MAX 4096

/* How many marks (accents) of a character are kept. */
#define GN_CELL_MARKS 2

/* The meaning of a cell, which the screen turns into a colour. */
enum gn_ink {
	GN_INK_PLAIN = 0,
	GN_INK_DIM,    /* zeros and less important values */
	GN_INK_STRONG, /* titles, totals */
	GN_INK_HEAD,   /* the table's titles */
	GN_INK_SORTED, /* the title of the sort column */
	GN_INK_LABEL,  /* what a key does, in the bottom line */
	GN_INK_GOOD,
	GN_INK_WARN,
	GN_INK_BAD, /* must not be overlooked */
	GN_INK_CLASS,
	GN_INK_COUNT = GN_INK_CLASS + GN_CLASS_COUNT,
};

struct gn_cell {
	uint32_t c; /* 0: the right half of the wide character before */
	uint32_t marks[GN_CELL_MARKS]; /* 0 = none */
	uint8_t ink;		       /* enum gn_ink */
	uint8_t width;		       /* columns: 1 or 2; 0 where c is 0 */
	bool selected;		       /* in the selected row */
};

struct gn_cells {
	/* set by gn_cells_resize() */
	int rows, cols;
	/* set by the owner, before drawing */
	bool utf8;	  /* else only ASCII is drawn */
	unsigned colours; /* of the terminal; 0: use none */
	/* the cursor's position; row -1: hidden */
	int cursor_row, cursor_col;
	struct gn_cell *cell; /* row by row */
};

/*
 * Makes it rows x cols blanks. A zeroed struct is an empty grid. 0; -EINVAL for
 * a size below 1 or above GN_CELLS_MAX, or -ENOMEM: the grid is unchanged.
 */
int gn_cells_resize(struct gn_cells *g, int rows, int cols);
void gn_cells_free(struct gn_cells *g);

/* All blank, no cursor. */
void gn_cells_clear(struct gn_cells *g);

/* The cell, NULL outside of the grid. */
struct gn_cell *gn_cells_at(const struct gn_cells *g, int row, int col);

/*
 * Puts `text` (UTF-8) at a place, as much as fits before column `end`.
 * Characters outside of the grid are left out. Returns the column after the
 * text.
 */
int gn_cells_put(struct gn_cells *g, int row, int col, int end, enum gn_ink ink,
		 const char *text);

/* Fills columns [col, end) with a character one column wide. */
void gn_cells_fill(struct gn_cells *g, int row, int col, int end,
		   enum gn_ink ink, uint32_t c);

/* Marks columns [col, end) as selected. */
void gn_cells_select(struct gn_cells *g, int row, int col, int end);

#endif
