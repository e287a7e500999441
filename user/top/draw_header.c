// SPDX-License-Identifier: BSD-2-Clause
/* The lines above the table: target, machine, totals, losses, gnomon. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/classes.h"
#include "output/header.h"
#include "output/text.h"
#include "top/draw_internal.h"

/* Lines to draw, as long as there is room. */
struct header {
	struct gn_draw *d;
	int row, end;
};

static bool next(struct header *h)
{
	if (h->row >= h->end)
		return false;
	h->row++;
	return true;
}

/* The right end of a line: the view's settings. */
static int draw_settings(struct gn_draw *d, int row)
{
	const struct gn_top_view *v = d->v;
	const struct gn_top_period *p = d->p;
	char length[GN_CELL], clock[GN_CELL], text[3 * GN_CELL];
	bool changes = v->classify != p->m->classify;
	int col;

	gn_draw_period(length, p->length);
	gn_draw_clock(clock, p->session);
	snprintf(text, sizeof(text), " %s%s %s %s",
		 p->m->classify == GN_CLASSIFY_EXACT ? "exact" : "interval",
		 changes ? "*" : "", length, clock);
	col = d->g->cols - (int)strlen(text);
	if (v->paused)
		col -= 7;
	if (col < 10)
		return d->g->cols;
	if (v->paused)
		gn_draw_text(d, row, col, col + 7, GN_INK_BAD, "%s", " PAUSED");
	gn_draw_text(d, row, v->paused ? col + 7 : col, d->g->cols,
		     GN_INK_PLAIN, "%s", text);
	return col;
}

static void line_title(struct header *h)
{
	struct gn_draw *d = h->d;
	int row = h->row, end, col;

	if (!next(h))
		return;
	end = draw_settings(d, row);
	col = gn_draw_text(d, row, 0, end, GN_INK_STRONG, "gnomon top ");
	gn_draw_name(d, row, col, end - col, GN_INK_PLAIN,
		     d->p->title ? d->p->title : "");
}

static void line_target(struct header *h)
{
	const struct gn_top_period *p = h->d->p;
	int row = h->row;

	if (p->target == GN_TOP_RUNNING || !next(h))
		return;
	if (p->target == GN_TOP_KILLED)
		gn_draw_text(h->d, row, 0, h->d->g->cols, GN_INK_BAD,
			     "KILLED by signal %d (%s); this is its last "
			     "period, q quits",
			     p->signal,
			     sigdescr_np(p->signal) ? sigdescr_np(p->signal)
						    : "unknown");
	else if (p->status < 0)
		gn_draw_text(h->d, row, 0, h->d->g->cols, GN_INK_WARN,
			     "ENDED; this is its last period, q quits");
	else
		gn_draw_text(h->d, row, 0, h->d->g->cols, GN_INK_WARN,
			     "ENDED with status %d; this is its last period, "
			     "q quits",
			     p->status);
}

