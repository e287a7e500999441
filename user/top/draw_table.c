// SPDX-License-Identifier: BSD-2-Clause
/* The tables: threads, functions, modules, the call tree. */
#include <inttypes.h>
#include <string.h>

#include <gnomon/path.h>
#include "output/now.h"
#include "top/draw_internal.h"

/* The indentation before a name of the tree. Deep levels get a number instead,
 * since the name needs the width. */
static int draw_branch(struct gn_draw *d, int row, int x, int width,
		       const struct gn_top_row *node)
{
	const char *mark = !node->parent ? " " : node->open ? "-" : "+";
	int indent = (int)(node->depth < 1000 ? node->depth : 1000) * 2;

	if (d->g->utf8 && node->parent)
		mark = node->open ? "\xe2\x96\xbe" : "\xe2\x96\xb8";
	if (indent + 2 <= width / 2)
		return gn_draw_text(d, row, x + indent, x + width,
				    GN_INK_STRONG, "%s ", mark);
	return gn_draw_text(d, row, x, x + width, GN_INK_STRONG,
			    "%" PRIu32 ": %s ", node->depth, mark);
}

static void draw_value_name(struct gn_draw *d, int row, int x, int width,
			    const struct gn_draw_values *s)
{
	enum gn_ink ink = s->muted ? GN_INK_DIM : GN_INK_PLAIN;
	int end = x + width;

	if (s->r.thread) {
		gn_draw_name(d, row, x, width, ink, s->r.name);
		return;
	}
	if (s->node)
		x = draw_branch(d, row, x, width, s->node);
	if (s->muted)
		x = gn_draw_text(d, row, x, end, GN_INK_WARN, "muted ");
	if (*s->r.name)
		gn_draw_function(d, row, x, end - x, ink, gn_row_shown(&s->r));
	else
		gn_draw_text(d, row, x, end, GN_INK_DIM, "%s",
			     "outside of any function");
}

static enum gn_ink state_ink(const struct gn_model_thread *t)
{
	if (!t->live)
		return GN_INK_DIM;
	switch (t->live->state) {
	case GN_THREAD_RUNNING:
		return GN_INK_GOOD;
	case GN_THREAD_RUNNABLE:
		return GN_INK_WARN;
	case GN_THREAD_WAITING:
		return t->live->doing < GN_CLASS_COUNT
			       ? gn_draw_ink(t->live->doing)
			       : GN_INK_PLAIN;
	default:
		return GN_INK_DIM;
	}
}

/* The function that a thread is in, or that took most of its time. */
static const char *function_of(const struct gn_draw *d, int column,
			       const struct gn_model_thread *t)
{
	const struct gn_model_function *f =
		gn_now_find(d->p->m, column == GN_COLUMN_NOW ? gn_now_top(t)
							     : gn_now_most(t));

	return f ? gn_function_shown(f) : "";
}

static void draw_value_text(struct gn_draw *d, int column, int row, int x,
			    int width, const struct gn_draw_values *s)
{
	const char *text = gn_column_text(d->p->m, &s->r, column);

	if (column == GN_COLUMN_NOW || column == GN_COLUMN_MOST)
		text = function_of(d, column, s->r.thread);
	switch (column) {
	case GN_COLUMN_NAME:
		draw_value_name(d, row, x, width, s);
		break;
	case GN_COLUMN_MODULE:
		gn_draw_name(d, row, x, width, GN_INK_DIM, gn_base_name(text));
		break;
	case GN_COLUMN_BAR:
		gn_draw_classes(d, row, x, width, s->r.classes,
				gn_row_own(&s->r));
		break;
	case GN_COLUMN_STATE:
		gn_draw_text(d, row, x, x + width, state_ink(s->r.thread), "%s",
			     text);
		break;
	default: /* a function, or not known */
		if (!*text || column == GN_COLUMN_RUNTIME)
			gn_draw_text(d, row, x, x + width, GN_INK_DIM, "%s",
				     *text ? text : "-");
		else
			gn_draw_function(d, row, x, width, GN_INK_PLAIN, text);
	}
}

