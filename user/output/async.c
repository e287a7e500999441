// SPDX-License-Identifier: BSD-2-Clause
#include "output/async.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/rows.h"
#include "output/text.h"

/* The name of an await point within its method: "await 0", "yield 1". */
static void await_text(char buf[GN_CELL], const struct gn_model_await *at)
{
	int len;

	if (at->state >= 0)
		len = snprintf(buf, GN_CELL, "await %" PRId32, at->state);
	else /* state -4 is the first yield */
		len = snprintf(buf, GN_CELL, "yield %" PRId32, -4 - at->state);
	if (at->line)
		snprintf(buf + len, GN_CELL - (size_t)len, ", line %" PRIu32,
			 at->line);
}

static void fill_method(struct gn_row *row, const struct gn_model *m,
			const struct gn_model_async *a)
{
	gn_row_function(row, m, a->function, &m->functions[a->function].v);
	row->async.of = a;
	row->async.ns = a->elapsed;
	row->async.mean = a->starts ? a->elapsed / a->starts : 0;
	row->async.running = row->v->elapsed_incl;
	row->async.count = a->starts;
	row->async.faulted = a->faulted;
	row->async.open = a->in_flight;
	row->async.most = a->most;
}

static int fill_await(struct gn_row *row, const struct gn_row *method,
		      const struct gn_model_await *at)
{
	char text[GN_CELL];

	await_text(text, at);
	row->kind = GN_ROW_REASON;
	row->v = method->v;
	row->classes = method->classes;
	row->module = "";
	row->parent = -1;
	row->async.of = method->async.of;
	row->async.at = at;
	row->async.ns = at->ns;
	row->async.mean = at->count ? at->ns / at->count : 0;
	row->async.count = at->count;
	row->async.open = at->waiting;
	row->own = strdup(text);
	row->name = row->own;
	return row->own ? 0 : -ENOMEM;
}

/* Lists the methods in order. */
static int list_methods(const struct gn_model *m,
			const struct gn_output_opts *o, struct gn_rows *out)
{
	size_t n = m->nasyncs;

	out->row = calloc(n + 1, sizeof(*out->row));
	if (!out->row)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		fill_method(&out->row[i], m, &m->asyncs[i]);
	out->n = n;
	return gn_rows_order(out, o);
}

int gn_rows_async(const struct gn_model *m, const struct gn_output_opts *o,
		  struct gn_rows *out)
{
	struct gn_rows methods = {0};
	size_t room = 0;
	int err = list_methods(m, o, &methods);

	out->limited = methods.limited;
	for (size_t i = 0; !err && i < methods.n; i++) {
		const struct gn_model_async *a = methods.row[i].async.of;
		struct gn_row *row = gn_rows_add(out, &room);

		if (row)
			*row = methods.row[i];
		for (size_t k = 0; row && !err && k < a->nawaits; k++) {
			row = gn_rows_add(out, &room);
			if (row)
				err = fill_await(row, &methods.row[i],
						 &a->awaits[k]);
		}
		if (!row)
			err = -ENOMEM;
	}
	gn_rows_clear(&methods);
	return err;
}

static int put_record(const struct gn_row *r, const struct gn_row *method,
		      FILE *f)
{
	const struct gn_model_await *at = r->async.at;
	int err = gn_csv_text(f, method->name);

	fputc(',', f);
	if (!err)
		err = gn_csv_text(f, method->module);
	fprintf(f, ",%s,", !at ? "method" : at->state < 0 ? "yield" : "await");
	if (at)
		fprintf(f, "%" PRId32, at->state);
	fprintf(f, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", r->async.count,
		r->async.ns, r->async.open);
	if (!at)
		fprintf(f, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
			r->async.of->completions, r->async.faulted,
			r->async.most, r->async.running);
	else
		fputs(",,,", f);
	fprintf(f, ",%d,%" PRIu64 "\r\n", r->async.of->gap,
		at ? at->older : r->async.of->older);
	return err ? err : gn_stream_status(f);
}

int gn_async_csv(const struct gn_model *m, const struct gn_output_opts *o,
		 FILE *f)
{
	const struct gn_row *method = NULL;
	struct gn_rows rows = {0};
	int err = gn_rows_async(m, o, &rows);

	if (!err)
		fputs("function,module,row,state,count,time_ns,in_flight,"
		      "completions,faulted,most_in_flight,running_ns,gap,"
		      "older\r\n",
		      f);
	for (size_t i = 0; i < rows.n && !err; i++) {
		if (!rows.row[i].async.at)
			method = &rows.row[i];
		err = put_record(&rows.row[i], method, f);
	}
	gn_rows_clear(&rows);
	return err ? err : gn_stream_status(f);
}

static void put_await(struct gn_emit *e, const struct gn_model_await *at)
{
	gn_emit_open(e, NULL, '{');
	gn_emit_i64(e, "state", at->state);
	gn_emit_u64(e, "count", at->count);
	gn_emit_u64(e, "awaited_ns", at->ns);
	gn_emit_u64(e, "waiting", at->waiting);
	gn_emit_u64(e, "older", at->older);
	if (at->line)
		gn_emit_u64(e, "line", at->line);
	gn_emit_close(e, '}');
}

static void put_method(struct gn_json *j, const struct gn_model_async *a)
{
	const struct gn_model_function *f = &j->m->functions[a->function];
	struct gn_emit *e = &j->e;

	gn_emit_line(e);
	gn_emit_open(e, NULL, '{');
	gn_emit_text(e, "name", f->name);
	if (f->short_name)
		gn_emit_text(e, "short", f->short_name);
	gn_emit_text(e, "module", f->module);
	if (f->file) {
		gn_emit_text(e, "file", f->file);
		gn_emit_u64(e, "line", f->line);
	}
	gn_emit_u64(e, "starts", a->starts);
	gn_emit_u64(e, "completions", a->completions);
	gn_emit_u64(e, "faulted", a->faulted);
	gn_emit_u64(e, "in_flight", a->in_flight);
	gn_emit_u64(e, "most_in_flight", a->most);
	gn_emit_u64(e, "older", a->older);
	gn_emit_u64(e, "elapsed_ns", a->elapsed);
	gn_emit_u64(e, "running_ns", f->v.elapsed_incl);
	gn_emit_bool(e, "gap", a->gap);
	gn_emit_open(e, "awaits", '[');
	for (size_t i = 0; i < a->nawaits; i++)
		put_await(e, &a->awaits[i]);
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
}

void gn_json_async(struct gn_json *j)
{
	gn_emit_line(&j->e);
	gn_emit_open(&j->e, "async", '[');
	for (size_t i = 0; i < j->m->nasyncs; i++)
		put_method(j, &j->m->asyncs[i]);
	gn_emit_close(&j->e, ']');
}