/* What was lost, and why. */
static void line_lost(struct header *h)
{
	struct gn_draw *d = h->d;
	const struct gn_model *m = d->p->m;
	int row = h->row, col, cols = d->g->cols;
	const char *before = ": ";
	char n[GN_CELL];
	uint64_t lost;

	if ((!d->p->lost && !gn_model_lossy(m)) || !next(h))
		return;
	gn_cells_fill(d->g, row, 0, cols, GN_INK_BAD, ' ');
	lost = d->p->lost > m->lost ? d->p->lost : m->lost;
	gn_format_count(n, lost);
	col = gn_draw_text(d, row, 0, cols, GN_INK_BAD, "LOST %s %s; ", n,
			   gn_word(lost, "record", "records"));
	gn_format_count(n, m->lost);
	/* losses without a known thread are only in the causes */
	if (m->lost || !gn_model_lossy(m))
		col = gn_draw_text(d, row, col, cols, GN_INK_BAD, "%s ", n);
	col = gn_draw_text(d, row, col, cols, GN_INK_BAD, "in this period");
#define CAUSE(name, value, text, loss, meaning)                     \
	if (loss && m->counters[GN_COUNTER_##name]) {               \
		gn_format_count(n, m->counters[GN_COUNTER_##name]); \
		col = gn_draw_text(d, row, col, cols, GN_INK_BAD,   \
				   "%s" text " %s", before, n);     \
		before = ", ";                                      \
	}
	GN_COUNTER_LIST(CAUSE)
#undef CAUSE
	(void)col;
}

static void line_broken(struct header *h)
{
	struct gn_draw *d = h->d;
	const struct gn_model *m = d->p->m;
	int row = h->row, col, cols = d->g->cols;
	char n[GN_CELL];

	if (!gn_model_broken(m) || !next(h))
		return;
	gn_cells_fill(d->g, row, 0, cols, GN_INK_BAD, ' ');
	col = gn_draw_text(d, row, 0, cols, GN_INK_BAD, "SELF-CHECK FAILED");
#define FAILED(field, text, error)                                            \
	if (error && m->checks.field) {                                       \
		gn_format_count(n, m->checks.field);                          \
		col = gn_draw_text(d, row, col, cols, GN_INK_BAD, "; %s: %s", \
				   text, n);                                  \
	}
	GN_CHECK_LIST(FAILED)
#undef FAILED
	(void)col;
}

static void line_machine(struct header *h)
{
	struct gn_draw *d = h->d;
	const struct gn_top_machine *x = &d->p->machine;
	int row = h->row, cols = d->g->cols, width = cols / 4, col;
	uint64_t used = x->mem_total > x->mem_available
				? x->mem_total - x->mem_available
				: 0;
	double busy = gn_pct(x->busy_ns, x->total_ns);
	char text[2 * GN_CELL], size[2][GN_CELL];

	if (!x->total_ns && !x->mem_total) {
		if (next(h))
			gn_draw_text(d, row, 0, cols, GN_INK_DIM,
				     "machine: not known");
		return;
	}
	if (!next(h))
		return;
	width = width < 16 ? 16 : width > 40 ? 40 : width;
	col = gn_draw_text(d, row, 0, cols, GN_INK_STRONG, "CPU");
	snprintf(text, sizeof(text), "%.1f%% of %" PRIu32, busy, x->cpus);
	col = gn_draw_meter(d, row, col, width, busy, GN_INK_GOOD, text);
	gn_draw_size(size[0], used);
	gn_draw_size(size[1], x->mem_total);
	snprintf(text, sizeof(text), "%s/%s", size[0], size[1]);
	col = gn_draw_text(d, row, col, cols, GN_INK_STRONG, " Mem");
	col = gn_draw_meter(d, row, col, width, gn_pct(used, x->mem_total),
			    GN_INK_GOOD, text);
	col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN,
			   " load %.2f %.2f %.2f", x->load[0], x->load[1],
			   x->load[2]);
	col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN, " iowait %.1f%%",
			   gn_pct(x->iowait_ns, x->total_ns));
	gn_draw_text(d, row, col, cols, x->steal_ns ? GN_INK_WARN : GN_INK_DIM,
		     " steal %.1f%%", gn_pct(x->steal_ns, x->total_ns));
}

/* Draws a piece of a line if all of it fits: a number that is cut would be
 * another number. Returns the column after it, or where nothing fits. */
__attribute__((format(printf, 5, 6))) static int add(struct gn_draw *d, int row,
						     int col, enum gn_ink ink,
						     const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (col + (int)gn_text_width(text) > d->g->cols)
		return d->g->cols;
	return gn_cells_put(d->g, row, col, d->g->cols, ink, text);
}

static void line_threads(struct header *h)
{
	struct gn_draw *d = h->d;
	const struct gn_model *m = d->p->m;
	size_t in[GN_THREAD_ENDED + 1] = {0};
	int row = h->row, cols = d->g->cols, col;
	char rate[GN_CELL];

	if (!next(h))
		return;
	for (size_t i = 0; i < m->nthreads; i++) {
		const struct gn_model_live *live = m->threads[i].live;

		in[live && live->state <= GN_THREAD_ENDED
			   ? live->state
			   : GN_THREAD_UNKNOWN]++;
	}
	col = gn_draw_text(d, row, 0, cols, GN_INK_STRONG, "%zu %s",
			   m->nthreads,
			   m->nthreads == 1 ? "thread" : "threads");
	if (m->nprocesses != 1)
		col = add(d, row, col, GN_INK_PLAIN, " of %zu processes",
			  m->nprocesses);
	col = add(d, row, col, GN_INK_PLAIN, ": %zu running",
		  in[GN_THREAD_RUNNING]);
	col = add(d, row, col, GN_INK_PLAIN, ", %zu queued",
		  in[GN_THREAD_RUNNABLE]);
	col = add(d, row, col, GN_INK_PLAIN, ", %zu waiting",
		  in[GN_THREAD_WAITING]);
	if (in[GN_THREAD_ENDED])
		col = add(d, row, col, GN_INK_PLAIN, ", %zu ended",
			  in[GN_THREAD_ENDED]);
	if (in[GN_THREAD_UNKNOWN])
		col = add(d, row, col, GN_INK_PLAIN, ", %zu not known",
			  in[GN_THREAD_UNKNOWN]);
	if (!d->p->functions)
		return;
	gn_draw_rate_text(rate, m->session.calls, d->p->length);
	add(d, row, col, GN_INK_PLAIN, "; %s", rate);
}

/* The width of "app 12.3" with the blanks after it. */
static int class_width(const struct gn_draw *d, int class)
{
	const uint64_t *c = d->p->m->session.class_incl;
	char pct[GN_CELL];

	gn_format_pct(pct, c[class], d->p->m->session.elapsed_incl);
	return (int)strlen(gn_class_text(class)) + (int)strlen(pct) + 3;
}

/* Chooses the classes with the most time, as many as fit. */
static void fit_classes(const struct gn_draw *d, int room,
			bool in[GN_CLASS_COUNT])
{
	const uint64_t *c = d->p->m->session.class_incl;

	memset(in, 0, GN_CLASS_COUNT * sizeof(*in));
	for (;;) {
		int best = -1;

		for (int i = 0; i < GN_CLASS_COUNT; i++) {
			int class = gn_class_at(i);

			if (!in[class] && c[class] &&
			    (best < 0 || c[class] > c[best]))
				best = class;
		}
		if (best < 0 || class_width(d, best) > room)
			return;
		in[best] = true;
		room -= class_width(d, best);
	}
}

static void line_classes(struct header *h)
{
	struct gn_draw *d = h->d;
	const struct gn_values *s = &d->p->m->session;
	int row = h->row, cols = d->g->cols, width = cols / 8, col;
	bool in[GN_CLASS_COUNT];
	char pct[GN_CELL];

	if (!next(h))
		return;
	if (!s->elapsed_incl) {
		gn_draw_text(d, row, 0, cols, GN_INK_DIM, "no thread's time");
		return;
	}
	width = width > 40 ? 40 : width;
	gn_draw_classes(d, row, 0, width, s->class_incl, s->elapsed_incl);
	col = width + 1;
	fit_classes(d, cols - col + 2, in);
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		int class = gn_class_at(i);

		if (!in[class])
			continue;
		col = gn_draw_text(d, row, col, cols, gn_draw_ink(class), "%s",
				   gn_class_text(class));
		gn_format_pct(pct, s->class_incl[class], s->elapsed_incl);
		col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN, " %s%%",
				   pct) +
		      1;
	}
}

