/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 4180: a line of titles, then records that end in CR LF, with every column
 * in exact nanoseconds. Names are escaped as in tables, so that the file can be
 * shown on a terminal.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/async.h"
#include "output/columns.h"
#include "output/formats.h"
#include "output/sheet.h"
#include "output/syscalls.h"
#include "output/text.h"

/* The fixed columns before the chosen ones. `titles` names columns of trees and
 * callers that come before these. */
struct leading {
	const char *titles, *name;
	int n, column[5];
};

static struct leading leading_of(enum gn_by by)
{
	switch (by) {
	case GN_BY_MODULE:
		return (struct leading){"", "module", 1, {GN_COLUMN_NAME}};
	case GN_BY_THREAD:
		return (struct leading){"",
					"thread",
					5,
					{GN_COLUMN_PID, GN_COLUMN_TID,
					 GN_COLUMN_NAME, GN_COLUMN_LENGTH,
					 GN_COLUMN_GAPS}};
	case GN_BY_PROCESS:
		return (struct leading){
			"",
			"process",
			3,
			{GN_COLUMN_PID, GN_COLUMN_NAME, GN_COLUMN_THREADS}};
	default:
		return (struct leading){
			by == GN_BY_TREE      ? "id,parent,depth,"
			: by == GN_BY_CALLERS ? "role,of,of_module,"
					      : "",
			"function",
			3,
			{GN_COLUMN_NAME, GN_COLUMN_MODULE, GN_COLUMN_RUNTIME}};
	}
}

static void put_titles(enum gn_by by, const struct gn_picks *p, FILE *f)
{
	struct leading l = leading_of(by);
	char title[GN_CELL];

	fputs(l.titles, f);
	for (int i = 0; i < l.n; i++) {
		gn_column_key(title, l.column[i], by);
		fprintf(f, "%s%s", i ? "," : "",
			l.column[i] == GN_COLUMN_NAME ? l.name : title);
	}
	for (int i = 0; i < p->n; i++) {
		gn_column_key(title, p->pick[i].column, by);
		fprintf(f, ",%s", title);
	}
	fputs(",gap,unprobed,inlined\r\n", f);
}

static int put_value(const struct gn_model *m, const struct gn_row *r,
		     int column, FILE *f)
{
	const char *text = gn_column_text(m, r, column);
	uint64_t value;

	if (text)
		return gn_csv_text(f, text);
	value = gn_column_value(r, column);
	if (gn_column_show(column) == GN_SHOW_PCT)
		fprintf(f, "%.6f",
			gn_pct(value, gn_column_whole(&m->session, column)));
	else
		fprintf(f, "%" PRIu64, value);
	return 0;
}

/* Writes the chosen columns of a row, and then its marks. */
static void put_values(const struct gn_model *m, const struct gn_row *r,
		       const struct gn_picks *p, FILE *f)
{
	for (int i = 0; i < p->n; i++) {
		fputc(',', f);
		put_value(m, r, p->pick[i].column, f);
	}
	fprintf(f, ",%d,%d,%d\r\n", r->v->gap, r->v->unprobed, r->v->inlined);
}

/* The columns that stand before the numbers. */
static int put_leading(const struct gn_model *m, const struct gn_row *r,
		       enum gn_by by, FILE *f)
{
	struct leading l = leading_of(by);
	int err = 0;

	for (int i = 0; i < l.n && !err; i++) {
		if (i)
			fputc(',', f);
		err = put_value(m, r, l.column[i], f);
	}
	return err;
}

/* Writes the row's role, and the function that it belongs to. */
static int put_role(const struct gn_row *r, const struct gn_row *of, FILE *f)
{
	int err;

	fputs(r->kind == GN_ROW_CALLER	 ? "caller,"
	      : r->kind == GN_ROW_CALLEE ? "callee,"
					 : "function,",
	      f);
	err = gn_csv_text(f, of->name);
	fputc(',', f);
	if (!err)
		err = gn_csv_text(f, of->module);
	fputc(',', f);
	return err;
}

/* Writes the row's place in the tree. */
static void put_place(const struct gn_row *r, FILE *f)
{
	fprintf(f, "%" PRIu32 ",", r->id);
	if (r->parent >= 0)
		fprintf(f, "%" PRId32, r->parent);
	fprintf(f, ",%" PRIu32 ",", r->depth);
}

/* The row of the function that row `i`, itself a function or a caller, belongs
 * to. */
