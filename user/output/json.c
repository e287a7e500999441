/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole model as JSON, for every --by (callers adds the edges, tree the
 * call tree, a sheet its rows). The fields are a contract: only add to them. A
 * limit applies to the arrays, and "hidden" counts what it left out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "output/async.h"
#include "output/columns.h"
#include "output/formats.h"
#include "output/header.h"
#include "output/json.h"
#include "output/sheet.h"
#include "output/syscalls.h"
#include "output/text.h"

/* Writes columns of a row, with the keys of columns.h. */
static void put_columns(struct gn_json *w, const struct gn_row *r,
			const int *column, size_t n)
{
	char key[GN_CELL];

	for (size_t i = 0; i < n; i++) {
		uint64_t value = gn_column_value(r, column[i]);

		gn_column_key(key, column[i], GN_BY_FUNCTION);
		if (gn_column_show(column[i]) == GN_SHOW_PCT)
			gn_emit_pct(
				&w->e, key,
				gn_pct(value, gn_column_whole(&w->m->session,
							      column[i])));
		else
			gn_emit_u64(&w->e, key, value);
	}
}

#define PUT_COLUMNS(w, r, list) \
	put_columns(w, r, list, sizeof(list) / sizeof((list)[0]))

static const int calls_and_times[] = {
	GN_COLUMN_CALLS, GN_COLUMN_EI, GN_COLUMN_EE, GN_COLUMN_AI, GN_COLUMN_AE,
};

static void put_values(struct gn_json *w, const struct gn_row *r)
{
	static const int columns[] = {
		GN_COLUMN_CALLS,      GN_COLUMN_UNWOUND, GN_COLUMN_EI,
		GN_COLUMN_EE,	      GN_COLUMN_AI,	 GN_COLUMN_AE,
		GN_COLUMN_ERROR_INCL, GN_COLUMN_ERROR,	 GN_COLUMN_EI_PCT,
		GN_COLUMN_EE_PCT,     GN_COLUMN_AI_PCT,	 GN_COLUMN_AE_PCT,
		GN_COLUMN_MIN,	      GN_COLUMN_MAX,	 GN_COLUMN_FINISHED,
	};
	struct gn_emit *e = &w->e;

	PUT_COLUMNS(w, r, columns);
	gn_emit_bool(e, "gap", r->v->gap);
	if (r->v->unprobed)
		gn_emit_bool(e, "unprobed", true);
	if (r->v->inlined)
		gn_emit_bool(e, "inlined", true);
	if (r->v->moved)
		gn_emit_bool(e, "moved", true);
	gn_json_classes(e, "classes_exclusive", r->v->class_excl);
	gn_json_classes(e, "classes_inclusive", r->v->class_incl);
}

static void put_function(struct gn_emit *e, const struct gn_row *r)
{
	gn_emit_text(e, "name", r->name);
	gn_emit_text(e, "module", r->module);
	if (r->runtime)
		gn_emit_text(e, "runtime", r->runtime);
}

static void put_short(struct gn_emit *e, const struct gn_row *r)
{
	if (r->shown)
		gn_emit_text(e, "short", r->shown);
}

static void put_source(struct gn_emit *e, const struct gn_model_function *f)
{
	if (!f->file)
		return;
	gn_emit_text(e, "file", f->file);
	gn_emit_u64(e, "line", f->line);
}

void gn_json_function(struct gn_emit *e, const struct gn_model *m,
		      int32_t function)
{
	struct gn_values none = {0};
	struct gn_row r;

	gn_row_function(&r, m, function, &none);
	put_function(e, &r);
}

void gn_json_syscall(struct gn_emit *e, uint16_t reason)
{
	const char *name = gn_syscall_text(reason);

	if (reason != GN_NO_SYSCALL)
		gn_emit_u64(e, "syscall", reason);
	if (name)
		gn_emit_text(e, "syscall_name", name);
}