static void line_gnomon(struct header *h)
{
	struct gn_draw *d = h->d;
	const struct gn_top_period *p = d->p;
	int row = h->row, cols = d->g->cols, col;
	bool over = p->budget > 0 && p->slowdown > p->budget;
	char size[GN_CELL];

	if (!next(h))
		return;
	gn_draw_size(size, p->own_rss);
	col = gn_draw_text(
		d, row, 0, cols, GN_INK_PLAIN, "gnomon %.1f%% CPU %s",
		gn_pct(p->own_cpu_ns, p->length), p->own_rss ? size : "");
	if (!p->lost && !gn_model_lossy(p->m))
		col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN,
				   "; lost nothing");
	if (!p->functions) {
		gn_draw_text(d, row, col, cols, GN_INK_DIM,
			     "; functions are not traced");
		return;
	}
	if (p->slowdown >= 0) {
		enum gn_ink ink = over ? GN_INK_WARN : GN_INK_PLAIN;

		col = add(d, row, col, ink, "; probes add %.1f%%", p->slowdown);
		col = add(d, row, col, ink, " CPU time");
	}
	if (p->budget > 0)
		add(d, row, col, GN_INK_PLAIN, " (budget %.1f%%)", p->budget);
}

/* Without them a server's master seems to do nothing. */
static void line_children(struct header *h)
{
	uint64_t n;
	const char *of = gn_children_of(h->d->p->m, &n);
	int row = h->row;

	if (!of || !next(h))
		return;
	gn_draw_text(h->d, row, 0, h->d->g->cols, GN_INK_WARN,
		     "not traced: %" PRIu64
		     " %s that process %s had already; -p $(pgrep -d, -P %s) "
		     "adds %s",
		     n, gn_word(n, "child", "children"), of, of,
		     gn_word(n, "it", "them"));
}

/* Functions that were inlined everywhere have no row that could be marked. */
static void line_inlined(struct header *h)
{
	uint64_t sites = h->d->p->m->code.sites;
	int row = h->row;
	char n[GN_CELL];

	if (!sites || !next(h))
		return;
	gn_format_count(n, sites);
	gn_draw_text(h->d, row, 0, h->d->g->cols, GN_INK_WARN,
		     "calls at %s %s may be inlined: not counted, their time "
		     "is the callers'",
		     n, gn_word(sites, "site", "sites"));
}

/* The muted functions, as many as fit. */
static void line_muted(struct header *h)
{
	struct gn_draw *d = h->d;
	const struct gn_top_period *p = d->p;
	int row = h->row, cols = d->g->cols, col;

	if (!p->nmuted || !next(h))
		return;
	col = gn_draw_text(d, row, 0, cols, GN_INK_WARN,
			   "muted %zu: ", p->nmuted);
	for (size_t i = 0; i < p->nmuted; i++) {
		size_t left = p->nmuted - i;
		/* ", and 12345 more" needs room as long as some are left */
		int room = cols - col - (left > 1 ? 17 : 2);

		if (room < 12 && i) {
			gn_draw_text(d, row, col, cols, GN_INK_PLAIN,
				     ", and %zu more", left);
			return;
		}
		if (i)
			col = gn_draw_text(d, row, col, cols, GN_INK_PLAIN,
					   ", ");
		col = gn_draw_function(d, row, col, room < 24 ? room : 24,
				       GN_INK_PLAIN, p->muted[i].name);
	}
}

int gn_draw_header(struct gn_draw *d, int row, int room)
{
	struct header h = {d, row, row + (room > 0 ? room : 0)};

	line_title(&h);
	line_lost(&h);
	line_broken(&h);
	line_target(&h);
	line_machine(&h);
	line_threads(&h);
	line_classes(&h);
	line_gnomon(&h);
	line_children(&h);
	line_inlined(&h);
	line_muted(&h);
	return h.row - row;
}
