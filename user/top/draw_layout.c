// SPDX-License-Identifier: BSD-2-Clause
/* Which columns fit, and where. */
#include <string.h>

#include "output/classes.h"
#include "top/draw_internal.h"

/* The first column of the screen: ! where records were lost. */
#define GUTTER 1

/* This many columns of classes come before the other optional columns. */
#define MAIN_CLASSES 3

/* Names get this width before more columns are added. */
#define NAME_ROOM 32

/* The columns that are chosen so far. */
struct plan {
	bool in[GN_COLUMN_COUNT];
	int width[GN_COLUMN_COUNT];
	int room;
	/* time by class: classes with more time come first */
	const uint64_t *seen;
};

static int least_width(int column, enum gn_top_mode mode)
{
	return column == GN_COLUMN_NAME && mode == GN_TOP_THREADS
		       ? 12
		       : gn_column_width(column);
}

/* How wide a column may grow; 0: not at all. */
static int most_width(int column, enum gn_top_mode mode, int cols)
{
	switch (column) {
	case GN_COLUMN_NAME:
		return mode == GN_TOP_THREADS ? 24 : 1 << 14;
	case GN_COLUMN_MODULE:
		return 28;
	case GN_COLUMN_BAR:
		return cols >= 160 ? 20 : 0;
	case GN_COLUMN_NOW:
	case GN_COLUMN_MOST:
		return 1 << 14;
	default:
		return 0;
	}
}

static void take(struct plan *p, int column, enum gn_top_mode mode)
{
	int width = least_width(column, mode);

	if (p->in[column] || width + 1 > p->room)
		return;
	p->in[column] = true;
	p->width[column] = width;
	p->room -= width + 1;
}

/* The class that has had the most time and has no column yet; application time
 * comes first. -1: none, or none with any time. */
static int next_class(const struct plan *p)
{
	const uint64_t *seen = p->seen;
	int best = -1;

	if (!p->in[GN_COLUMN_CLASS + GN_CLASS_APP])
		return GN_CLASS_APP;
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		int class = gn_class_at(i);

		if (!p->in[GN_COLUMN_CLASS + class] && seen[class] &&
		    (best < 0 || seen[class] > seen[best]))
			best = class;
	}
	return best;
}

/* Takes at most `most` classes with time, each only if at least `room` columns
 * are free. */
static void take_classes(struct plan *p, const struct gn_draw *d, int most,
			 int room)
{
	for (; most > 0 && p->room >= room; most--) {
		int class = next_class(p);

		if (class < 0)
			return;
		take(p, GN_COLUMN_CLASS + class, d->v->mode);
		if (!p->in[GN_COLUMN_CLASS + class])
			return;
	}
}

/* Takes all classes while names keep room to grow; those without time come
 * last. */
static void take_all_classes(struct plan *p, const struct gn_draw *d)
{
	take_classes(p, d, GN_CLASS_COUNT, NAME_ROOM);
	for (int i = 0; i < GN_CLASS_COUNT && p->room >= NAME_ROOM; i++)
		take(p, GN_COLUMN_CLASS + gn_class_at(i), d->v->mode);
}

static void take_thread_columns(struct plan *p, const struct gn_draw *d)
{
	const int first[] = {
		GN_COLUMN_NAME,	 GN_COLUMN_TID,
		GN_COLUMN_STATE, d->v->list[GN_TOP_THREADS].sort,
		GN_COLUMN_BAR,	 GN_COLUMN_CALLS,
		GN_COLUMN_NOW,	 GN_COLUMN_ON_CPU,
	};

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		take(p, first[i], GN_TOP_THREADS);
	if (d->p->m->nprocesses > 1)
		take(p, GN_COLUMN_PID, GN_TOP_THREADS);
	take_classes(p, d, MAIN_CLASSES, 0);
	take(p, GN_COLUMN_MOST, GN_TOP_THREADS);
	take_classes(p, d, GN_CLASS_COUNT, NAME_ROOM);
	take(p, GN_COLUMN_RUNTIME, GN_TOP_THREADS);
	take_all_classes(p, d);
}

static void take_value_columns(struct plan *p, const struct gn_draw *d)
{
	const int first[] = {
		GN_COLUMN_NAME,	  d->v->list[d->v->mode].sort,
		GN_COLUMN_CALLS,  GN_COLUMN_EE_PCT,
		GN_COLUMN_AE_PCT, GN_COLUMN_EI_PCT,
		GN_COLUMN_AI_PCT,
	};
	enum gn_top_mode mode = d->v->mode;

	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		take(p, first[i], mode);
	take(p, GN_COLUMN_BAR, mode);
	if (mode != GN_TOP_MODULES)
		take(p, GN_COLUMN_MODULE, mode);
	take_all_classes(p, d);
}