static void put_kernel(struct gn_emit *e, const struct gn_kernel_account *k)
{
	gn_emit_open(e, "kernel", '{');
	gn_emit_u64(e, "cpu_ns", k->cpu);
	gn_emit_u64(e, "our_cpu_ns", k->our_cpu);
	gn_emit_u64(e, "switches", k->switches);
	gn_emit_i64(e, "switching_ns", k->cpu_switch);
	gn_emit_u64(e, "irq_ns", k->irq);
	gn_emit_u64(e, "stolen_ns", k->stolen);
	gn_emit_i64(e, "rest_ns", k->cpu_rest);
	gn_emit_u64(e, "our_runqueue_ns", k->our_delay);
	if (k->delay != UINT64_MAX) {
		gn_emit_u64(e, "runqueue_ns", k->delay);
		gn_emit_i64(e, "runqueue_switching_ns", k->delay_switch);
		gn_emit_i64(e, "runqueue_rest_ns", k->delay_rest);
	}
	gn_emit_close(e, '}');
}

static void put_thread(struct gn_json *w, const struct gn_row *r)
{
	const struct gn_model_thread *t = r->thread;

	gn_emit_u64(&w->e, "pid", t->pid);
	gn_emit_u64(&w->e, "tid", t->tid);
	gn_emit_text(&w->e, "name", t->name);
	gn_emit_u64(&w->e, "elapsed_ns", t->elapsed);
	gn_emit_u64(&w->e, "application_ns", t->v.app_incl);
	gn_emit_u64(&w->e, "calls", t->v.calls);
	gn_json_classes(&w->e, "classes", t->classes);
	gn_emit_u64(&w->e, "gaps", t->gaps);
	gn_emit_u64(&w->e, "in_doubt", t->in_doubt);
	gn_emit_u64(&w->e, "probe_cost_ns", t->probe_cost);
	if (t->merged)
		gn_emit_u64(&w->e, "merged", t->merged);
	if (t->kernel.known)
		put_kernel(&w->e, &t->kernel);
}

static void put_waker(struct gn_json *w, const struct gn_model_wait *wait)
{
	struct gn_values none = {0};
	struct gn_row r;

	gn_emit_open(&w->e, "waker", '{');
	gn_emit_u64(&w->e, "tid", wait->waker);
	if (wait->waker_name[0])
		gn_emit_text(&w->e, "name", wait->waker_name);
	if (wait->waker_function >= 0) {
		gn_row_function(&r, w->m, wait->waker_function, &none);
		gn_emit_text(&w->e, "function", r.name);
		gn_emit_text(&w->e, "module", r.module);
	}
	gn_emit_close(&w->e, '}');
}

static void put_detail(struct gn_json *w, const struct gn_model_wait *wait)
{
	if (wait->class == GN_CLASS_POLL) {
		gn_emit_text(&w->e, "polled",
			     gn_polled_text((int)wait->polled));
		gn_emit_text(&w->e, "ended_by",
			     gn_wait_end_text((int)wait->end));
	}
	if (*gn_halt_text((int)wait->halt))
		gn_emit_text(&w->e, "stopped_by",
			     gn_halt_text((int)wait->halt));
	if (wait->idle)
		gn_emit_bool(&w->e, "idle_worker", true);
	if (wait->interpreter)
		gn_emit_bool(&w->e, "interpreter_lock", true);
}

/* Writes what a function waited for; -1: outside of any function. */
static void put_waits(struct gn_json *w, int32_t function)
{
	size_t n;
	const struct gn_model_wait *const *wait =
		gn_waits_of(&w->waits, function, &n);

	gn_emit_open(&w->e, "waits", '[');
	for (size_t i = 0; i < n; i++) {
		gn_emit_open(&w->e, NULL, '{');
		gn_emit_text(&w->e, "class",
			     gn_class_text((int)wait[i]->class));
		gn_json_syscall(&w->e, wait[i]->reason);
		put_detail(w, wait[i]);
		gn_emit_u64(&w->e, "time_ns", wait[i]->ns);
		gn_emit_u64(&w->e, "count", wait[i]->count);
		gn_emit_u64(&w->e, "longest_ns", wait[i]->longest);
		if (wait[i]->waker)
			put_waker(w, wait[i]);
		gn_emit_close(&w->e, '}');
	}
	gn_emit_close(&w->e, ']');
}

static void put_ended(struct gn_json *w, const struct gn_model_process *p)
{
	if (!p->ended)
		return;
	if (p->starved)
		gn_emit_bool(&w->e, "out_of_memory", true);
	if (WIFSIGNALED(p->exit))
		gn_emit_u64(&w->e, "exit_signal", (uint64_t)WTERMSIG(p->exit));
	else
		gn_emit_u64(&w->e, "exit_status",
			    (uint64_t)WEXITSTATUS(p->exit));
}

