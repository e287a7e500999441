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

#include "output/formats.h"
#include "output/rows.h"
#include "output/text.h"

static int put_text(FILE *f, const char *text)
{
	char *escaped = gn_escape(text, true);

	if (!escaped)
		return -ENOMEM;
	if (!escaped[strcspn(escaped, ",\"")]) {
		fputs(escaped, f);
	} else {
		fputc('"', f);
		for (const char *p = escaped; *p; p++) {
			if (*p == '"')
				fputc('"', f);
			fputc(*p, f);
		}
		fputc('"', f);
	}
	free(escaped);
	return 0;
}

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

static void put_titles(enum gn_by by, FILE *f)
{
	fprintf(f,
		"%s,calls,unwound,elapsed_inclusive_ns,elapsed_inclusive_pct,"
		"elapsed_exclusive_ns,elapsed_exclusive_pct,"
		"application_inclusive_ns,application_inclusive_pct,"
		"application_exclusive_ns,application_exclusive_pct,"
		"min_ns,max_ns,finished,gap",
		leading_titles(by));
	/* a thread's classes are those of its account */
	if (by == GN_BY_THREAD) {
#define TITLE(name, value, text, group, meaning) fputs("," text "_ns", f);
		GN_CLASS_LIST(TITLE)
#undef TITLE
	} else {
#define TITLES(name, value, text, group, meaning) \
	fputs("," text "_inclusive_ns," text "_exclusive_ns", f);
		GN_CLASS_LIST(TITLES)
#undef TITLES
	}
	fputs("\r\n", f);
}

static void put_values(const struct gn_model *m, const struct gn_values *v,
		       FILE *f)
{
	uint64_t elapsed = m->session.elapsed_incl, app = m->session.app_incl;

	fprintf(f,
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%.6f,%" PRIu64
		",%.6f,%" PRIu64 ",%.6f,%" PRIu64 ",%.6f,%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",%d",
		v->calls, v->unwound, v->elapsed_incl,
		gn_pct(v->elapsed_incl, elapsed), v->elapsed_excl,
		gn_pct(v->elapsed_excl, elapsed), v->app_incl,
		gn_pct(v->app_incl, app), v->app_excl, gn_pct(v->app_excl, app),
		v->min, v->max, v->finished, v->gap);
}

static void put_classes(const struct gn_row *r, enum gn_by by, FILE *f)
{
	for (int c = 0; c < GN_CLASS_COUNT; c++) {
		if (by == GN_BY_THREAD)
			fprintf(f, ",%" PRIu64, r->classes[c]);
		else
			fprintf(f, ",%" PRIu64 ",%" PRIu64, r->v->class_incl[c],
				r->v->class_excl[c]);
	}
}

static int put_function(const struct gn_row *r, FILE *f)
{
	int err = put_text(f, r->name);

	fputc(',', f);
	if (!err)
		err = put_text(f, r->module);
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
	err = put_text(f, of->name);
	fputc(',', f);
	if (!err)
		err = put_text(f, of->module);
	fputc(',', f);
	return err;
}

static int put_leading(const struct gn_row *r, const struct gn_row *of,
		       const struct gn_model *m, enum gn_by by, FILE *f)
{
	int err = 0;

	switch (by) {
	case GN_BY_MODULE:
		return put_text(f, r->name);
	case GN_BY_THREAD:
		fprintf(f, "%" PRIu32 ",%" PRIu32 ",", r->pid, r->tid);
		err = put_text(f, r->name);
		fprintf(f, ",%" PRIu64 ",%" PRIu64, m->threads[r->id].elapsed,
			r->gaps);
		return err;
	case GN_BY_PROCESS:
		fprintf(f, "%" PRIu32 ",", r->pid);
		err = put_text(f, r->name);
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

int gn_csv_write(const struct gn_model *m, const struct gn_output_opts *o,
		 FILE *f)
{
	struct gn_rows rows;
	size_t of = 0;
	int err = gn_rows_make(m, o, &rows);

	if (!err)
		put_titles(o->by, f);
	for (size_t i = 0; i < rows.n && !err; i++) {
		const struct gn_row *r = &rows.row[i];

		/* found once a block, with its first row */
		if (o->by == GN_BY_CALLERS && r->kind != GN_ROW_CALLEE &&
		    (!i || of < i))
			of = owner(&rows, i);
		err = put_leading(r, &rows.row[of], m, o->by, f);
		put_values(m, r->v, f);
		put_classes(r, o->by, f);
		fputs("\r\n", f);
		if (!err)
			err = gn_stream_status(f);
	}
	gn_rows_clear(&rows);
	return err;
}
