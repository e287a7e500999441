/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for people: a header, rows, notes. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "output/formats.h"
#include "output/grid.h"
#include "output/header.h"
#include "output/text.h"

/* X(name, value of `r`) */
#define GETTER_LIST(X)                                             \
	X(calls, r->v->calls)                                      \
	X(elapsed_incl, r->v->elapsed_incl)                        \
	X(elapsed_excl, r->v->elapsed_excl)                        \
	X(app_incl, r->v->app_incl)                                \
	X(app_excl, r->v->app_excl)                                \
	X(unwound, r->v->unwound)                                  \
	X(min, r->v->min)                                          \
	X(avg, r->v->calls ? r->v->elapsed_incl / r->v->calls : 0) \
	X(max, r->v->max)                                          \
	X(pid, r->pid)                                             \
	X(tid, r->tid)                                             \
	X(threads, r->threads)                                     \
	X(gaps, r->gaps)

#define GETTER(name, value)                                         \
	static uint64_t get_##name(const struct gn_row *r, int arg) \
	{                                                           \
		(void)arg;                                          \
		return value;                                       \
	}
GETTER_LIST(GETTER)
#undef GETTER

static uint64_t get_class(const struct gn_row *r, int arg)
{
	return r->classes[arg];
}

typedef uint64_t (*getter)(const struct gn_row *r, int arg);

/* One more column; there is room for more than the functions below add. */
static struct gn_column *add(struct gn_grid *g, const char *title,
			     enum gn_show show, getter get)
{
	struct gn_column *c = &g->column[g->n];

	*c = (struct gn_column){
		.top = "",
		.title = title,
		.show = show,
		.get = get,
		.gap = g->n ? 2 : 0,
	};
	g->n++;
	return c;
}

/* A time and its part of `whole`. */
static void add_value(struct gn_grid *g, const char *top, const char *title,
		      getter get, uint64_t whole)
{
	struct gn_column *c;

	add(g, title, GN_SHOW_TIME, get)->top = top;
	c = add(g, "%", GN_SHOW_PCT, get);
	c->whole = whole;
	c->gap = 1;
}

static void function_columns(struct gn_grid *g, const struct gn_model *m,
			     const struct gn_output_opts *o)
{
	uint64_t elapsed = m->session.elapsed_incl, app = m->session.app_incl;

	add(g, "calls", GN_SHOW_COUNT, get_calls);
	add_value(g, "Elapsed", "Inclusive", get_elapsed_incl, elapsed);
	add_value(g, "Elapsed", "Exclusive", get_elapsed_excl, elapsed);
	add_value(g, "Application", "Inclusive", get_app_incl, app);
	add_value(g, "Application", "Exclusive", get_app_excl, app);
	if (!o->verbose || o->by == GN_BY_TREE)
		return;
	add(g, "min", GN_SHOW_TIME, get_min)->top = "one call";
	add(g, "avg", GN_SHOW_TIME, get_avg);
	add(g, "max", GN_SHOW_TIME, get_max);
	add(g, "unwound", GN_SHOW_COUNT, get_unwound);
}

/* The classes that any row has time in. */
static void class_columns(struct gn_grid *g, const struct gn_rows *rows)
{
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		uint64_t any = 0;

		for (size_t i = 0; i < rows->n; i++)
			any |= rows->row[i].classes[c];
		if (any)
			add(g, gn_class_text(c), GN_SHOW_TIME, get_class)->arg =
				c;
	}
}

static void thread_columns(struct gn_grid *g, const struct gn_model *m,
			   const struct gn_rows *rows, enum gn_by by)
{
	bool gaps = false;

	for (size_t i = 0; i < rows->n; i++)
		gaps |= rows->row[i].gaps != 0;
	add(g, "pid", GN_SHOW_ID, get_pid);
	if (by == GN_BY_THREAD)
		add(g, "tid", GN_SHOW_ID, get_tid);
	else
		add(g, "threads", GN_SHOW_COUNT, get_threads);
	add(g, "calls", GN_SHOW_COUNT, get_calls);
	add_value(g, "", "Elapsed", get_elapsed_incl, m->session.elapsed_incl);
	add_value(g, "", "Application", get_app_incl, m->session.app_incl);
	class_columns(g, rows);
	if (gaps)
		add(g, "gaps", GN_SHOW_COUNT, get_gaps);
}

static const char *name_title(enum gn_by by)
{
	switch (by) {
	case GN_BY_MODULE:
		return "module";
	case GN_BY_THREAD:
		return "thread";
	case GN_BY_PROCESS:
		return "process";
	default:
		return "function";
	}
}

static void print_hidden(const struct gn_rows *rows,
			 const struct gn_output_opts *o, FILE *f)
{
	char n[GN_CELL];

	if (rows->limited) {
		gn_format_count(n, rows->limited);
		fprintf(f, "# %s more rows; --limit 0 shows them\n", n);
	}
	if (rows->below) {
		gn_format_count(n, rows->below);
		fprintf(f, "# left out for being below %g %%: %s\n", o->min_pct,
			n);
	}
}

static bool any_gap(const struct gn_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (rows->row[i].v->gap)
			return true;
	}
	return false;
}

/* One table of the model. *marked: some row has the mark of a gap. */
static int print_table(const struct gn_model *m, const struct gn_output_opts *o,
		       bool *marked, FILE *f)
{
	struct gn_grid g = {
		.title = name_title(o->by),
		.kinds = o->by == GN_BY_CALLERS,
	};
	struct gn_rows rows;
	int err = gn_rows_make(m, o, &rows);

	if (err)
		goto out;
	if (o->by == GN_BY_THREAD || o->by == GN_BY_PROCESS)
		thread_columns(&g, m, &rows, o->by);
	else
		function_columns(&g, m, o);
	g.modules = o->by == GN_BY_FUNCTION || g.kinds || o->by == GN_BY_TREE;
	g.marks = any_gap(&rows);
	*marked |= g.marks;
	err = gn_grid_print(&g, &rows, o, f);
	if (!err)
		print_hidden(&rows, o, f);
out:
	gn_rows_clear(&rows);
	return err;
}

/* Without functions there is still where the time of threads went. */
static int print_without_functions(const struct gn_model *m,
				   const struct gn_output_opts *o, bool *marked,
				   FILE *f)
{
	struct gn_output_opts part = *o;
	int err;

	if (!o->bare)
		gn_header_no_functions(m, o, f);
	part.by = GN_BY_PROCESS;
	err = print_table(m, &part, marked, f);
	if (err)
		return err;
	fputc('\n', f);
	part.by = GN_BY_THREAD;
	return print_table(m, &part, marked, f);
}

int gn_table_write(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f)
{
	bool lists_functions = o->by != GN_BY_THREAD && o->by != GN_BY_PROCESS;
	bool marked = false;
	int err;

	/* before anything is printed */
	err = gn_rows_sort(NULL, 0, o->sort);
	if (err)
		return err;
	if (!o->bare) {
		err = gn_header_print(m, o, f);
		if (err)
			return err;
	}
	if (lists_functions && !m->nfunctions)
		err = print_without_functions(m, o, &marked, f);
	else
		err = print_table(m, o, &marked, f);
	if (!err)
		gn_footer_print(m, o, marked, f);
	return err ? err : gn_stream_status(f);
}
