/* SPDX-License-Identifier: BSD-2-Clause */
/* One row, and lists of rows. */
#include "output/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/now.h"

struct gn_row *gn_rows_add(struct gn_rows *rows, size_t *room)
{
	struct gn_row *row;

	if (rows->n == *room) {
		size_t wanted = *room ? *room * 2 : 64;

		row = reallocarray(rows->row, wanted, sizeof(*row));
		if (!row)
			return NULL;
		rows->row = row;
		*room = wanted;
	}
	row = &rows->row[rows->n++];
	memset(row, 0, sizeof(*row));
	return row;
}

/* Fills a row of `function` (-1: the root of a thread) with the values `v`. */
void gn_row_function(struct gn_row *row, const struct gn_model *m,
		     int32_t function, const struct gn_values *v)
{
	*row = (struct gn_row){
		.v = v,
		.classes = v->class_excl,
		.name = "(root)",
		.module = "",
		.parent = -1,
	};
	if (function >= 0 && (size_t)function < m->nfunctions) {
		const struct gn_model_function *f = &m->functions[function];

		row->name = f->name;
		row->shown = f->short_name;
		row->module = f->module;
		row->runtime = gn_runtime_text(f->runtime);
		row->id = (uint32_t)function;
	}
}

static void module_row(struct gn_row *row, const struct gn_model_module *mod)
{
	row->v = &mod->v;
	row->classes = mod->v.class_excl;
	row->name = mod->name[0] ? mod->name : "(unknown)";
}

static void thread_row(struct gn_row *row, const struct gn_model *m,
		       const struct gn_model_thread *t)
{
	row->v = &t->v;
	row->classes = t->classes;
	row->name = t->name;
	row->runtime = gn_now_runtime(m, t);
	row->pid = t->pid;
	row->tid = t->tid;
	row->gaps = t->gaps;
	row->thread = t;
}

static void process_row(struct gn_row *row, const struct gn_model_process *p)
{
	row->v = &p->v;
	row->classes = p->v.class_incl;
	row->name = p->name;
	row->pid = p->pid;
	row->threads = p->threads;
	row->process = p;
}

void gn_row_make(struct gn_row *row, const struct gn_model *m, enum gn_by by,
		 uint32_t i)
{
	*row = (struct gn_row){.module = ""};
	if (by == GN_BY_MODULE)
		module_row(row, &m->modules[i]);
	else if (by == GN_BY_THREAD)
		thread_row(row, m, &m->threads[i]);
	else if (by == GN_BY_PROCESS)
		process_row(row, &m->processes[i]);
	else
		gn_row_function(row, m, (int32_t)i, &m->functions[i].v);
	row->id = i;
}

int gn_rows_order(struct gn_rows *rows, const struct gn_output_opts *o)
{
	int err = gn_rows_sort(rows->row, rows->n, o->sort, o->by);

	if (!err && o->limit && rows->n > o->limit) {
		rows->limited = rows->n - o->limit;
		rows->n = o->limit;
	}
	return err;
}

void gn_rows_clear(struct gn_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->row[i].own);
	free(rows->row);
	memset(rows, 0, sizeof(*rows));
}

static size_t flat_count(const struct gn_model *m, enum gn_by by)
{
	switch (by) {
	case GN_BY_MODULE:
		return m->nmodules;
	case GN_BY_THREAD:
		return m->nthreads;
	case GN_BY_PROCESS:
		return m->nprocesses;
	default:
		return m->nfunctions;
	}
}

int gn_rows_flat(const struct gn_model *m, const struct gn_output_opts *o,
		 struct gn_rows *out)
{
	size_t n = flat_count(m, o->by);

	memset(out, 0, sizeof(*out));
	if (n) {
		out->row = calloc(n, sizeof(*out->row));
		if (!out->row)
			return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		gn_row_make(&out->row[i], m, o->by, (uint32_t)i);
	out->n = n;
	return gn_rows_order(out, o);
}
