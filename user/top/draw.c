// SPDX-License-Identifier: BSD-2-Clause
#include "top/draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "top/draw_internal.h"

/* The table gets this many rows before the lines above it get any. */
#define LEAST_ROWS 4

/* The names of the tables, and which part of this one is on the screen. */
static void draw_tabs(struct gn_draw *d, int row, int rows)
{
	const struct gn_top_view *v = d->v;
	const struct gn_top_list *l = &v->list[v->mode];
	int col = 0, cols = d->g->cols;
	size_t last = l->scroll + (size_t)(rows > 0 ? rows : 0);
	char text[4 * GN_CELL];

	for (int i = 0; i < GN_TOP_MODES; i++) {
		bool is = (int)v->mode == i;

		/* without colours only the brackets show it */
		col = gn_draw_text(d, row, col, cols,
				   is ? GN_INK_STRONG : GN_INK_DIM,
				   is ? "[%s]" : " %s ",
				   gn_top_mode_text((enum gn_top_mode)i));
	}
	if (v->filter[0]) {
		col = gn_draw_text(d, row, col, cols, GN_INK_WARN,
				   "  filter: ");
		col = gn_draw_name(d, row, col, cols - col, GN_INK_WARN,
				   v->filter);
	}
	snprintf(text, sizeof(text), " %zu-%zu of %zu",
		 v->nrows ? l->scroll + 1 : 0,
		 last < v->nrows ? last : v->nrows, v->nrows);
	if (col + (int)strlen(text) <= cols)
		gn_draw_right(d, row, cols - (int)strlen(text),
			      (int)strlen(text), GN_INK_DIM, text);
}

/* Draws a key and its meaning, if there is room for both. */
static int draw_key(struct gn_draw *d, int row, int col, const char *key,
		    const char *label)
{
	int cols = d->g->cols;

	if (col + (int)strlen(key) + 1 + (int)strlen(label) > cols)
		return cols;
	col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN, "%s ", key);
	col = gn_draw_text(d, row, col, cols, GN_INK_LABEL, "%s", label);
	return col + 1;
}

/* Bytes to leave out at the start of a text, and the marks on them, so that
 * `width` cells hold the rest. */
static size_t left_out(const char *text, int width)
{
	size_t at = 0, len;

	while (text[at] && (gn_text_width(text + at) > (size_t)width ||
			    (at && !gn_cells(gn_utf8_next(text + at, &len))))) {
		gn_utf8_next(text + at, &len);
		at += len;
	}
	return at;
}

/* Of a filter that is too long for the screen, the part before the cursor is
 * shown, up to the cursor. */
static void draw_filter(struct gn_draw *d, int row)
{
	struct gn_top_view *v = d->v;
	int cols = d->g->cols, col;
	char *before = strndup(v->filter, v->cursor), *text, *all;
	size_t from;

	gn_cells_fill(d->g, row, 0, cols, GN_INK_LABEL, ' ');
	col = gn_draw_text(d, row, 0, cols / 2, GN_INK_LABEL, "Filter: ");
	text = before ? gn_escape(before, d->g->utf8) : NULL;
	all = gn_escape(v->filter, d->g->utf8);
	if (text && all) {
		from = left_out(text, cols - 1 - col);
		d->g->cursor_row = row;
		d->g->cursor_col = gn_draw_escaped(d, row, col, cols - 1,
						   GN_INK_LABEL, text + from);
		gn_draw_escaped(d, row, col, cols, GN_INK_LABEL, all + from);
	} else {
		d->err = -ENOMEM;
	}
	free(before);
	free(text);
	free(all);
}

/* Draws the bottom line: keys, or the filter being typed. */
static void draw_keys(struct gn_draw *d, int row)
{
	const struct gn_top_view *v = d->v;
	char period[GN_CELL];
	bool table = v->focus != GN_TOP_ON_THREAD;
	int col = 0;

	if (v->focus == GN_TOP_ON_FILTER) {
		draw_filter(d, row);
		return;
	}
	if (v->focus == GN_TOP_ON_CHOOSER) {
		col = draw_key(d, row, col, "Enter", "Sort");
		col = draw_key(d, row, col, "Esc", "Back");
		draw_key(d, row, col, "I", "Invert");
		return;
	}
	gn_draw_period(period, v->period);
	col = draw_key(d, row, col, "?", "Help");
	col = draw_key(d, row, col, "q", table ? "Quit" : "Back");
	if (table) {
		if (v->mode == GN_TOP_THREADS || v->mode == GN_TOP_TREE)
			col = draw_key(d, row, col, "Enter", "Open");
		col = draw_key(d, row, col, "t", "Table");
		col = draw_key(d, row, col, "s", "Sort");
		col = draw_key(d, row, col, "/", "Filter");
	} else {
		col = draw_key(d, row, col, "Tab", "Part");
	}
	col = draw_key(d, row, col, "p", v->paused ? "Go on" : "Pause");
	col = draw_key(d, row, col, "+-", period);
	col = draw_key(d, row, col, "c",
		       v->classify == GN_CLASSIFY_EXACT ? "Exact" : "Interval");
	if (table)
		draw_key(d, row, col, "I", "Invert");
}

/* Drawn before the first period ends. */
static void draw_waiting(struct gn_draw *d)
{
	char period[GN_CELL];
	int col;

	gn_draw_period(period, d->v->period);
	col = gn_draw_text(d, 0, 0, d->g->cols, GN_INK_STRONG, "gnomon top: ");
	gn_draw_text(d, 0, col, d->g->cols, GN_INK_PLAIN,
		     "waiting for the end of the first period (%s)", period);
	if (d->g->rows > 1)
		draw_keys(d, d->g->rows - 1);
}

/* Draws the lines above the table, the table or the thread, and the keys. */
static void draw_all(struct gn_draw *d)
{
	struct gn_top_view *v = d->v;
	int rows = d->g->rows, row = 0, end = rows;
	bool keys = rows > 2 || v->focus == GN_TOP_ON_FILTER;
	bool tabs = rows > 7 && !v->open;
	int at;

	if (keys)
		end--;
	row = gn_draw_header(d, 0, end - tabs - LEAST_ROWS);
	at = row;
	row += tabs;
	if (v->open)
		gn_draw_thread(d, row, end);
	else
		gn_draw_table(d, row, end);
	if (tabs)
		draw_tabs(d, at, end - row - 1);
	if (v->focus == GN_TOP_ON_CHOOSER)
		gn_draw_chooser(d, row, end);
	if (keys)
		draw_keys(d, rows - 1);
}

int gn_top_draw(const struct gn_top_period *p, struct gn_top_view *v,
		struct gn_cells *out)
{
	struct gn_draw d = {.p = p && p->m ? p : NULL, .v = v, .g = out};

	gn_cells_clear(out);
	d.err = gn_top_view_update(v, d.p);
	if (d.err)
		return d.err;
	if (v->focus == GN_TOP_ON_HELP)
		gn_draw_help(&d);
	else if (!d.p)
		draw_waiting(&d);
	else
		draw_all(&d);
	return d.err;
}
