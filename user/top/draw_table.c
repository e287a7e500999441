// SPDX-License-Identifier: BSD-2-Clause
/* The tables: threads, functions, modules, the call tree. */
#include <inttypes.h>
#include <string.h>

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

	if (s->node)
		x = draw_branch(d, row, x, width, s->node);
	if (s->muted)
		x = gn_draw_text(d, row, x, end, GN_INK_WARN, "muted ");
	if (*s->name)
		gn_draw_function(d, row, x, end - x, ink, s->name);
	else
		gn_draw_text(d, row, x, end, GN_INK_DIM, "%s",
			     "outside of any function");
}

static void draw_value(struct gn_draw *d, int column, int row, int x, int width,
		       const struct gn_draw_values *s)
{
	char buf[GN_CELL];

	switch (column) {
	case GN_TOP_NAME:
		draw_value_name(d, row, x, width, s);
		break;
	case GN_TOP_MODULE:
		gn_draw_name(d, row, x, width, GN_INK_DIM,
			     gn_base_name(s->module));
		break;
	case GN_TOP_CALLS:
		gn_draw_rate(buf, gn_top_rate(s->v->calls, s->length));
		gn_draw_right(d, row, x, width,
			      s->v->calls ? GN_INK_PLAIN : GN_INK_DIM, buf);
		break;
	case GN_TOP_EI:
		gn_draw_pct(d, row, x, width, s->v->elapsed_incl, s->elapsed);
		break;
	case GN_TOP_EE:
		gn_draw_pct(d, row, x, width, s->v->elapsed_excl, s->elapsed);
		break;
	case GN_TOP_AI:
		gn_draw_pct(d, row, x, width, s->v->app_incl, s->app);
		break;
	case GN_TOP_AE:
		gn_draw_pct(d, row, x, width, s->v->app_excl, s->app);
		break;
	case GN_TOP_BAR:
		gn_draw_classes(d, row, x, width, s->v->class_excl,
				s->v->elapsed_excl);
		break;
	default:
		gn_draw_pct(d, row, x, width,
			    s->v->class_excl[column - GN_TOP_CLASS],
			    s->v->elapsed_excl);
	}
}

void gn_draw_values(struct gn_draw *d, const struct gn_layout *l, int row,
		    const struct gn_draw_values *values)
{
	if (values->v->gap)
		gn_draw_text(d, row, 0, 1, GN_INK_BAD, "!");
	else if (values->v->unprobed)
		gn_draw_text(d, row, 0, 1, GN_INK_BAD, "<");
	for (int i = 0; i < l->n; i++)
		draw_value(d, l->at[i].column, row, l->at[i].x, l->at[i].width,
			   values);
}

/* A function by its index; "-" when there is none. */
static void draw_function(struct gn_draw *d, int row, int x, int width,
			  int32_t index)
{
	const struct gn_model_function *f = gn_top_function(d->p->m, index);

	if (f)
		gn_draw_function(d, row, x, width, GN_INK_PLAIN, f->name);
	else
		gn_draw_text(d, row, x, x + width, GN_INK_DIM, "-");
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

static void draw_number(struct gn_draw *d, int row, int x, int width,
			uint32_t number)
{
	char buf[GN_CELL];

	snprintf(buf, sizeof(buf), "%" PRIu32, number);
	gn_draw_right(d, row, x, width, GN_INK_PLAIN, buf);
}

static void draw_thread_value(struct gn_draw *d, int column, int row, int x,
			      int width, const struct gn_model_thread *t)
{
	char buf[GN_CELL];

	switch (column) {
	case GN_TOP_NAME:
		gn_draw_name(d, row, x, width, GN_INK_PLAIN, t->name);
		break;
	case GN_TOP_PID:
		draw_number(d, row, x, width, t->pid);
		break;
	case GN_TOP_TID:
		draw_number(d, row, x, width, t->tid);
		break;
	case GN_TOP_RUNTIME:
		gn_draw_text(d, row, x, x + width, GN_INK_DIM, "%s",
			     gn_top_runtime(d->p->m, t));
		break;
	case GN_TOP_STATE:
		gn_draw_text(d, row, x, x + width, state_ink(t), "%s",
			     gn_top_state(t));
		break;
	case GN_TOP_BAR:
		gn_draw_classes(d, row, x, width, t->classes, t->elapsed);
		break;
	case GN_TOP_CPU:
		gn_draw_pct(d, row, x, width, gn_top_cpu_ns(t->classes),
			    t->elapsed);
		break;
	case GN_TOP_CALLS:
		gn_draw_rate(buf, gn_top_rate(t->v.calls, d->p->length));
		gn_draw_right(d, row, x, width,
			      t->v.calls ? GN_INK_PLAIN : GN_INK_DIM, buf);
		break;
	case GN_TOP_CURRENT:
		draw_function(d, row, x, width, gn_top_current(t));
		break;
	case GN_TOP_HOTTEST:
		draw_function(d, row, x, width, gn_top_hottest(t));
		break;
	default:
		gn_draw_pct(d, row, x, width, t->classes[column - GN_TOP_CLASS],
			    t->elapsed);
	}
}

static void draw_thread_row(struct gn_draw *d, const struct gn_layout *l,
			    int row, const struct gn_model_thread *t)
{
	if (t->gaps || t->v.gap)
		gn_draw_text(d, row, 0, 1, GN_INK_BAD, "!");
	for (int i = 0; i < l->n; i++)
		draw_thread_value(d, l->at[i].column, row, l->at[i].x,
				  l->at[i].width, t);
}

static void draw_row(struct gn_draw *d, const struct gn_layout *l, int row,
		     const struct gn_top_row *r)
{
	const struct gn_model *m = d->p->m;
	struct gn_draw_values s = {
		.elapsed = m->session.elapsed_incl,
		.app = m->session.app_incl,
		.length = d->p->length,
		.module = "",
	};

	switch (d->v->mode) {
	case GN_TOP_THREADS:
		draw_thread_row(d, l, row, &m->threads[r->index]);
		return;
	case GN_TOP_FUNCTIONS:
		s.v = &m->functions[r->index].v;
		s.name = m->functions[r->index].name;
		s.module = m->functions[r->index].module;
		s.muted = m->functions[r->index].muted;
		break;
	case GN_TOP_MODULES:
		s.v = &m->modules[r->index].v;
		s.name = m->modules[r->index].name;
		break;
	default:
		s.v = &m->nodes[r->index].v;
		s.name = gn_top_node_name(m, &m->nodes[r->index], &s.module);
		s.node = r;
	}
	if (!*s.name)
		s.name = "?";
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
		return "Functions are not traced (--no-functions).";
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
