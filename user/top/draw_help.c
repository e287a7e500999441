// SPDX-License-Identifier: BSD-2-Clause
/* The help, and the chooser of the column to sort by. */
#include <string.h>

#include "output/classes.h"
#include "top/draw_internal.h"

/* clang-format off */
static const char *const keys[] = {
	"Arrows, PgUp, PgDn, Home, End  move; a row stays selected, Home ends that",
	"Enter       open a thread (q goes back), open or close a call path",
	"t  F5       threads, functions, modules, call tree",
	"s  F6  < >  choose the column to sort by              I   invert the order",
	"/  F4       filter by name, Esc clears     Left Right Space   the call tree",
	"p  Space    hold this period on the screen     + -   longer, shorter period",
	"c           application time: exact or interval (*: from the next period on)",
	"^L  repaint     q F10  quit     Tab  another part of an opened thread",
};
/* clang-format on */
static const char notes[] =
	"STATE R runs, Q waits for a CPU, X ended; else what it waits for. "
	"Before a row: ! records were lost; < calls are missing: inlined, or "
	"before its probes. Shares of a thread are % of its time in the "
	"period, cpu% all on a CPU; ei ee elapsed, ai ae application time, "
	"inclusive and exclusive, % of all threads'; classes: % of the "
	"function's own time. exact: OS time is not application time; "
	"interval: nor is any interval with it. A muted function's time is its "
	"callers'.";
static const char classes[] =
	"Classes, and their letters where there are few colours:";

#define CLASS_WIDTH 26
#define KEY_WIDTH   12
#define WIDTH_LEAST 20 /* narrower terminals cut the lines */
#define LINES_MAX   96 /* more than there are at this width */

/* A line of the screen: a part of a text. */
struct line {
	const char *text;
	int len, indent;
};

struct lines {
	struct line line[LINES_MAX];
	int n;
};

static void add(struct lines *l, const char *text, int len, int indent)
{
	if (l->n < LINES_MAX)
		l->line[l->n++] = (struct line){text, len, indent};
}

/* Breaks a text at blanks. */
static void wrap(struct lines *l, const char *text, int width, int further)
{
	int indent = 0;

	if (width < WIDTH_LEAST)
		width = WIDTH_LEAST;
	if (width < 2 * further)
		further = 0;
	while (*text) {
		int len = (int)strlen(text), room = width - indent;

		if (len > room) {
			for (len = room; len && text[len] != ' '; len--)
				;
			len = len ? len : room;
		}
		add(l, text, len, indent);
		text += len;
		text += strspn(text, " ");
		indent = further;
	}
}

static void draw_line(struct gn_draw *d, int row, const struct line *line)
{
	gn_draw_text(d, row, 1 + line->indent, d->g->cols, GN_INK_PLAIN, "%.*s",
		     line->len, line->text);
}

static int class_columns(const struct gn_draw *d)
{
	int n = (d->g->cols - 1) / CLASS_WIDTH;

	return n < 1 ? 1 : n > 3 ? 3 : n;
}

static void draw_class_line(struct gn_draw *d, int row, int line, int lines)
{
	for (int i = 0; i * lines + line < GN_CLASS_COUNT; i++) {
		int x = 1 + i * CLASS_WIDTH;
		int class = gn_class_at(i * lines + line);

		gn_draw_text(d, row, x, d->g->cols, gn_draw_ink(class), "%c %s",
			     gn_class_letter(class), gn_class_text(class));
		x += 3 + (int)strlen(gn_class_text(class));
		gn_draw_text(d, row, x, d->g->cols, GN_INK_PLAIN, "%s",
			     gn_class_help(class));
	}
}

static void lay_out(struct lines *l, int width)
{
	l->n = 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		wrap(l, keys[i], width, KEY_WIDTH);
	add(l, "", 0, 0);
	wrap(l, notes, width, 0);
	wrap(l, classes, width, 0);
}

static void draw_frame(struct gn_draw *d, bool moves)
{
	gn_cells_fill(d->g, 0, 0, d->g->cols, GN_INK_HEAD, ' ');
	gn_draw_text(d, 0, 1, d->g->cols, GN_INK_HEAD,
		     "gnomon top: keys and columns");
	gn_draw_text(d, d->g->rows - 1, 0, d->g->cols, GN_INK_LABEL, "%s",
		     moves ? "q goes back; Up, Down, PgUp, PgDn: more"
			   : "q goes back");
}

void gn_draw_help(struct gn_draw *d)
{
	int columns = class_columns(d), rows = d->g->rows, all;
	int class_lines = (GN_CLASS_COUNT + columns - 1) / columns;
	int page = rows > 2 ? rows - 2 : 1, row = rows > 2;
	struct lines l;
	size_t most;

	lay_out(&l, d->g->cols - 1);
	all = l.n + class_lines;
	most = all > page ? (size_t)(all - page) : 0;
	if (d->v->help_scroll > most)
		d->v->help_scroll = most;
	d->v->page = (size_t)page;
	if (rows > 2)
		draw_frame(d, most);
	for (int i = (int)d->v->help_scroll; i < all && page > 0;
	     i++, row++, page--) {
		if (i < l.n)
			draw_line(d, row, &l.line[i]);
		else
			draw_class_line(d, row, i - l.n, class_lines);
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
