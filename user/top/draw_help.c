// SPDX-License-Identifier: BSD-2-Clause
/* The help, and the chooser of the column to sort by. */
#include <string.h>

#include "output/classes.h"
#include "top/draw_internal.h"

/* clang-format off */
static const char *const lines[] = {
	"Arrows, PgUp, PgDn, Home, End  move; a row stays selected, Home ends that",
	"Enter       open a thread (q goes back), open or close a call path",
	"t  F5       threads, functions, modules, call tree",
	"s  F6  < >  choose the column to sort by              I   invert the order",
	"/  F4       filter by name, Esc clears     Left Right Space   the call tree",
	"p  Space    hold this period on the screen     + -   longer, shorter period",
	"c           application time: exact or interval (*: from the next period on)",
	"^L  repaint     q F10  quit     Tab  another part of an opened thread",
	"",
	"STATE R runs, Q waits for a CPU, X ended; else what it waits for. Before a",
	"row: ! records were lost; < calls are missing: inlined, or before its probes.",
	"Shares of a thread are % of its time in the period, cpu% all on a CPU; ei ee",
	"elapsed, ai ae application time, inclusive and exclusive, % of all threads';",
	"classes: % of the function's own time. exact: OS time is not application time;",
	"interval: nor is any interval with it. A muted function's time is its callers'.",
	"",
	"Classes, and their letters where there are few colours:",
};
/* clang-format on */

#define NLINES	    (int)(sizeof(lines) / sizeof(lines[0]))
#define CLASS_COLS  3
#define CLASS_LINES ((GN_CLASS_COUNT + CLASS_COLS - 1) / CLASS_COLS)

static void draw_class_line(struct gn_draw *d, int row, int line)
{
	for (int i = 0; i < CLASS_COLS; i++) {
		int at = i * CLASS_LINES + line, x = 1 + i * 26, class;

		if (at >= GN_CLASS_COUNT)
			continue;
		class = gn_class_at(at);
		gn_draw_text(d, row, x, d->g->cols, gn_draw_ink(class), "%c %s",
			     gn_class_letter(class), gn_class_text(class));
		x += 3 + (int)strlen(gn_class_text(class));
		gn_draw_text(d, row, x, d->g->cols, GN_INK_PLAIN, "%s",
			     gn_class_help(class));
	}
}

void gn_draw_help(struct gn_draw *d)
{
	int rows = d->g->rows, all = NLINES + CLASS_LINES;
	int page = rows > 2 ? rows - 2 : 1;
	size_t most = all > page ? (size_t)(all - page) : 0;
	int row = rows > 2;

	if (d->v->help_scroll > most)
		d->v->help_scroll = most;
	d->v->page = (size_t)page;
	if (rows > 2) {
		gn_cells_fill(d->g, 0, 0, d->g->cols, GN_INK_HEAD, ' ');
		gn_draw_text(d, 0, 1, d->g->cols, GN_INK_HEAD,
			     "gnomon top: keys and columns");
		gn_draw_text(d, rows - 1, 0, d->g->cols, GN_INK_LABEL,
			     "q goes back");
	}
	for (int i = (int)d->v->help_scroll; i < all && page > 0;
	     i++, row++, page--) {
		if (i < NLINES)
			gn_draw_text(d, row, 1, d->g->cols, GN_INK_PLAIN, "%s",
				     lines[i]);
		else
			draw_class_line(d, row, i - NLINES);
	}
}

void gn_draw_chooser(struct gn_draw *d, int row, int end)
{
	const struct gn_top_view *v = d->v;
	struct gn_top_columns c;
	int width = 20, page, from;

	if (width > d->g->cols)
		width = d->g->cols;
	gn_top_sort_columns(v->mode, &c);
	for (int r = row; r < end; r++)
		gn_cells_fill(d->g, r, 0, width, GN_INK_PLAIN, ' ');
	if (end - row > 1) {
		gn_cells_fill(d->g, row, 0, width, GN_INK_SORTED, ' ');
		gn_draw_text(d, row++, 1, width, GN_INK_SORTED, "Sort by");
	}
	page = end - row;
	from = v->chosen >= page ? v->chosen - page + 1 : 0;
	for (int i = from; i < c.n && row < end; i++, row++) {
		gn_draw_text(d, row, 1, width, GN_INK_PLAIN, "%s",
			     gn_column_long(c.column[i]));
		if (i == v->chosen)
			gn_cells_select(d->g, row, 0, width);
	}
}
