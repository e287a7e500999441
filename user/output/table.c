/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for people: a header, rows, notes. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/busy.h"
#include "output/columns.h"
#include "output/formats.h"
#include "output/header.h"
#include "output/sheet.h"
#include "output/text.h"
#include "output/wrap.h"

/* The default columns fit rows of this many cells. */
#define USUAL_WIDTH 120

/* Default columns that are left out if there is no room, in this order. The
 * other default columns of a function go only if the numbers alone are wider
 * than the line. */
static const int spare[] = {GN_COLUMN_EI_PCT, GN_COLUMN_EE_PCT,
			    GN_COLUMN_AI_PCT, GN_COLUMN_EE};

/* Adds a column. There is always room: the functions below add fewer. */
static struct gn_column *add(struct gn_grid *g, const char *title,
			     enum gn_show show,
			     uint64_t (*get)(const struct gn_row *r, int arg),
			     int arg)
{
	struct gn_column *c = &g->column[g->n];

	*c = (struct gn_column){
		.top = "",
		.title = title,
		.show = show,
		.get = get,
		.arg = arg,
		.gap = g->n ? 2 : 0,
	};
	g->n++;
	return c;
}

/* Adds one of the columns of columns.h. */
static struct gn_column *add_column(struct gn_grid *g, const struct gn_model *m,
				    int id, const struct gn_output_opts *o)
{
	struct gn_column *c =
		add(g, "", gn_column_show(id), gn_column_value, id);

	gn_column_titles(id, o->by, &c->top, &c->title);
	c->word = gn_column_name(id);
	c->empty = gn_column_empty;
	c->uncertain = gn_column_uncertain;
	/* a process includes the time of its idle threads */
	c->whole = gn_of_whole(m,
			       o->of == GN_OF_BUSY && o->by == GN_BY_PROCESS
				       ? GN_OF_THREADS
				       : o->of,
			       id);
	c->busy = o->of == GN_OF_BUSY && gn_column_elapsed(id);
	return c;
}

/* Whether the column only repeats another: all application time is app. */
static bool is_application(const struct gn_model *m, int id)
{
	return gn_column_class(id) == GN_CLASS_APP &&
	       m->session.class_incl[GN_CLASS_APP] == m->session.app_incl;
}

/* Sets whether a default column may be left out, and how early. */
static void set_weight(struct gn_column *c, const struct gn_model *m, int id,
		       bool narrow)
{
	int class = gn_column_class(id);

	if (class >= 0) {
		c->fits = true;
		c->weight = m->session.class_incl[class];
		return;
	}
	for (size_t i = 0; narrow && i < sizeof(spare) / sizeof(spare[0]);
	     i++) {
		if (spare[i] != id)
			continue;
		c->fits = true;
		c->weight = UINT64_MAX - 8 + i;
	}
}

static void add_picks(struct gn_grid *g, const struct gn_model *m,
		      const struct gn_rows *rows, const struct gn_picks *p,
		      const struct gn_output_opts *o)
{
	for (int i = 0; i < p->n; i++) {
		enum gn_picked how = p->pick[i].how;
		int id = p->pick[i].column;
		struct gn_column *c;

		if (how != GN_PICKED_NAMED && gn_column_zero(rows, id))
			continue;
		if (how == GN_PICKED_FITS && is_application(m, id))
			continue;
		c = add_column(g, m, id, o);
		c->usual = how == GN_PICKED_FITS;
		if (c->usual)
			set_weight(c, m, id, o->width > 0);
		if (c->show != GN_SHOW_PCT)
			continue;
		/* without its time, a percent needs the full title */
		if (i && p->pick[i - 1].column == id - 1)
			c->gap = 1;
		else
			c->title = gn_column_name(id);
	}
}

/* The default of --columns. */
static const char *usual_columns(const struct gn_output_opts *o)
{
	switch (o->by) {
	case GN_BY_THREAD:
	case GN_BY_PROCESS:
		return "calls,ei,ei%,ai,ai%,classes";
	case GN_BY_TREE:
		return "calls,ei,ei%,ee,ee%,ai,ai%,ae,ae%";
	default:
		return o->verbose ? "calls,ei,ei%,ee,ee%,ai,ai%,ae,ae%,min,avg,"
				    "max,unwound"
				  : "calls,ei,ei%,ee,ee%,ai,ai%,ae,ae%";
	}
}

