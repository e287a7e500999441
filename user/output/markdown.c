/* SPDX-License-Identifier: BSD-2-Clause */
/* A table in Markdown, for a pull request or an issue: the same rows as the
 * table for people, with the requested columns. */
#include <errno.h>
#include <inttypes.h>

#include "output/columns.h"
#include "output/formats.h"
#include "output/markup.h"
#include "output/sheet.h"
#include "output/text.h"

static const char *title(enum gn_by by)
{
	static const char *const titles[GN_BY_COUNT] = {
		[GN_BY_FUNCTION] = "function", [GN_BY_MODULE] = "module",
		[GN_BY_THREAD] = "thread",     [GN_BY_PROCESS] = "process",
		[GN_BY_TREE] = "call path",    [GN_BY_CALLERS] = "function",
		[GN_BY_WAITS] = "wait",	       [GN_BY_ASYNC] = "async method",
	};

	return titles[by];
}

static void put_titles(enum gn_by by, const struct gn_picks *p, FILE *f)
{
	char name[GN_CELL];

	fprintf(f, "| %s |", title(by));
	for (int i = 0; i < p->n; i++) {
		gn_column_key(name, p->pick[i].column, by);
		/* the unit stands in each cell */
		for (char *end = name; *end; end++)
			if (end[0] == '_' && end[1] == 'n' && end[2] == 's' &&
			    !end[3])
				*end = '\0';
		fprintf(f, " %s |", name);
	}
	fputs("\n|---|", f);
	for (int i = 0; i < p->n; i++)
		fputs("---:|", f);
	fputc('\n', f);
}

static void put_value(const struct gn_model *m, const struct gn_output_opts *o,
		      const struct gn_row *r, int column, FILE *f)
{
	uint64_t value = gn_column_value(r, column);
	char cell[GN_CELL];

	if (gn_column_empty(r, column)) {
		fputs(" |", f);
		return;
	}
	switch (gn_column_show(column)) {
	case GN_SHOW_PCT:
		gn_format_pct(cell, value,
			      gn_column_whole(&m->session, column));
		break;
	case GN_SHOW_TIME:
		gn_format_duration(cell, value, o->ns);
		break;
	default:
		gn_format_count(cell, value);
		break;
	}
	/* a pair of unescaped tildes strikes out what is between */
	fprintf(f, " %s%s |", gn_column_uncertain(r, column) ? "\\~" : "",
		cell);
}

static int put_row(const struct gn_model *m, const struct gn_output_opts *o,
		   const struct gn_picks *p, const struct gn_row *r, FILE *f)
{
	static const char *const kinds[] = {
		[GN_ROW_CALLER] = "from ", [GN_ROW_CALLEE] = "to "};
	int err;

	fputs("| ", f);
	for (uint32_t i = 1; i < r->depth; i++)
		fputs("&nbsp;&nbsp;", f);
	if (r->kind == GN_ROW_CALLER || r->kind == GN_ROW_CALLEE)
		fputs(kinds[r->kind], f);
	if (r->kind == GN_ROW_REASON)
		fputs("&nbsp;&nbsp;", f);
	err = gn_markdown_text(f, r->name[0] ? gn_row_shown(r) : "(unnamed)");
	/* names are not unique */
	if (!err && r->thread)
		fprintf(f, " (%" PRIu32 ")", r->tid);
	else if (!err && r->process)
		fprintf(f, " (%" PRIu32 ")", r->pid);
	if (r->v->gap || gn_calls_missing(r->v))
		fputs(" (incomplete)", f);
	fputs(" |", f);
	for (int i = 0; i < p->n; i++)
		put_value(m, o, r, p->pick[i].column, f);
	fputc('\n', f);
	return err ? err : gn_stream_status(f);
}

static void put_head(const struct gn_model *m, FILE *f)
{
	char elapsed[GN_CELL], app[GN_CELL], wall[GN_CELL], lost[GN_CELL];

	gn_format_duration(elapsed, m->session.elapsed_incl, false);
	gn_format_duration(app, m->session.app_incl, false);
	gn_format_duration(wall, m->end - m->start, false);
	fprintf(f,
		"%" PRIu64 " %s, %s elapsed and %s application time of all "
		"threads, in %s by the clock.\n",
		gn_model_threads(m),
		gn_word(gn_model_threads(m), "thread", "threads"), elapsed, app,
		wall);
	if (gn_model_broken(m))
		fputs("**A self-check failed: the numbers cannot be "
		      "trusted.**\n",
		      f);
	if (m->truncated)
		fprintf(f,
			"**The trace %s, and what followed is lost: the "
			"report is incomplete.**\n",
			gn_model_truncation(m));
	if (gn_model_losses(m)) {
		gn_format_count(lost, gn_model_losses(m));
		fprintf(f, "**%s %s lost: the report is incomplete.**\n", lost,
			gn_word(gn_model_losses(m), "record was",
				"records were"));
	}
	fputc('\n', f);
}

