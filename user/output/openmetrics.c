/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A finished capture as OpenMetrics. Prometheus can also read it as its own
 * text format: all metrics are gauges, which both formats write alike. The
 * specification: github.com/prometheus/OpenMetrics.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/formats.h"
#include "output/emit.h"
#include "output/rows.h"
#include "output/classes.h"
#include "output/text.h"

/* Escapes backslashes and quotes. Newlines would need it too, but gn_escape()
 * leaves none. */
static int put_label(FILE *f, const char *name, const char *value)
{
	char *plain = gn_escape(value, true);

	if (!plain)
		return -ENOMEM;
	fprintf(f, "%s=\"", name);
	for (const char *p = plain; *p; p++) {
		if (*p == '\\' || *p == '"')
			fputc('\\', f);
		fputc(*p, f);
	}
	fputc('"', f);
	free(plain);
	return 0;
}

static void put_family(FILE *f, const char *name, const char *unit,
		       const char *help)
{
	fprintf(f, "# TYPE gnomon_%s gauge\n", name);
	if (*unit)
		fprintf(f, "# UNIT gnomon_%s %s\n", name, unit);
	fprintf(f, "# HELP gnomon_%s %s\n", name, help);
}

static void put_seconds(FILE *f, uint64_t ns)
{
	fprintf(f, " %" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000,
		ns % 1000000000);
}

static int put_labels(FILE *f, const struct gn_row *r, enum gn_by by)
{
	int err;

	if (by == GN_BY_THREAD) {
		/* a tid can be reused */
		fprintf(f,
			"{pid=\"%" PRIu32 "\",tid=\"%" PRIu32
			"\",start=\"%" PRIu64 "\",",
			r->pid, r->tid, r->thread->start);
		err = put_label(f, "thread", r->name);
	} else {
		fputc('{', f);
		err = put_label(f, "function", r->name);
		fputc(',', f);
		if (!err)
			err = put_label(f, "module", r->module);
		fputc(',', f);
		if (!err)
			err = put_label(f, "runtime",
					r->runtime ? r->runtime : "");
	}
	return err;
}

/* A family of metrics. put() writes the samples of one row. */
struct family {
	enum gn_by by;
	const char *name, *unit, *help;
	void (*put)(FILE *f, const struct gn_row *r, const char *labels,
		    const char *name);
};

static void put_calls(FILE *f, const struct gn_row *r, const char *labels,
		      const char *name)
{
	fprintf(f, "gnomon_%s%s} %" PRIu64 "\n", name, labels, r->v->calls);
}

static void put_incomplete(FILE *f, const struct gn_row *r, const char *labels,
			   const char *name)
{
	fprintf(f, "gnomon_%s%s} %d\n", name, labels,
		r->v->gap || gn_calls_missing(r->v));
}

static void put_times(FILE *f, const struct gn_row *r, const char *labels,
		      const char *name)
{
	const struct {
		const char *word;
		uint64_t ns;
	} times[] = {
		{"elapsed_inclusive", r->v->elapsed_incl},
		{"elapsed_exclusive", r->v->elapsed_excl},
		{"application_inclusive", r->v->app_incl},
		{"application_exclusive", r->v->app_excl},
	};

	for (size_t i = 0; i < 4; i++) {
		fprintf(f, "gnomon_%s%s,time=\"%s\"}", name, labels,
			times[i].word);
		put_seconds(f, times[i].ns);
	}
}

static void put_classes(FILE *f, const struct gn_row *r, const char *labels,
			const char *name)
{
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		fprintf(f, "gnomon_%s%s,class=\"%s\"}", name, labels,
			gn_class_text(i));
		put_seconds(f, r->classes[i]);
	}
}

static const struct family families[] = {
	{GN_BY_FUNCTION, "function_calls", "", "Calls of the function.",
	 put_calls},
	{GN_BY_FUNCTION, "function_incomplete", "",
	 "1: calls of the function are missing, or may be.", put_incomplete},
	{GN_BY_FUNCTION, "function_seconds", "seconds", "The function's times.",
	 put_times},
	{GN_BY_FUNCTION, "function_class_seconds", "seconds",
	 "The function's Elapsed Exclusive Time by class.", put_classes},
	{GN_BY_THREAD, "thread_class_seconds", "seconds",
	 "The thread's elapsed time by class.", put_classes},
};

struct labels {
	char *text; /* without the closing brace */
	size_t row;
};