/* Columns that compare the kernel's account of threads with ours. */
static const struct kernel_column {
	const char *top, *title;
	enum gn_show show;
	size_t at; /* in struct gn_kernel_account */
	bool rare; /* only where some thread has it */
} kernel_shown[] = {
#define AT(field) offsetof(struct gn_kernel_account, field)
	{"on a CPU:", "kernel's", GN_SHOW_TIME, AT(cpu), false},
	{"", "gnomon's", GN_SHOW_TIME, AT(our_cpu), false},
	{"", "switching", GN_SHOW_SIGNED, AT(cpu_switch), false},
	{"", "irq", GN_SHOW_TIME, AT(irq), true},
	{"", "stolen", GN_SHOW_TIME, AT(stolen), true},
	{"", "rest", GN_SHOW_SIGNED, AT(cpu_rest), false},
	{"run queue:", "kernel's", GN_SHOW_TIME, AT(delay), false},
	{"", "gnomon's", GN_SHOW_TIME, AT(our_delay), false},
	{"", "rest", GN_SHOW_SIGNED, AT(delay_rest), false},
};

#define KERNEL_COLUMNS (int)(sizeof(kernel_shown) / sizeof(kernel_shown[0]))

static uint64_t kernel_value(const struct gn_row *r, int arg)
{
	const struct kernel_column *c = &kernel_shown[arg];
	const struct gn_model_thread *t = r->thread;
	bool delay =
		c->at == AT(delay_rest) && t && t->kernel.delay == UINT64_MAX;
	uint64_t value;

	if (!t || !t->kernel.known || delay)
		return c->show == GN_SHOW_TIME ? UINT64_MAX
					       : (uint64_t)INT64_MIN;
	memcpy(&value, (const char *)&t->kernel + c->at, sizeof(value));
	return value;
}

/* Whether some thread has a value other than 0. */
static bool kernel_has(const struct gn_rows *rows, int arg)
{
	for (size_t i = 0; i < rows->n; i++)
		if (kernel_value(&rows->row[i], arg) != UINT64_MAX &&
		    kernel_value(&rows->row[i], arg))
			return true;
	return false;
}

static void kernel_columns(struct gn_grid *g, const struct gn_rows *rows)
{
	bool any = false;

	for (size_t i = 0; i < rows->n; i++)
		any |= rows->row[i].thread && rows->row[i].thread->kernel.known;
	for (int i = 0; any && i < KERNEL_COLUMNS; i++) {
		struct gn_column *c;

		if (kernel_shown[i].rare && !kernel_has(rows, i))
			continue;
		c = add(g, kernel_shown[i].title, kernel_shown[i].show,
			kernel_value, i);
		c->top = kernel_shown[i].top;
	}
}

static void wait_columns(struct gn_grid *g, const struct gn_model *m,
			 const struct gn_output_opts *o)
{
	add_column(g, m, GN_COLUMN_WAIT_TIME, o);
	add_column(g, m, GN_COLUMN_WAIT_PCT, o)->gap = 1;
	add_column(g, m, GN_COLUMN_WAIT_COUNT, o);
	add_column(g, m, GN_COLUMN_WAIT_LONGEST, o);
}

static void async_columns(struct gn_grid *g, const struct gn_model *m,
			  const struct gn_output_opts *o)
{
	for (int id = GN_COLUMN_ASYNC_TIME; id <= GN_COLUMN_ASYNC_MOST; id++)
		add_column(g, m, id, o)->fits = !o->verbose && o->width > 0 &&
						id != GN_COLUMN_ASYNC_TIME &&
						id != GN_COLUMN_ASYNC_COUNT;
}

/* Makes all columns of a table over `rows`. 0, -EINVAL, -ENOMEM. */
static int make_columns(struct gn_grid *g, const struct gn_model *m,
			const struct gn_rows *rows,
			const struct gn_output_opts *o)
{
	int err, width = o->width ? o->width : USUAL_WIDTH;
	struct gn_picks picks;
	bool gaps = false;

	if (o->by == GN_BY_WAITS) {
		wait_columns(g, m, o);
		return 0;
	}
	if (o->by == GN_BY_ASYNC) {
		async_columns(g, m, o);
		return gn_grid_fit(g, rows, o, width);
	}
	err = gn_picks_parse(o->columns, usual_columns(o), !o->verbose, o->by,
			     &picks);
	if (err)
		return err;
	if (gn_by_owns_all(o->by)) {
		add_column(g, m, GN_COLUMN_PID, o);
		add_column(g, m,
			   o->by == GN_BY_THREAD ? GN_COLUMN_TID
						 : GN_COLUMN_THREADS,
			   o);
	}
	add_picks(g, m, rows, &picks, o);
	for (size_t i = 0; i < rows->n; i++)
		gaps |= rows->row[i].gaps != 0;
	if (gaps)
		add_column(g, m, GN_COLUMN_GAPS, o);
	if (o->verbose && o->by == GN_BY_THREAD)
		kernel_columns(g, rows);
	return gn_grid_fit(g, rows, o, width);
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
	case GN_BY_WAITS:
		return "function, and what it waited for";
	case GN_BY_ASYNC:
		return "method, and its awaits";
	default:
		return "function";
	}
}

