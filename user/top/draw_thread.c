// SPDX-License-Identifier: BSD-2-Clause
/* An opened thread: its functions, its stack, its last GC and JIT events. */
#include <inttypes.h>
#include <string.h>

#include "output/syscalls.h"
#include "output/classes.h"
#include "top/draw_internal.h"

/* With fewer rows only the part with the focus is shown. */
#define ROWS_FOR_ALL 9

static const char *state_text(const struct gn_top_open *o)
{
	if (o->gone)
		return "gone";
	switch (o->run) {
	case GN_THREAD_RUNNING:
		return "running";
	case GN_THREAD_RUNNABLE:
		return "runnable, waiting for a CPU";
	case GN_THREAD_WAITING:
		return "waiting";
	case GN_THREAD_ENDED:
		return "ended";
	default:
		return "state not known";
	}
}

/* Draws what the thread runs or waits for. */
static int draw_doing(struct gn_draw *d, int row, int col)
{
	const struct gn_top_open *o = d->v->open;
	int cols = d->g->cols;
	const char *call;

	col = gn_draw_text(d, row, col, cols,
			   o->gone ? GN_INK_WARN : GN_INK_STRONG, "%s",
			   state_text(o));
	if (o->gone ||
	    (o->run != GN_THREAD_RUNNING && o->run != GN_THREAD_WAITING))
		return col;
	col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN, ": %s",
			   gn_class_text((int)o->doing));
	if (o->reason == GN_NO_SYSCALL)
		return col;
	call = gn_syscall_text(o->reason);
	if (call)
		return gn_draw_text(d, row, col, cols, GN_INK_PLAIN, " in %s",
				    call);
	return gn_draw_text(d, row, col, cols, GN_INK_PLAIN,
			    " in system call %u", o->reason);
}

static void draw_title(struct gn_draw *d, int row)
{
	const struct gn_top_open *o = d->v->open;
	int cols = d->g->cols, col;
	char ago[GN_CELL];

	if (o->t.gaps)
		gn_draw_text(d, row, 0, 1, GN_INK_BAD, "!");
	col = gn_draw_name(d, row, 1, cols / 3, GN_INK_STRONG, o->name);
	col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN,
			   "  TID %" PRIu32 " PID %" PRIu32 " %s  ", o->tid,
			   o->pid, o->runtime);
	col = draw_doing(d, row, col);
	if (!o->gone || d->p->session < o->session)
		return;
	gn_draw_period(ago, d->p->session - o->session);
	gn_draw_text(d, row, col, cols, GN_INK_WARN,
		     " for %s; this is its last period", ago);
}

static void draw_shares(struct gn_draw *d, int row)
{
	const struct gn_top_open *o = d->v->open;
	int cols = d->g->cols, width = cols / 5 > 20 ? 20 : cols / 5;
	int col = width + 2;
	char buf[GN_CELL];

	gn_draw_classes(d, row, 1, width, o->t.classes, o->t.elapsed);
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		int class = gn_class_at(i);

		if (!o->t.classes[class])
			continue;
		col = gn_draw_text(d, row, col, cols, gn_draw_ink(class), "%s",
				   gn_class_text(class));
		gn_format_pct(buf, o->t.classes[class], o->t.elapsed);
		col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN, " %s%%  ",
				   buf);
	}
	gn_draw_rate_text(buf, o->t.v.calls, o->length);
	gn_draw_text(d, row, col, cols, GN_INK_PLAIN, "%s", buf);
}

static void draw_function(struct gn_draw *d, int row, size_t i)
{
	const struct gn_top_open *o = d->v->open;
	const struct gn_top_share *s = &o->shares[i];
	struct gn_layout layout;
	struct gn_values v = {0};
	struct gn_values all = {
		.elapsed_incl = o->t.elapsed,
		.app_incl = o->t.v.app_incl,
	};
	struct gn_draw_values values = {
		.r = {.v = &v, .classes = v.class_excl},
		.all = &all,
		.length = o->length,
	};

	gn_layout_thread(d, &layout);
	if (i >= o->nshares) {
		gn_draw_text(d, row, 1, d->g->cols, GN_INK_DIM,
			     "and %zu more with less time", o->left_out);
		return;
	}
	v.calls = s->s.calls;
	v.elapsed_excl = s->s.elapsed;
	v.app_excl = s->s.app;
	memcpy(v.class_excl, s->s.classes, sizeof(v.class_excl));
	values.r.name = s->s.function >= 0 && !*s->name ? "?" : s->name;
	values.r.module = s->module;
	values.muted = s->muted;
	gn_draw_values(d, &layout, row, &values);
}

static void draw_frame(struct gn_draw *d, int row, size_t i)
{
	const struct gn_top_open *o = d->v->open;
	int col;

	if (i >= o->nstack) {
		gn_draw_text(d, row, 1, d->g->cols, GN_INK_DIM,
			     "and %" PRIu32 " more below",
			     o->depth - o->nstack);
		return;
	}
	col = gn_draw_text(d, row, 1, d->g->cols, GN_INK_DIM, "#%-4zu", i);
	gn_draw_function(d, row, col, d->g->cols - col, GN_INK_PLAIN,
			 *o->stack[i] ? o->stack[i] : "?");
}

