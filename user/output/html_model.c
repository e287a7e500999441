/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A model's sums for the page: one array per column, which browsers parse fast.
 * The head is the same as in the JSON report.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/table.h"
#include "output/columns.h"
#include "output/formats.h"
#include "output/html.h"
#include "output/json.h"
#include "output/now.h"
#include "output/rows.h"
#include "output/syscalls.h"

static void put_names(struct gn_emit *e, const struct gn_model *m)
{
	gn_emit_line(e);
	gn_emit_open(e, "name", '[');
	for (size_t i = 0; i < m->nfunctions; i++)
		gn_emit_text(e, NULL, gn_function_shown(&m->functions[i]));
	gn_emit_close(e, ']');
}

static const char *module_of(const struct gn_model_function *f)
{
	return f->module;
}

static const char *file_of(const struct gn_model_function *f)
{
	return f->file ? f->file : "";
}

/* Many functions share a path: `all` lists each path once, `each` has the index
 * in it for each function. In the model, equal paths are the same pointer. */
static int put_paths(struct gn_emit *e, const struct gn_model *m,
		     const char *each, const char *all,
		     const char *(*path_of)(const struct gn_model_function *f))
{
	struct gn_table seen = {0};
	const char **list = calloc(m->nfunctions + 1, sizeof(*list));
	int err = list ? 0 : -ENOMEM;
	uint32_t n = 0;

	gn_emit_line(e);
	gn_emit_open(e, each, '[');
	for (size_t i = 0; i < m->nfunctions && !err; i++) {
		const char *path = path_of(&m->functions[i]);
		uint32_t at = gn_table_get(&seen, (uintptr_t)path);

		if (at == GN_NONE) {
			at = n;
			list[n++] = path;
			err = gn_table_put(&seen, (uintptr_t)path, at);
		}
		gn_emit_u64(e, NULL, at);
	}
	gn_emit_close(e, ']');
	gn_emit_open(e, all, '[');
	for (uint32_t i = 0; i < n && !err; i++)
		gn_emit_text(e, NULL, list[i]);
	gn_emit_close(e, ']');
	gn_table_free(&seen);
	free(list);
	return err;
}

/* The bits of MARKS and NONE_ENDED in functions.js, and a bit for each of the
 * four times. */
static uint64_t marks(const struct gn_model_function *f)
{
	static const int times[] = {GN_COLUMN_EI, GN_COLUMN_EE, GN_COLUMN_AI,
				    GN_COLUMN_AE};
	const struct gn_row r = {.v = &f->v, .module = f->module};
	uint64_t marks = (f->muted ? 1u : 0) | (f->v.unprobed ? 2u : 0) |
			 (f->v.gap ? 4u : 0) | (f->v.finished ? 0 : 128u) |
			 (f->v.inlined ? 256u : 0);

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (gn_column_uncertain(&r, times[i]))
			marks |= 8u << i;
	return marks;
}

static int put_functions(struct gn_emit *e, const struct gn_model *m)
{
	int err;

#define COLUMN(key, value)                                                    \
	do {                                                                  \
		gn_emit_line(e);                                              \
		gn_emit_open(e, key, '[');                                    \
		for (size_t i = 0; i < m->nfunctions; i++) {                  \
			const struct gn_model_function *f = &m->functions[i]; \
			gn_emit_u64(e, NULL, value);                          \
		}                                                             \
		gn_emit_close(e, ']');                                        \
	} while (0)
	gn_emit_open(e, "functions", '{');
	put_names(e, m);
	err = put_paths(e, m, "module", "modules", module_of);
	if (!err)
		err = put_paths(e, m, "file", "files", file_of);
	COLUMN("line", f->line);
	COLUMN("runtime", (uint64_t)f->runtime);
	COLUMN("calls", f->v.calls);
	COLUMN("ei", f->v.elapsed_incl);
	COLUMN("ee", f->v.elapsed_excl);
	COLUMN("ai", f->v.app_incl);
	COLUMN("ae", f->v.app_excl);
	COLUMN("min", f->v.min);
	COLUMN("max", f->v.max);
	COLUMN("marks", marks(f));
#undef COLUMN
	gn_emit_line(e);
	gn_emit_open(e, "classes", '[');
	for (size_t i = 0; i < m->nfunctions; i++)
		gn_html_times(e, NULL, m->functions[i].v.class_excl);
	gn_emit_close(e, ']');
	gn_emit_close(e, '}');
	gn_emit_open(e, "runtimes", '[');
	for (int i = 0; i < GN_RUNTIME_COUNT; i++)
		gn_emit_text(e, NULL, gn_runtime_text((enum gn_runtime_id)i));
	gn_emit_close(e, ']');
	return err ? err : gn_stream_status(e->f);
}