/* Explains the mark, if any row has it. */
static void put_marks(const struct gn_rows *rows, const struct gn_picks *p,
		      FILE *f)
{
	for (size_t i = 0; i < rows->n * (size_t)p->n; i++) {
		size_t column = i % (size_t)p->n;

		if (!gn_column_uncertain(&rows->row[i / (size_t)p->n],
					 p->pick[column].column))
			continue;
		fputs("\n\\~: can be wrong by more than a tenth, for the "
		      "cost of probes, or for calls without an end or that "
		      "moved to other threads.\n",
		      f);
		return;
	}
}

/* Explains what is incomplete, if a row is. */
static void put_why(const struct gn_rows *rows, FILE *f)
{
	bool gap = false, unprobed = false, inlined = false;
	const char *before = "";

	for (size_t i = 0; i < rows->n; i++) {
		gap |= rows->row[i].v->gap;
		unprobed |= rows->row[i].v->unprobed;
		inlined |= rows->row[i].v->inlined;
	}
	if (!gap && !unprobed && !inlined)
		return;
	fputs("\n(incomplete): ", f);
	if (gap) {
		fputs("it was active while records were lost", f);
		before = ", or ";
	}
	if (unprobed) {
		fprintf(f, "%sits probes came late", before);
		before = ", or ";
	}
	if (inlined)
		fprintf(f, "%sthe compiler may have copied it into callers",
			before);
	fputs(": calls can be missing.\n", f);
}

static int pick_columns(const struct gn_output_opts *o, struct gn_picks *p)
{
	static const int waits[] = {GN_COLUMN_WAIT_TIME, GN_COLUMN_WAIT_COUNT,
				    GN_COLUMN_WAIT_LONGEST};

	if (!gn_by_has_own_columns(o->by))
		return gn_picks_parse(o->columns,
				      o->by == GN_BY_THREAD
					      ? "calls,ei,ai,classes"
					      : "calls,ei,ee,ai,ae,ae%",
				      false, o->by, p);
	p->n = 0;
	for (int i = 0; i < 3 && o->by == GN_BY_WAITS; i++)
		p->pick[p->n++].column = waits[i];
	for (int id = GN_COLUMN_ASYNC_TIME;
	     id <= GN_COLUMN_ASYNC_MOST && o->by == GN_BY_ASYNC; id++)
		p->pick[p->n++].column = id;
	return 0;
}

/* Drops classes that were not named and are all 0. */
static void drop_classes(const struct gn_rows *rows, struct gn_picks *p)
{
	int n = 0;

	for (int i = 0; i < p->n; i++) {
		if (gn_column_class(p->pick[i].column) < 0 ||
		    p->pick[i].how == GN_PICKED_NAMED ||
		    !gn_column_zero(rows, p->pick[i].column))
			p->pick[n++] = p->pick[i];
	}
	p->n = n;
}

static int write_sheet(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	struct gn_sheet sheet;
	int err = gn_sheet_make(m, o, &sheet);

	if (!err) {
		put_head(m, f);
		err = gn_sheet_markdown(&sheet, o, f);
	}
	gn_sheet_clear(&sheet);
	return err;
}

int gn_markdown_write(const struct gn_model *m, const struct gn_output_opts *o,
		      FILE *f)
{
	struct gn_output_opts some = *o;
	struct gn_picks picks;
	struct gn_rows rows;
	int err;

	if (gn_by_is_sheet(o->by))
		return write_sheet(m, o, f);
	err = pick_columns(o, &picks);
	if (err)
		return err;
	if (!some.sort && o->by != GN_BY_TREE && o->by != GN_BY_CALLERS &&
	    !gn_by_has_own_columns(o->by))
		some.sort = gn_by_owns_all(o->by) ? "ai" : "ae";
	err = gn_rows_make(m, &some, &rows);
	if (!err) {
		drop_classes(&rows, &picks);
		put_head(m, f);
		put_titles(o->by, &picks, f);
		err = gn_stream_status(f);
	}
	for (size_t i = 0; i < rows.n && !err; i++)
		err = put_row(m, o, &picks, &rows.row[i], f);
	if (!err) {
		put_marks(&rows, &picks, f);
		put_why(&rows, f);
	}
	if (!err && rows.limited)
		fprintf(f, "\n%zu more %s not shown.\n", rows.limited,
			gn_word(rows.limited, "is", "are"));
	gn_rows_clear(&rows);
	return err ? err : gn_stream_status(f);
}