static void draw_event(struct gn_draw *d, int row, size_t i)
{
	const struct gn_top_open *o = d->v->open;
	const struct gn_top_event *e = &o->event[i];
	uint64_t end = e->end ? e->end : o->end;
	char length[GN_CELL], ago[GN_CELL];
	int col, cols = d->g->cols;

	gn_format_time(length, end > e->start ? end - e->start : 0, false);
	gn_draw_period(ago, o->end > end ? o->end - end : 0);
	col = gn_draw_text(d, row, 1, cols, gn_draw_ink((int)e->class), "%-4s",
			   gn_class_text((int)e->class));
	gn_draw_right(d, row, col, 13, GN_INK_PLAIN, length);
	col += 14;
	if (e->end)
		col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN, "%9s ago  ",
				   ago);
	else
		col = gn_draw_text(d, row, col, cols, GN_INK_WARN, "%13s  ",
				   "goes on");
	gn_draw_function(d, row, col, cols - col, GN_INK_PLAIN, e->name);
}

static const char *empty_part(const struct gn_draw *d, int part)
{
	switch (part) {
	case GN_TOP_PART_FUNCTIONS:
		return d->v->open->functions
			       ? "no function had time in the period"
			       : "functions are not traced (--no-functions)";
	case GN_TOP_PART_STACK:
		return "no traced function is on the stack";
	default:
		return "none since tracing began";
	}
}

static void draw_part_title(struct gn_draw *d, int row, int part, size_t from,
			    size_t page)
{
	static const char *const titles[] = {
		[GN_TOP_PART_FUNCTIONS] = "Functions by exclusive time",
		[GN_TOP_PART_STACK] = "Call stack, innermost first",
		[GN_TOP_PART_EVENTS] = "Last GC and JIT events",
	};
	size_t n = gn_top_part_rows(d->v->open, (enum gn_top_part)part);
	enum gn_ink ink = (int)d->v->part == part ? GN_INK_SORTED : GN_INK_HEAD;
	struct gn_layout layout;
	char where[3 * GN_CELL] = "";

	if (n > page)
		snprintf(where, sizeof(where), " %zu-%zu of %zu", from + 1,
			 from + page < n ? from + page : n, n);
	if (part == GN_TOP_PART_FUNCTIONS) {
		/* the columns' titles leave room over the names */
		gn_layout_thread(d, &layout);
		gn_layout_titles(d, &layout, row, ink, -1, false);
		for (int i = 0; i < layout.n; i++) {
			if (layout.at[i].column == GN_COLUMN_NAME)
				gn_draw_text(d, row, layout.at[i].x,
					     layout.at[i].x +
						     layout.at[i].width,
					     ink, "FUNCTION%s", where);
		}
		return;
	}
	gn_cells_fill(d->g, row, 0, d->g->cols, ink, ' ');
	gn_draw_text(d, row, 1, d->g->cols, ink, "%s%s", titles[part], where);
}

/* Rows [row, end): a title and the part's rows. */
static void draw_part(struct gn_draw *d, int part, int row, int end)
{
	static void (*const draw[])(struct gn_draw *, int, size_t) = {
		[GN_TOP_PART_FUNCTIONS] = draw_function,
		[GN_TOP_PART_STACK] = draw_frame,
		[GN_TOP_PART_EVENTS] = draw_event,
	};
	struct gn_top_view *v = d->v;
	size_t n = gn_top_part_rows(v->open, (enum gn_top_part)part);
	size_t page = end - row > 1 ? (size_t)(end - row - 1) : 0;
	size_t *from = &v->part_scroll[part];

	v->part_page[part] = page;
	if (*from + page > n)
		*from = n > page ? n - page : 0;
	if (row >= end)
		return;
	draw_part_title(d, row++, part, *from, page);
	if (!n && row < end)
		gn_draw_text(d, row, 1, d->g->cols, GN_INK_DIM, "%s",
			     empty_part(d, part));
	for (size_t i = *from; i < n && row < end; i++, row++)
		draw[part](d, row, i);
}

/* How many rows each part gets of `rows`, with its title. */
static void share_rows(const struct gn_top_open *o, int rows,
		       int out[GN_TOP_PARTS])
{
	int want[GN_TOP_PARTS], left = rows;

	for (int i = 0; i < GN_TOP_PARTS; i++) {
		size_t n = gn_top_part_rows(o, (enum gn_top_part)i);

		want[i] = (n < 1 ? 1 : n > 1000 ? 1000 : (int)n) + 1;
		out[i] = 2;
		left -= 2;
	}
	/* events get up to a quarter, the stack up to a third, functions the
	 * rest; if rows are left, the stack gets them */
	while (left > 0 && out[GN_TOP_PART_EVENTS] < want[GN_TOP_PART_EVENTS] &&
	       out[GN_TOP_PART_EVENTS] < rows / 4) {
		out[GN_TOP_PART_EVENTS]++;
		left--;
	}
	while (left > 0 && out[GN_TOP_PART_STACK] < want[GN_TOP_PART_STACK] &&
	       out[GN_TOP_PART_STACK] < rows / 3) {
		out[GN_TOP_PART_STACK]++;
		left--;
	}
	while (left > 0 &&
	       out[GN_TOP_PART_FUNCTIONS] < want[GN_TOP_PART_FUNCTIONS]) {
		out[GN_TOP_PART_FUNCTIONS]++;
		left--;
	}
	while (left > 0 && out[GN_TOP_PART_STACK] < want[GN_TOP_PART_STACK]) {
		out[GN_TOP_PART_STACK]++;
		left--;
	}
}

void gn_draw_thread(struct gn_draw *d, int row, int end)
{
	int part[GN_TOP_PARTS];

	if (row < end)
		draw_title(d, row++);
	if (row < end)
		draw_shares(d, row++);
	if (end - row < ROWS_FOR_ALL) {
		draw_part(d, (int)d->v->part, row, end);
		return;
	}
	share_rows(d->v->open, end - row, part);
	for (int i = 0; i < GN_TOP_PARTS; i++) {
		draw_part(d, i, row, row + part[i]);
		row += part[i];
	}
}