/* Gives the remaining width to the columns of text, in equal parts. */
static void widen(struct plan *p, enum gn_top_mode mode, int cols)
{
	bool any = true;

	while (p->room > 0 && any) {
		any = false;
		for (int c = 0; c < GN_COLUMN_COUNT && p->room > 0; c++) {
			if (!p->in[c] ||
			    p->width[c] >= most_width(c, mode, cols))
				continue;
			p->width[c]++;
			p->room--;
			any = true;
		}
	}
}

static void place(struct plan *p, const struct gn_top_columns *columns,
		  struct gn_layout *out)
{
	int x = GUTTER;

	out->n = 0;
	for (int i = 0; i < columns->n; i++) {
		int c = columns->column[i];

		if (!p->in[c])
			continue;
		out->at[out->n].column = c;
		out->at[out->n].x = x;
		out->at[out->n].width = p->width[c];
		out->n++;
		x += p->width[c] + 1;
	}
}

static void plan_start(struct plan *p, const struct gn_draw *d)
{
	memset(p, 0, sizeof(*p));
	p->room = d->g->cols - GUTTER + 1; /* no blank after the last */
	p->seen = d->v->mode == GN_TOP_THREADS ? d->v->seen : d->v->own;
}

/* If the terminal is too narrow for any column, shows only the name. */
static void plan_end(struct plan *p, const struct gn_draw *d,
		     enum gn_top_mode mode)
{
	if (!p->in[GN_COLUMN_NAME]) {
		memset(p->in, 0, sizeof(p->in));
		p->in[GN_COLUMN_NAME] = true;
		p->width[GN_COLUMN_NAME] = d->g->cols - GUTTER;
		return;
	}
	widen(p, mode, d->g->cols);
}

void gn_layout_table(const struct gn_draw *d, struct gn_layout *out)
{
	struct gn_top_columns columns;
	struct plan p;

	gn_top_columns(d->v->mode, &columns);
	plan_start(&p, d);
	if (d->v->mode == GN_TOP_THREADS)
		take_thread_columns(&p, d);
	else
		take_value_columns(&p, d);
	plan_end(&p, d, d->v->mode);
	place(&p, &columns, out);
}

void gn_layout_thread(const struct gn_draw *d, struct gn_layout *out)
{
	static const int first[] = {GN_COLUMN_NAME, GN_COLUMN_CALLS,
				    GN_COLUMN_EE_PCT, GN_COLUMN_AE_PCT,
				    GN_COLUMN_BAR};
	struct gn_top_columns columns;
	struct plan p;

	gn_top_columns(GN_TOP_FUNCTIONS, &columns);
	plan_start(&p, d);
	p.seen = d->v->open->t.classes;
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		take(&p, first[i], GN_TOP_FUNCTIONS);
	take_classes(&p, d, MAIN_CLASSES, 0);
	take(&p, GN_COLUMN_MODULE, GN_TOP_FUNCTIONS);
	take_classes(&p, d, GN_CLASS_COUNT, NAME_ROOM);
	plan_end(&p, d, GN_TOP_FUNCTIONS);
	place(&p, &columns, out);
}

/* The mark of the order: largest or smallest first. */
static const char *arrow(const struct gn_draw *d, int column, bool inverted)
{
	bool up = gn_top_column_up(column);

	if (d->g->utf8)
		return up != inverted ? "\xe2\x96\xb2" : "\xe2\x96\xbc";
	return up != inverted ? "^" : "v";
}

void gn_layout_titles(struct gn_draw *d, const struct gn_layout *l, int row,
		      enum gn_ink ink, int sort, bool inverted)
{
	enum gn_top_mode mode =
		d->v->open && sort < 0 ? GN_TOP_FUNCTIONS : d->v->mode;

	gn_cells_fill(d->g, row, 0, d->g->cols, ink, ' ');
	for (int i = 0; i < l->n; i++) {
		int c = l->at[i].column, x = l->at[i].x;
		int width = l->at[i].width;
		const char *title = gn_top_column_title(c, mode);
		bool left = gn_column_show(c) == GN_SHOW_TEXT;
		int len = (int)strlen(title);

		if (!left && len < width)
			x += width - len;
		if (c != sort) {
			gn_cells_put(d->g, row, x, l->at[i].x + width, ink,
				     title);
			continue;
		}
		if (!left) /* there is always a blank before it */
			x = gn_cells_put(d->g, row, x - 1, x, GN_INK_SORTED,
					 arrow(d, c, inverted));
		x = gn_cells_put(d->g, row, x, l->at[i].x + width,
				 GN_INK_SORTED, title);
		if (left)
			gn_cells_put(d->g, row, x, l->at[i].x + width + 1,
				     GN_INK_SORTED, arrow(d, c, inverted));
	}
}