static void put_row(struct gn_json *w, const struct gn_row *r, enum gn_by by)
{
	gn_emit_line(&w->e);
	gn_emit_open(&w->e, NULL, '{');
	switch (by) {
	case GN_BY_THREAD:
		put_thread(w, r);
		break;
	case GN_BY_PROCESS:
		gn_emit_u64(&w->e, "pid", r->pid);
		gn_emit_text(&w->e, "name", r->name);
		gn_emit_u64(&w->e, "threads", r->threads);
		put_ended(w, r->process);
		put_values(w, r);
		break;
	case GN_BY_MODULE:
		gn_emit_text(&w->e, "name", r->name);
		put_values(w, r);
		break;
	default:
		put_function(&w->e, r);
		put_short(&w->e, r);
		put_source(&w->e, &w->m->functions[r->id]);
		put_values(w, r);
		if (w->m->functions[r->id].muted)
			gn_emit_bool(&w->e, "muted", true);
		put_waits(w, (int32_t)r->id);
		break;
	}
	if (w->hooks && w->hooks->more)
		w->hooks->more(w, by, r);
	gn_emit_close(&w->e, '}');
}

static bool wanted(const struct gn_json *w, enum gn_by by,
		   const struct gn_row *r)
{
	return !w->hooks || !w->hooks->wanted || w->hooks->wanted(w, by, r);
}

/* Writes an array with the rows of a table by `by`. */
static int put_array(struct gn_json *w, const char *key, enum gn_by by)
{
	struct gn_output_opts o = *w->o;
	struct gn_rows rows;
	int err;

	if (gn_by_is_sheet(o.by)) /* the column is one of the sheet's */
		o.sort = NULL;
	o.by = by;
	err = gn_rows_make(w->m, &o, &rows);
	if (!err) {
		gn_emit_open(&w->e, key, '[');
		for (size_t i = 0; i < rows.n && !err; i++) {
			if (!wanted(w, by, &rows.row[i]))
				continue;
			put_row(w, &rows.row[i], by);
			err = gn_stream_status(w->e.f);
		}
		gn_emit_close(&w->e, ']');
		w->hidden[by] = rows.limited;
	}
	gn_rows_clear(&rows);
	return err;
}

static void put_node(struct gn_json *w, const struct gn_row *r, size_t id,
		     const size_t *path)
{
	gn_emit_line(&w->e);
	gn_emit_open(&w->e, NULL, '{');
	gn_emit_u64(&w->e, "id", id);
	if (r->depth)
		gn_emit_u64(&w->e, "parent", path[r->depth - 1]);
	if (r->runtime)
		put_function(&w->e, r);
	else
		gn_emit_text(&w->e, "name", r->name);
	put_short(&w->e, r);
	PUT_COLUMNS(w, r, calls_and_times);
	if (r->v->unprobed)
		gn_emit_bool(&w->e, "unprobed", true);
	if (r->v->inlined)
		gn_emit_bool(&w->e, "inlined", true);
	if (r->v->moved)
		gn_emit_bool(&w->e, "moved", true);
	gn_emit_close(&w->e, '}');
}

/* Writes the tree as a flat list, because many readers limit the depth of
 * objects. Parents come before children, so the path to a row is the last row
 * of each level above. */
static int put_tree(struct gn_json *w)
{
	struct gn_output_opts o = *w->o;
	struct gn_rows rows;
	size_t *path = NULL;
	int err;

	o.by = GN_BY_TREE;
	o.limit = 0;
	err = gn_rows_make(w->m, &o, &rows);
	if (!err) {
		path = calloc(rows.n + 1, sizeof(*path));
		err = path ? 0 : -ENOMEM;
		gn_steps_more(o.steps, rows.n);
	}
	gn_emit_line(&w->e);
	gn_emit_open(&w->e, "nodes", '[');
	for (size_t i = 0; i < rows.n && !err; i++) {
		path[rows.row[i].depth] = i;
		put_node(w, &rows.row[i], i, path);
		gn_steps_done(o.steps, 1);
		err = gn_stream_status(w->e.f);
	}
	gn_emit_close(&w->e, ']');
	w->hidden[GN_BY_TREE] = rows.below;
	free(path);
	gn_rows_clear(&rows);
	return err;
}

