/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * RFC 4180: a line of titles, then records that end in CR LF; every column,
 * exact nanoseconds. Names are escaped as in tables, so that a file can be
 * printed on a terminal.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/columns.h"
#include "output/formats.h"
#include "output/syscalls.h"
#include "output/text.h"

static const char *leading_titles(enum gn_by by)
{
	switch (by) {
	case GN_BY_MODULE:
		return "module";
	case GN_BY_THREAD:
		return "pid,tid,thread,elapsed_ns,gaps";
	case GN_BY_PROCESS:
		return "pid,process,threads";
	case GN_BY_TREE:
		return "id,parent,depth,function,module,runtime";
	case GN_BY_CALLERS:
		return "role,of,of_module,function,module,runtime";
	default:
		return "function,module,runtime";
	}
}

static void put_titles(enum gn_by by, const struct gn_picks *p, FILE *f)
{
	char title[GN_CELL];

	fputs(leading_titles(by), f);
	for (int i = 0; i < p->n; i++) {
		gn_column_csv(title, p->pick[i].column, by);
		fprintf(f, ",%s", title);
	}
	fputs(",gap,unprobed\r\n", f);
}

/* The numbers of a row; what is missing of it stands behind them always. */
static void put_values(const struct gn_model *m, const struct gn_row *r,
		       const struct gn_picks *p, FILE *f)
{
	for (int i = 0; i < p->n; i++) {
		int column = p->pick[i].column;
		uint64_t value = gn_column_value(r, column);

		if (gn_column_show(column) == GN_SHOW_PCT)
			fprintf(f, ",%.6f",
				gn_pct(value, gn_column_whole(m, column)));
		else
			fprintf(f, ",%" PRIu64, value);
	}
	fprintf(f, ",%d,%d\r\n", r->v->gap, r->v->unprobed);
}

static int put_function(const struct gn_row *r, FILE *f)
{
	int err = gn_csv_text(f, r->name);

	fputc(',', f);
	if (!err)
		err = gn_csv_text(f, r->module);
	fprintf(f, ",%s", r->runtime ? r->runtime : "");
	return err;
}

/* Which row a caller or callee belongs to. */
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

static int put_leading(const struct gn_row *r, const struct gn_row *of,
		       const struct gn_model *m, enum gn_by by, FILE *f)
{
	int err = 0;

	switch (by) {
	case GN_BY_MODULE:
		return gn_csv_text(f, r->name);
	case GN_BY_THREAD:
		fprintf(f, "%" PRIu32 ",%" PRIu32 ",", r->pid, r->tid);
		err = gn_csv_text(f, r->name);
		fprintf(f, ",%" PRIu64 ",%" PRIu64, m->threads[r->id].elapsed,
			r->gaps);
		return err;
	case GN_BY_PROCESS:
		fprintf(f, "%" PRIu32 ",", r->pid);
		err = gn_csv_text(f, r->name);
		fprintf(f, ",%" PRIu64, r->threads);
		return err;
	case GN_BY_TREE:
		fprintf(f, "%" PRIu32 ",", r->id);
		if (r->parent >= 0)
			fprintf(f, "%" PRId32, r->parent);
		fprintf(f, ",%" PRIu32 ",", r->depth);
		return put_function(r, f);
	case GN_BY_CALLERS:
		err = put_role(r, of, f);
		return err ? err : put_function(r, f);
	default:
		return put_function(r, f);
	}
}

/* The function that row `i` belongs to, when it is one or a caller. */
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

	fprintf(f, ",%s,%s,%s", poll ? gn_polled_text((int)w->polled) : "",
		poll ? gn_wait_end_text((int)w->end) : "",
		w->idle ? "yes" : "");
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
		      "idle_worker\r\n",
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
		err = put_function(of, f);
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

int gn_csv_write(const struct gn_model *m, const struct gn_output_opts *o,
		 FILE *f)
{
	struct gn_picks picks;
	struct gn_rows rows;
	size_t of = 0;
	int err;

	if (o->by == GN_BY_WAITS)
		return write_waits(m, o, f);
	err = gn_picks_parse(o->columns, "all", false, o->by, &picks);
	if (err)
		return err;
	err = gn_rows_make(m, o, &rows);
	if (!err) {
		put_titles(o->by, &picks, f);
		err = gn_stream_status(f);
	}
	for (size_t i = 0; i < rows.n && !err; i++) {
		const struct gn_row *r = &rows.row[i];

		/* found once a block, with its first row */
		if (o->by == GN_BY_CALLERS && r->kind != GN_ROW_CALLEE &&
		    (!i || of < i))
			of = owner(&rows, i);
		err = put_leading(r, &rows.row[of], m, o->by, f);
		put_values(m, r, &picks, f);
		if (!err)
			err = gn_stream_status(f);
	}
	gn_rows_clear(&rows);
	return err;
}