static int make_labels(struct labels *l, const struct gn_row *r, enum gn_by by)
{
	struct gn_text_stream stream;
	FILE *text = gn_text_stream_open(&stream);
	int err;

	if (!text)
		return -ENOMEM;
	err = put_labels(text, r, by);
	l->text = gn_text_stream_close(&stream);
	return err || l->text ? err : -ENOMEM;
}

static int by_text(const void *a, const void *b)
{
	const struct labels *x = a, *y = b;
	int cmp = strcmp(x->text, y->text);

	return cmp ? cmp : x->row < y->row ? -1 : x->row > y->row;
}

static int by_row(const void *a, const void *b)
{
	const struct labels *x = a, *y = b;

	return x->row < y->row ? -1 : x->row > y->row;
}

/* Numbers rows with equal labels: readers reject a file that has a sample
 * twice. Functions without a name have the same id in several processes, and
 * different names can look alike when escaped. */
static int number_alike(struct labels *l, size_t n)
{
	size_t first = 0;

	qsort(l, n, sizeof(*l), by_text);
	for (size_t i = 1; i < n; i++) {
		char *text = NULL;

		if (strcmp(l[i].text, l[first].text) != 0) {
			first = i;
			continue;
		}
		if (asprintf(&text, "%s,number=\"%zu\"", l[i].text,
			     i - first + 1) < 0)
			return -ENOMEM;
		free(l[i].text);
		l[i].text = text;
	}
	qsort(l, n, sizeof(*l), by_row);
	return 0;
}

static int put_samples(const struct gn_rows *rows, const struct family *family,
		       struct labels *l, FILE *f)
{
	int err = 0;

	for (size_t i = 0; i < rows->n && !err; i++) {
		l[i].row = i;
		err = make_labels(&l[i], &rows->row[i], family->by);
	}
	if (!err)
		err = number_alike(l, rows->n);
	for (size_t i = 0; i < rows->n && !err; i++) {
		family->put(f, &rows->row[i], l[i].text, family->name);
		err = gn_stream_status(f);
	}
	return err;
}

static int put_rows(const struct gn_model *m, const struct gn_output_opts *o,
		    const struct family *family, FILE *f)
{
	struct gn_output_opts all = *o;
	struct labels *l = NULL;
	struct gn_rows rows;
	int err;

	all.by = family->by;
	err = gn_rows_make(m, &all, &rows);
	if (!err) {
		put_family(f, family->name, family->unit, family->help);
		l = calloc(rows.n + 1, sizeof(*l));
		err = l ? put_samples(&rows, family, l, f) : -ENOMEM;
	}
	for (size_t i = 0; l && i < rows.n; i++)
		free(l[i].text);
	free(l);
	gn_rows_clear(&rows);
	return err;
}

static void put_session(const struct gn_model *m, FILE *f)
{
	uint64_t lost = gn_model_losses(m);

	put_family(f, "session_seconds", "seconds", "Times of all threads.");
	fputs("gnomon_session_seconds{time=\"elapsed\"}", f);
	put_seconds(f, m->session.elapsed_incl);
	fputs("gnomon_session_seconds{time=\"application\"}", f);
	put_seconds(f, m->session.app_incl);
	fputs("gnomon_session_seconds{time=\"wall\"}", f);
	put_seconds(f, m->end - m->start);
	put_family(f, "session_class_seconds", "seconds",
		   "Elapsed time of all threads by class.");
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		fprintf(f, "gnomon_session_class_seconds{class=\"%s\"}",
			gn_class_text(i));
		put_seconds(f, m->session.class_incl[i]);
	}
	put_family(f, "lost_records", "",
		   "Lost records: above 0, the rest is incomplete.");
	/* a trace without an end lost an unknown number */
	fprintf(f, "gnomon_lost_records %" PRIu64 "\n",
		lost || !gn_model_lossy(m) ? lost : 1);
	put_family(f, "broken", "",
		   "1: a self-check failed, nothing can be trusted.");
	fprintf(f, "gnomon_broken %d\n", gn_model_broken(m));
}

int gn_openmetrics_write(const struct gn_model *m,
			 const struct gn_output_opts *o, FILE *f)
{
	int err = 0;

	put_session(m, f);
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]) && !err;
	     i++)
		err = put_rows(m, o, &families[i], f);
	fputs("# EOF\n", f);
	return err ? err : gn_stream_status(f);
}