static void put_end(struct gn_emit *e, const char *key,
		    const struct gn_model *m, int32_t function)
{
	gn_emit_open(e, key, '{');
	gn_json_function(e, m, function);
	gn_emit_close(e, '}');
}

/* Writes who calls whom; only with --by callers. */
static void put_edges(struct gn_json *w)
{
	gn_emit_open(&w->e, "edges", '[');
	for (size_t i = 0; i < w->m->nedges; i++) {
		const struct gn_model_edge *edge = &w->m->edges[i];
		struct gn_row r = {.v = &edge->v};

		gn_emit_line(&w->e);
		gn_emit_open(&w->e, NULL, '{');
		put_end(&w->e, "caller", w->m, edge->caller);
		put_end(&w->e, "callee", w->m, edge->callee);
		put_values(w, &r);
		gn_emit_close(&w->e, '}');
	}
	gn_emit_close(&w->e, ']');
}

void gn_json_hidden(struct gn_json *w)
{
	struct gn_emit *e = &w->e;

	gn_emit_line(e);
	gn_emit_open(e, "hidden", '{');
	gn_emit_u64(e, "functions", w->hidden[GN_BY_FUNCTION]);
	gn_emit_u64(e, "modules", w->hidden[GN_BY_MODULE]);
	gn_emit_u64(e, "processes", w->hidden[GN_BY_PROCESS]);
	gn_emit_u64(e, "threads", w->hidden[GN_BY_THREAD]);
	gn_emit_u64(e, "branches", w->hidden[GN_BY_TREE]);
	if (w->o && gn_by_is_sheet(w->o->by))
		gn_emit_u64(e, "rows", w->hidden[w->o->by]);
	gn_emit_close(e, '}');
}

int gn_json_arrays(struct gn_json *w)
{
	static const struct {
		const char *key;
		enum gn_by by;
	} arrays[] = {
		{"functions", GN_BY_FUNCTION},
		{"modules", GN_BY_MODULE},
		{"processes", GN_BY_PROCESS},
		{"threads", GN_BY_THREAD},
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]) && !err;
	     i++) {
		gn_emit_line(&w->e);
		err = put_array(w, arrays[i].key, arrays[i].by);
	}
	return err;
}

void gn_json_waits(struct gn_json *w)
{
	gn_emit_line(&w->e);
	put_waits(w, -1);
}

int gn_json_begin(struct gn_json *w, FILE *f, const struct gn_model *m,
		  const struct gn_output_opts *o)
{
	int err = gn_rows_sort(NULL, 0, o->sort, o->by);

	*w = (struct gn_json){.e = {.f = f}, .m = m, .o = o};
	return err ? err : gn_waits_group(m, &w->waits);
}

void gn_json_end(struct gn_json *w)
{
	gn_waits_clear(&w->waits);
}

static int put_sheet(struct gn_json *w)
{
	struct gn_output_opts all = *w->o;
	struct gn_sheet sheet;
	int err;

	all.columns = NULL;
	err = gn_sheet_make(w->m, &all, &sheet);
	if (!err)
		err = gn_sheet_json(&sheet, &w->e);
	w->hidden[w->o->by] = sheet.limited;
	gn_sheet_clear(&sheet);
	return err;
}

static int put_all(struct gn_json *w)
{
	int err;

	gn_emit_open(&w->e, NULL, '{');
	err = gn_json_head(w);
	if (err)
		return err;
	gn_json_counts(w, gn_model_losses(w->m));
	err = gn_json_arrays(w);
	if (err)
		return err;
	gn_json_waits(w);
	gn_json_async(w);
	if (w->o->by == GN_BY_CALLERS) {
		gn_emit_line(&w->e);
		put_edges(w);
	}
	err = gn_by_is_sheet(w->o->by) ? put_sheet(w) : 0;
	if (err)
		return err;
	err = w->o->tree || w->o->by == GN_BY_TREE ? put_tree(w) : 0;
	if (err)
		return err;
	gn_json_hidden(w);
	gn_emit_close(&w->e, '}');
	fputc('\n', w->e.f);
	return gn_stream_status(w->e.f);
}

int gn_json_write(const struct gn_model *m, const struct gn_output_opts *o,
		  FILE *f)
{
	struct gn_json w;
	int err = gn_json_begin(&w, f, m, o);

	if (!err)
		err = put_all(&w);
	gn_json_end(&w);
	return err;
}