static void draw_value(struct gn_draw *d, int column, int row, int x, int width,
		       const struct gn_draw_values *s)
{
	uint64_t value = gn_column_value(&s->r, column);
	char buf[GN_CELL];

	switch (gn_column_show(column)) {
	case GN_SHOW_TEXT:
		draw_value_text(d, column, row, x, width, s);
		break;
	case GN_SHOW_ID:
		snprintf(buf, sizeof(buf), "%" PRIu64, value);
		gn_draw_right(d, row, x, width, GN_INK_PLAIN, buf);
		break;
	case GN_SHOW_COUNT:
		gn_draw_rate(buf, gn_top_rate(value, s->length));
		gn_draw_right(d, row, x, width,
			      value ? GN_INK_PLAIN : GN_INK_DIM, buf);
		break;
	case GN_SHOW_PCT:
		gn_draw_pct(d, row, x, width, value,
			    gn_column_whole(s->all, column));
		break;
	default:
		gn_draw_pct(d, row, x, width, value, gn_row_own(&s->r));
	}
}

void gn_draw_values(struct gn_draw *d, const struct gn_layout *l, int row,
		    const struct gn_draw_values *values)
{
	const struct gn_row *r = &values->r;

	if (r->v->gap || r->gaps)
		gn_draw_text(d, row, 0, 1, GN_INK_BAD, "!");
	else if (gn_calls_missing(r->v) && !r->thread)
		gn_draw_text(d, row, 0, 1, GN_INK_BAD, "<");
	for (int i = 0; i < l->n; i++)
		draw_value(d, l->at[i].column, row, l->at[i].x, l->at[i].width,
			   values);
}

static void draw_row(struct gn_draw *d, const struct gn_layout *l, int row,
		     const struct gn_top_row *r)
{
	const struct gn_model *m = d->p->m;
	enum gn_top_mode mode = d->v->mode;
	struct gn_draw_values s = {
		.all = &m->session,
		.length = d->p->length,
		.muted = mode == GN_TOP_FUNCTIONS &&
			 m->functions[r->index].muted,
		.node = mode == GN_TOP_TREE ? r : NULL,
	};

	gn_top_make_row(&s.r, m, mode, r->index);
	if (!*s.r.name && mode != GN_TOP_THREADS)
		s.r.name = "?";
	gn_draw_values(d, l, row, &s);
}

/* Why there is no row. */
static const char *nothing(const struct gn_draw *d)
{
	if (d->v->filter[0])
		return "Nothing matches the filter; Esc clears it.";
	if (d->v->mode == GN_TOP_THREADS)
		return "No threads.";
	if (!d->p->functions)
		return "Functions are not traced; -f names some.";
	return "No function ran in this period.";
}

/* Scrolls so that the selected row is visible. */
static void scroll(struct gn_top_view *v, size_t page)
{
	struct gn_top_list *l = &v->list[v->mode];
	size_t most = v->nrows > page ? v->nrows - page : 0;

	v->page = page;
	if (l->scroll > l->selected)
		l->scroll = l->selected;
	if (l->selected - l->scroll >= page)
		l->scroll = page ? l->selected - page + 1 : 0;
	if (l->scroll > most)
		l->scroll = most;
}

void gn_draw_table(struct gn_draw *d, int row, int end)
{
	struct gn_top_view *v = d->v;
	struct gn_top_list *l = &v->list[v->mode];
	struct gn_layout layout;

	gn_layout_table(d, &layout);
	if (end - row > 1)
		gn_layout_titles(d, &layout, row++, GN_INK_HEAD, l->sort,
				 l->inverted);
	scroll(v, end > row ? (size_t)(end - row) : 0);
	if (!v->nrows && end > row)
		gn_draw_text(d, row, 1, d->g->cols, GN_INK_DIM, "%s",
			     nothing(d));
	for (size_t i = l->scroll; i < v->nrows && row < end; i++, row++) {
		draw_row(d, &layout, row, &v->rows[i]);
		if (i == l->selected)
			gn_cells_select(d->g, row, 0, d->g->cols);
	}
}