static void print_older(const struct gn_rows *rows, FILE *f)
{
	uint64_t older = 0;
	char n[GN_CELL];

	for (size_t i = 0; i < rows->n; i++)
		older += rows->row[i].async.at ? 0
					       : rows->row[i].async.of->older;
	if (!older)
		return;
	gn_format_count(n, older);
	fprintf(f, "# left out because they began before the session: %s\n", n);
}

/* Prints how many async methods have no row; false: none. */
static bool print_async_left(const struct gn_model *m, FILE *f)
{
	char n[GN_CELL];

	if (!m->code.selected[GN_SELECTED_ASYNC_LEFT])
		return false;
	gn_format_count(n, m->code.selected[GN_SELECTED_ASYNC_LEFT]);
	fprintf(f,
		"# async methods without a row, because their states are not "
		"seen: %s\n",
		n);
	return true;
}

static void print_no_async(const struct gn_model *m, FILE *f)
{
	const char *elt = gn_model_info(m, "hooks.elt");

	if (gn_model_without_clr(m))
		fputs("# no async methods: only those of .NET are seen\n", f);
	else if (elt && strcmp(elt, "all functions are traced"))
		fprintf(f,
			"# no async methods: with %s, hooks are the runtime's "
			"own (elt), which do not see them; leave it out\n",
			elt);
	else if (elt)
		fputs("# no async methods: only those that -f names have rows. "
		      "Here all functions are traced, by\n"
		      "# the runtime's own hooks (elt), which do not see where "
		      "a method waits. -f 'App:*' names all\n"
		      "# of App.dll\n",
		      f);
	else if (m->code.selected[GN_SELECTED_METHODS])
		fputs("# no async methods: no state machine of a method that "
		      "-f names ran; C# makes none with runtime-async=on "
		      "(without one they are seen from .NET 11 on), F# makes "
		      "none for async {} and, in a Debug build, none for a "
		      "task\n",
		      f);
	else
		fputs("# no async methods; select some of a .NET program with "
		      "-f, without -a or --clr-hooks elt\n",
		      f);
}

static void print_hidden(const struct gn_model *m, const struct gn_grid *g,
			 const struct gn_rows *rows,
			 const struct gn_output_opts *o, FILE *f)
{
	char n[GN_CELL];

	for (int i = 0; i < g->nleft_out; i++)
		fprintf(f, "%s%s",
			i ? ", " : "# no room for: ", g->left_out[i]);
	if (o->by == GN_BY_WAITS && !rows->n)
		fputs("# no waits\n", f);
	if (o->by == GN_BY_ASYNC && !print_async_left(m, f) && !rows->n)
		print_no_async(m, f);
	if (g->nleft_out)
		fprintf(f, "; %s shows them\n",
			o->by == GN_BY_ASYNC ? "-v" : "--columns all");
	if (rows->limited) {
		gn_format_count(n, rows->limited);
		fprintf(f, "# %s more %s%s; --limit 0 shows %s\n", n,
			gn_by_has_own_columns(o->by) ? "function" : "row",
			gn_word(rows->limited, "", "s"),
			gn_word(rows->limited, "it", "them"));
	}
	if (rows->below) {
		gn_format_count(n, rows->below);
		fprintf(f, "# left out for being below %g %%: %s\n", o->min_pct,
			n);
	}
	if (o->by == GN_BY_ASYNC)
		print_older(rows, f);
}

static struct gn_marks marks_of(const struct gn_rows *rows)
{
	struct gn_marks marks = {.gap = false};

	for (size_t i = 0; i < rows->n; i++) {
		marks.gap |= rows->row[i].v->gap;
		marks.unprobed |= rows->row[i].v->unprobed;
		marks.inlined |= rows->row[i].v->inlined;
		marks.moved |= *rows->row[i].module && rows->row[i].v->moved;
	}
	return marks;
}

/* What a runtime in the process runs; NULL: none, or not known. */
static char *program_of(const struct gn_model *m, const struct gn_row *row)
{
	const char *program;
	char key[64];

	snprintf(key, sizeof(key), "program.%" PRIu32 ".%s", row->pid,
		 row->name);
	program = gn_model_info(m, key);
	return program ? strdup(program) : NULL;
}

/* Names processes after their programs: the kernel's name is cut, and can be
 * that of a runtime. */