static size_t owner(const struct gn_rows *rows, size_t i)
{
	while (rows->row[i].kind == GN_ROW_CALLER && i + 1 < rows->n)
		i++;
	return i;
}

static int put_waker(const struct gn_model *m, const struct gn_model_wait *w,
		     FILE *f)
{
	struct gn_values none = {0};
	struct gn_row by;
	int err;

	fprintf(f, ",%" PRIu32 ",", w->waker);
	err = gn_csv_text(f, w->waker_name);
	if (w->waker_function < 0) {
		fputs(",,", f);
		return err;
	}
	gn_row_function(&by, m, w->waker_function, &none);
	fputc(',', f);
	if (!err)
		err = gn_csv_text(f, by.name);
	fputc(',', f);
	return err ? err : gn_csv_text(f, by.module);
}

static void put_detail(const struct gn_model_wait *w, FILE *f)
{
	bool poll = w->class == GN_CLASS_POLL;

	fprintf(f, ",%s,%s,%s,%s,%s",
		poll ? gn_polled_text((int)w->polled) : "",
		poll ? gn_wait_end_text((int)w->end) : "", w->idle ? "yes" : "",
		w->interpreter ? "yes" : "", gn_halt_text((int)w->halt));
}

/* One record a reason. */
static int write_waits(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	struct gn_output_opts all = *o;
	const struct gn_row *of = NULL;
	struct gn_rows rows;
	int err;

	all.verbose = true;
	err = gn_rows_make(m, &all, &rows);
	if (!err) {
		fputs("function,module,runtime,class,syscall,syscall_name,"
		      "time_ns,count,longest_ns,waker_tid,waker,"
		      "waker_function,waker_module,polled,ended_by,"
		      "idle_worker,interpreter_lock,stopped_by\r\n",
		      f);
		err = gn_stream_status(f);
	}
	for (size_t i = 0; i < rows.n && !err; i++) {
		const struct gn_model_wait *w = rows.row[i].wait.of;
		const char *name;

		if (!w) {
			of = &rows.row[i];
			continue;
		}
		err = put_leading(m, of, GN_BY_FUNCTION, f);
		fprintf(f, ",%s,", gn_class_text((int)w->class));
		if (w->reason != GN_NO_SYSCALL)
			fprintf(f, "%u", w->reason);
		name = gn_syscall_text(w->reason);
		fprintf(f, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			name ? name : "", w->ns, w->count, w->longest);
		if (!err)
			err = put_waker(m, w, f);
		put_detail(w, f);
		fputs("\r\n", f);
		if (!err)
			err = gn_stream_status(f);
	}
	gn_rows_clear(&rows);
	return err;
}

static int write_sheet(const struct gn_model *m, const struct gn_output_opts *o,
		       FILE *f)
{
	struct gn_sheet sheet;
	int err = gn_sheet_make(m, o, &sheet);

	if (!err)
		err = gn_sheet_csv(&sheet, f);
	gn_sheet_clear(&sheet);
	return err;
}

int gn_csv_write(const struct gn_model *m, const struct gn_output_opts *o,
		 FILE *f)
{
	struct gn_picks picks;
	struct gn_rows rows;
	size_t of = 0;
	int err;

	if (o->by == GN_BY_WAITS)
		return write_waits(m, o, f);
	if (o->by == GN_BY_ASYNC)
		return gn_async_csv(m, o, f);
	if (gn_by_is_sheet(o->by))
		return write_sheet(m, o, f);
	err = gn_picks_parse(o->columns, "all", false, o->by, &picks);
	if (err)
		return err;
	err = gn_rows_make(m, o, &rows);
	if (!err) {
		put_titles(o->by, &picks, f);
		err = gn_stream_status(f);
	}
	gn_steps_more(o->steps, rows.n);
	for (size_t i = 0; i < rows.n && !err; i++) {
		const struct gn_row *r = &rows.row[i];

		/* find the owner once, at the first row of a block */
		if (o->by == GN_BY_CALLERS && r->kind != GN_ROW_CALLEE &&
		    (!i || of < i))
			of = owner(&rows, i);
		if (o->by == GN_BY_TREE)
			put_place(r, f);
		else if (o->by == GN_BY_CALLERS)
			err = put_role(r, &rows.row[of], f);
		if (!err)
			err = put_leading(m, r, o->by, f);
		put_values(m, r, &picks, f);
		gn_steps_done(o->steps, 1);
		if (!err)
			err = gn_stream_status(f);
	}
	gn_rows_clear(&rows);
	return err;
}