static void put_threads(struct gn_emit *e, const struct gn_model *m)
{
	gn_emit_line(e);
	gn_emit_open(e, "threads", '[');
	for (size_t i = 0; i < m->nthreads; i++) {
		const struct gn_model_thread *t = &m->threads[i];

		gn_emit_line(e);
		gn_emit_open(e, NULL, '{');
		gn_emit_u64(e, "pid", t->pid);
		gn_emit_u64(e, "tid", t->tid);
		gn_emit_text(e, "name", t->name);
		gn_emit_u64(e, "elapsed_ns", t->elapsed);
		gn_emit_u64(e, "application_ns", t->v.app_incl);
		gn_emit_u64(e, "calls", t->v.calls);
		gn_html_times(e, "classes", t->classes);
		gn_emit_close(e, '}');
	}
	gn_emit_close(e, ']');
}

static int by_time(const void *left, const void *right)
{
	const struct gn_model_wait *a =
		*(const struct gn_model_wait *const *)left;
	const struct gn_model_wait *b =
		*(const struct gn_model_wait *const *)right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* Writes a wait as a row: function, class, ns, count, longest, system call,
 * waker's tid, name and function, and whether it is an idle worker's. */
static void put_wait(struct gn_emit *e, const struct gn_model_wait *w)
{
	const char *syscall = gn_syscall_text(w->reason);

	gn_emit_line(e);
	gn_emit_open(e, NULL, '[');
	gn_emit_i64(e, NULL, w->function);
	gn_emit_u64(e, NULL, (uint64_t)w->class);
	gn_emit_u64(e, NULL, w->ns);
	gn_emit_u64(e, NULL, w->count);
	gn_emit_u64(e, NULL, w->longest);
	if (w->reason != GN_NO_SYSCALL && !syscall)
		gn_emit_u64(e, NULL, w->reason);
	else
		gn_emit_text(e, NULL, syscall ? syscall : "");
	gn_emit_u64(e, NULL, w->waker);
	gn_emit_text(e, NULL, w->waker_name);
	gn_emit_i64(e, NULL, w->waker_function);
	gn_emit_bool(e, NULL, w->idle);
	gn_emit_close(e, ']');
}

static int put_waits(struct gn_emit *e, const struct gn_model *m)
{
	const struct gn_model_wait **list =
		calloc(m->nwaits + 1, sizeof(*list));
	size_t n = m->nwaits < GN_HTML_WAITS ? m->nwaits : GN_HTML_WAITS;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < m->nwaits; i++)
		list[i] = &m->waits[i];
	qsort(list, m->nwaits, sizeof(*list), by_time);
	gn_emit_line(e);
	gn_emit_open(e, "waits", '[');
	for (size_t i = 0; i < n; i++)
		put_wait(e, list[i]);
	gn_emit_close(e, ']');
	gn_emit_u64(e, "waits_left_out", m->nwaits - n);
	free(list);
	return gn_stream_status(e->f);
}

int gn_html_model(const struct gn_model *m, const char *findings, FILE *f)
{
	struct gn_output_opts opts = {.utf8 = true};
	struct gn_json w;
	int err = gn_json_begin(&w, f, m, &opts);

	if (!err) {
		gn_html_begin_data(&w.e, f, "model");
		gn_emit_text(&w.e, "kind", "report");
		gn_emit_bool(&w.e, "broken", gn_model_broken(m));
		gn_emit_bool(&w.e, "lossy", gn_model_lossy(m));
		err = gn_json_head(&w);
	}
	if (!err) {
		gn_json_counts(&w, gn_model_losses(m));
		gn_html_classes(&w.e);
		if (findings)
			gn_html_json(&w.e, "findings", findings);
		put_threads(&w.e, m);
		err = put_functions(&w.e, m);
	}
	if (!err)
		err = put_waits(&w.e, m);
	gn_json_end(&w);
	return err ? err : gn_html_end_data(&w.e);
}