static void name_process(const struct gn_model *m, struct gn_rows *rows)
{
	const struct gn_model_thread *first = NULL;
	const char *command = gn_model_info(m, "command");

	for (size_t i = 0; i < m->nthreads; i++)
		if (!first || m->threads[i].start < first->start)
			first = &m->threads[i];
	for (size_t i = 0; first && i < rows->n; i++) {
		struct gn_row *row = &rows->row[i];

		if (!row->own)
			row->own = program_of(m, row);
		if (!row->own && row->pid == first->pid)
			row->own = gn_program_name(command, row->name);
		row->name = row->own ?: row->name;
	}
}

/* Prints one table of the model. Adds the marks of its rows to *marked. */
static int print_table(const struct gn_model *m, const struct gn_output_opts *o,
		       struct gn_marks *marked, FILE *f)
{
	struct gn_grid g = {
		.title = name_title(o->by),
		.kinds = o->by == GN_BY_CALLERS || gn_by_has_own_columns(o->by),
	};
	struct gn_marks marks;
	struct gn_rows rows;
	int err = gn_rows_make(m, o, &rows);

	if (!err && o->by == GN_BY_PROCESS)
		name_process(m, &rows);
	if (err)
		goto out;
	g.modules = o->by == GN_BY_FUNCTION || g.kinds || o->by == GN_BY_TREE;
	marks = marks_of(&rows);
	g.marks = marks.gap || marks.unprobed || marks.inlined;
	marked->gap |= marks.gap;
	marked->unprobed |= marks.unprobed;
	marked->inlined |= marks.inlined;
	marked->moved |= marks.moved;
	err = make_columns(&g, m, &rows, o);
	if (err)
		goto out;
	err = gn_grid_print(&g, &rows, o, f);
	if (!err)
		print_hidden(m, &g, &rows, o, f);
out:
	gn_rows_clear(&rows);
	return err;
}

/* Without functions, the tables of threads still show where time went. */
static int print_without_functions(const struct gn_model *m,
				   const struct gn_output_opts *o,
				   struct gn_marks *marked, FILE *f)
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

static int print_sheet(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	struct gn_sheet sheet;
	int err = gn_sheet_make(m, o, &sheet);

	if (!err)
		err = gn_sheet_table(&sheet, o, f);
	gn_sheet_clear(&sheet);
	return err;
}

static bool lists_functions(enum gn_by by)
{
	return !gn_by_owns_all(by) && !gn_by_has_own_columns(by);
}

/* Threads and processes also stand for functions that there are none of. They
 * are judged by all their time: without functions, none of it is exclusive. */
static const char *usual_sort(const struct gn_model *m, enum gn_by by)
{
	if (gn_by_is_sheet(by))
		return NULL;
	if (gn_by_owns_all(by) || (lists_functions(by) && !m->nfunctions))
		return "ai";
	return by == GN_BY_TREE || !lists_functions(by) ? NULL : "ae";
}

static int write_whole(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	struct gn_marks marked = {.gap = false};
	int err = 0;

	if (!o->bare)
		err = gn_header_print(m, o, f);
	if (err)
		return err;
	if (gn_by_is_sheet(o->by))
		err = print_sheet(m, o, f);
	else if (lists_functions(o->by) && !m->nfunctions)
		err = print_without_functions(m, o, &marked, f);
	else
		err = print_table(m, o, &marked, f);
	return err ? err : gn_footer_print(m, o, marked, f);
}

/* Wraps the lines around the rows. The rows already fit. */
static int write_wrapped(const struct gn_model *m,
			 const struct gn_output_opts *o, FILE *f)
{
	struct gn_text_stream stream;
	FILE *memory = gn_text_stream_open(&stream);
	int err = memory ? write_whole(m, o, memory) : -ENOMEM;
	char *text = memory ? gn_text_stream_close(&stream) : NULL;

	if (!text && !err)
		err = -ENOMEM;
	if (!err)
		gn_wrap_notes(f, text, (size_t)o->width);
	free(text);
	return err;
}

int gn_table_write(const struct gn_model *m, const struct gn_output_opts *o,
		   FILE *f)
{
	struct gn_output_opts opts = *o;
	int err;

	/* check options before anything is printed */
	err = gn_rows_sort(NULL, 0, o->sort, o->by);
	if (!err && o->columns && !gn_by_is_sheet(o->by))
		err = gn_columns_check(o->columns);
	if (err)
		return err;
	if (!o->sort)
		opts.sort = usual_sort(m, o->by);
	err = o->width ? write_wrapped(m, &opts, f) : write_whole(m, &opts, f);
	return err ? err : gn_stream_status(f);
}
