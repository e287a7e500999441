/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows for a database, one object per line; docs/ci.md describes the columns.
 * Each row has the labels, so that captures of many hosts and builds can share
 * a table.
 */
#include <errno.h>
#include <string.h>

#include "output/emit.h"
#include "output/formats.h"
#include "output/json.h"
#include "output/ndjson.h"
#include "output/rows.h"
#include "output/classes.h"
#include "output/text.h"

struct writer {
	struct gn_emit e;
	const struct gn_model *m;
	const struct gn_output_opts *o;
};

void gn_ndjson_labels(struct gn_emit *e, const char *const *labels, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char key[GN_LABEL_KEY + 1];

		snprintf(key, sizeof(key), "%.*s", (int)strcspn(labels[i], "="),
			 labels[i]);
		gn_emit_text(e, key, strchr(labels[i], '=') + 1);
	}
}

static void put_labels(struct writer *w)
{
	const char *host = gn_model_info(w->m, "machine");

	gn_emit_open(&w->e, "labels", '{');
	if (host) {
		/* "host, x86_64, 2 CPUs" */
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(host, ","),
			 host);
		gn_emit_text(&w->e, "host", name);
	}
	gn_ndjson_labels(&w->e, w->o->labels, w->o->nlabels);
	gn_emit_close(&w->e, '}');
}

static void begin(struct writer *w, const char *row)
{
	w->e.comma = false;
	gn_emit_open(&w->e, NULL, '{');
	gn_emit_text(&w->e, "row", row);
	/* the start of the capture distinguishes captures of one boot */
	gn_emit_u64(&w->e, "capture", w->m->start);
}

static int end(struct writer *w)
{
	put_labels(w);
	gn_emit_close(&w->e, '}');
	fputc_unlocked('\n', w->e.f);
	return gn_stream_status(w->e.f);
}

static void put_values(struct gn_emit *e, const struct gn_values *v)
{
	gn_emit_u64(e, "calls", v->calls);
	gn_emit_u64(e, "elapsed_inclusive_ns", v->elapsed_incl);
	gn_emit_u64(e, "elapsed_exclusive_ns", v->elapsed_excl);
	gn_emit_u64(e, "application_inclusive_ns", v->app_incl);
	gn_emit_u64(e, "application_exclusive_ns", v->app_excl);
}

static void put_classes(struct gn_emit *e, const uint64_t *classes)
{
	char key[GN_CELL];

	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		snprintf(key, sizeof(key), "%s_ns", gn_class_text(i));
		gn_emit_u64(e, key, classes[i]);
	}
}

static int put_session(struct writer *w)
{
	const struct gn_model *m = w->m;

	begin(w, "session");
	put_values(&w->e, &m->session);
	put_classes(&w->e, m->session.class_incl);
	gn_emit_u64(&w->e, "wall_ns", m->end - m->start);
	gn_emit_u64(&w->e, "lost_records", gn_model_losses(m));
	gn_emit_bool(&w->e, "lossy", gn_model_lossy(m));
	gn_emit_bool(&w->e, "broken", gn_model_broken(m));
	return end(w);
}

static int put_row(struct writer *w, enum gn_by by, const struct gn_row *r)
{
	static const char *const words[GN_BY_COUNT] = {
		[GN_BY_FUNCTION] = "function",
		[GN_BY_MODULE] = "module",
		[GN_BY_THREAD] = "thread",
		[GN_BY_PROCESS] = "process",
	};

	begin(w, words[by]);
	gn_emit_text(&w->e, "name", r->name);
	if (by == GN_BY_FUNCTION) {
		gn_emit_text(&w->e, "module", r->module);
		if (r->runtime)
			gn_emit_text(&w->e, "runtime", r->runtime);
		gn_emit_u64(&w->e, "min_ns", r->v->min);
		gn_emit_u64(&w->e, "max_ns", r->v->max);
	}
	if (by == GN_BY_THREAD || by == GN_BY_PROCESS)
		gn_emit_u64(&w->e, "pid", r->pid);
	if (by == GN_BY_THREAD)
		gn_emit_u64(&w->e, "tid", r->tid);
	put_values(&w->e, r->v);
	put_classes(&w->e, r->classes);
	gn_emit_bool(&w->e, "incomplete",
		     r->v->gap || gn_calls_missing(r->v) || r->gaps);
	return end(w);
}

static int put_rows(struct writer *w, enum gn_by by)
{
	struct gn_output_opts all = *w->o;
	struct gn_rows rows;
	int err;

	all.by = by;
	err = gn_rows_make(w->m, &all, &rows);
	for (size_t i = 0; i < rows.n && !err; i++)
		err = put_row(w, by, &rows.row[i]);
	gn_rows_clear(&rows);
	return err;
}

static int put_wait(struct writer *w, const struct gn_model_wait *wait)
{
	begin(w, "wait");
	if (wait->function >= 0) {
		const struct gn_model_function *f =
			&w->m->functions[wait->function];

		gn_emit_text(&w->e, "name", f->name);
		gn_emit_text(&w->e, "module", f->module);
	}
	gn_emit_text(&w->e, "class", gn_class_text((int)wait->class));
	gn_json_syscall(&w->e, wait->reason);
	gn_emit_u64(&w->e, "time_ns", wait->ns);
	gn_emit_u64(&w->e, "count", wait->count);
	gn_emit_u64(&w->e, "longest_ns", wait->longest);
	if (wait->waker) {
		gn_emit_u64(&w->e, "waker_tid", wait->waker);
		gn_emit_text(&w->e, "waker_name", wait->waker_name);
	}
	return end(w);
}

static int put_syscall(struct writer *w, const struct gn_model_syscall *call)
{
	begin(w, "syscall");
	gn_json_syscall(&w->e, call->nr);
	gn_emit_u64(&w->e, "calls", call->calls);
	gn_emit_u64(&w->e, "errors", call->failed);
	gn_emit_u64(&w->e, "open", call->begun - call->calls);
	gn_emit_u64(&w->e, "elapsed_ns", call->cpu + call->off);
	gn_emit_u64(&w->e, "cpu_ns", call->cpu);
	gn_emit_u64(&w->e, "off_cpu_ns", call->off);
	if (call->calls) {
		gn_emit_u64(&w->e, "shortest_ns", call->shortest);
		gn_emit_u64(&w->e, "longest_ns", call->longest);
	}
	return end(w);
}

int gn_ndjson_write(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f)
{
	static const enum gn_by by[] = {GN_BY_FUNCTION, GN_BY_MODULE,
					GN_BY_THREAD, GN_BY_PROCESS};
	struct writer w = {.e = {.f = f, .flat = true}, .m = m, .o = o};
	int err = put_session(&w);

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]) && !err; i++)
		err = put_rows(&w, by[i]);
	for (size_t i = 0; i < m->nwaits && !err; i++)
		err = put_wait(&w, &m->waits[i]);
	for (size_t i = 0; i < m->nsyscalls && !err; i++)
		err = put_syscall(&w, &m->syscalls[i]);
	return err;
}
