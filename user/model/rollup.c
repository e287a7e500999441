// SPDX-License-Identifier: BSD-2-Clause
#include "model/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/async.h"
#include "model/waits.h"

void gn_values_add_own(struct gn_values *to, const struct gn_values *v)
{
	int c;

	to->calls += v->calls;
	to->unwound += v->unwound;
	to->elapsed_excl += v->elapsed_excl;
	to->app_excl += v->app_excl;
	to->error_excl += v->error_excl;
	for (c = 0; c < GN_CLASS_COUNT; c++)
		to->class_excl[c] += v->class_excl[c];
	if (v->finished) {
		if (!to->finished || v->min < to->min)
			to->min = v->min;
		if (v->max > to->max)
			to->max = v->max;
		to->finished += v->finished;
		to->spent += v->spent;
	}
	to->gap |= v->gap;
	to->unprobed |= v->unprobed;
	to->inlined |= v->inlined;
	to->moved |= v->moved;
}

void gn_values_add_incl(struct gn_values *to, const struct gn_values *v)
{
	int c;

	to->elapsed_incl += v->elapsed_incl;
	to->app_incl += v->app_incl;
	to->error_incl += v->error_incl;
	for (c = 0; c < GN_CLASS_COUNT; c++)
		to->class_incl[c] += v->class_incl[c];
}

/* State of the walk over the tree. */
struct rollup {
	struct gn_model *m;
	uint32_t *module_of; /* function -> module */
	uint32_t *edge_of;   /* node -> edge */
	/* how often each is on the path: only the outermost one counts for
	 * inclusive values */
	uint32_t *open_fn;
	uint32_t *open_module;
	uint32_t *open_edge;
	struct gn_table edges; /* (caller + 1) << 32 | callee */
	uint32_t edges_cap;
};

static void rollup_free(struct rollup *r)
{
	free(r->module_of);
	free(r->edge_of);
	free(r->open_fn);
	free(r->open_module);
	free(r->open_edge);
	gn_table_free(&r->edges);
}

/* Makes one module for each name; names are interned. */
static int make_modules(struct rollup *r)
{
	struct gn_model *m = r->m;
	struct gn_table by_name = {0};
	uint32_t cap = 0;
	size_t i;
	int err = 0;

	for (i = 0; i < m->nfunctions && !err; i++) {
		const char *name = m->functions[i].module;
		uint32_t at = gn_table_get(&by_name, (uintptr_t)name);

		if (at == GN_NONE) {
			at = (uint32_t)m->nmodules;
			err = gn_grow(&m->modules, &cap, m->nmodules + 1,
				      sizeof(*m->modules));
			if (err)
				break;
			m->modules[m->nmodules++] =
				(struct gn_model_module){.name = name};
			err = gn_table_put(&by_name, (uintptr_t)name, at);
		}
		r->module_of[i] = at;
	}
	gn_table_free(&by_name);
	return err;
}

static int make_edges(struct rollup *r)
{
	struct gn_model *m = r->m;
	size_t i;
	int err;

	for (i = 0; i < m->nnodes; i++) {
		const struct gn_model_node *n = &m->nodes[i];
		struct gn_model_edge e = {.callee = n->function};
		uint64_t key;
		uint32_t at;

		if (n->function < 0)
			continue;
		e.caller = m->nodes[n->parent].function;
		key = (uint64_t)(uint32_t)(e.caller + 1) << 32 |
		      (uint32_t)e.callee;
		at = gn_table_get(&r->edges, key);
		if (at == GN_NONE) {
			at = (uint32_t)m->nedges;
			err = gn_grow(&m->edges, &r->edges_cap, m->nedges + 1,
				      sizeof(*m->edges));
			if (!err)
				err = gn_table_put(&r->edges, key, at);
			if (err)
				return err;
			m->edges[m->nedges++] = e;
		}
		r->edge_of[i] = at;
	}
	return 0;
}

/* The time of an activity is its function's own. */
static void visit_activity(struct rollup *r, size_t i)
{
	struct gn_model *m = r->m;
	const struct gn_model_node *n = &m->nodes[i];
	int32_t f = m->nodes[n->parent].function;

	if (f < 0)
		return;
	gn_values_add_own(&m->functions[f].v, &n->v);
	gn_values_add_own(&m->modules[r->module_of[f]].v, &n->v);
	gn_values_add_own(&m->edges[r->edge_of[n->parent]].v, &n->v);
}

static void visit(struct rollup *r, size_t i)
{
	struct gn_model *m = r->m;
	const struct gn_model_node *n = &m->nodes[i];
	struct gn_model_module *mod;
	struct gn_model_edge *e;
	struct gn_model_function *f;

	if (n->activity) {
		visit_activity(r, i);
		return;
	}
	if (n->function < 0)
		return;
	f = &m->functions[n->function];
	mod = &m->modules[r->module_of[n->function]];
	e = &m->edges[r->edge_of[i]];
	gn_values_add_own(&f->v, &n->v);
	gn_values_add_own(&mod->v, &n->v);
	gn_values_add_own(&e->v, &n->v);
	if (!r->open_fn[n->function]++)
		gn_values_add_incl(&f->v, &n->v);
	if (!r->open_module[r->module_of[n->function]]++)
		gn_values_add_incl(&mod->v, &n->v);
	if (!r->open_edge[r->edge_of[i]]++)
		gn_values_add_incl(&e->v, &n->v);
}

static void depart(struct rollup *r, size_t i)
{
	int32_t f = r->m->nodes[i].function;

	if (f < 0)
		return;
	r->open_fn[f]--;
	r->open_module[r->module_of[f]]--;
	r->open_edge[r->edge_of[i]]--;
}

/* Nodes are in pre-order: a node's path is a prefix of the previous node's
 * path, plus the node. */
static void walk(struct rollup *r)
{
	int32_t at = -1;
	size_t i;

	for (i = 0; i < r->m->nnodes; i++) {
		while (at != r->m->nodes[i].parent) {
			depart(r, (size_t)at);
			at = r->m->nodes[at].parent;
		}
		visit(r, i);
		at = (int32_t)i;
	}
}

struct order {
	uint64_t value;
	size_t index;
};

static int by_value(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void place_async(struct gn_model_async *a, const int32_t *place)
{
	a->function = place[a->function];
	for (size_t i = 0; i < a->nawaits; i++)
		if (a->awaits[i].inner >= 0)
			a->awaits[i].inner = place[a->awaits[i].inner];
}

/* Functions are sorted by name already, so equal values keep that order. */
static int sort_functions(struct gn_model *m, int32_t **out)
{
	size_t i, n = m->nfunctions;
	struct order *o = calloc(n + 1, sizeof(*o));
	struct gn_model_function *sorted = calloc(n + 1, sizeof(*sorted));
	int32_t *place = calloc(n + 1, sizeof(*place));
	int err = -ENOMEM;

	if (!o || !sorted || !place)
		goto out;
	for (i = 0; i < n; i++)
		o[i] = (struct order){m->functions[i].v.elapsed_incl, i};
	qsort(o, n, sizeof(*o), by_value);
	for (i = 0; i < n; i++) {
		sorted[i] = m->functions[o[i].index];
		sorted[i].index = (uint32_t)i;
		place[o[i].index] = (int32_t)i;
	}
	for (i = 0; i < m->nnodes; i++)
		if (m->nodes[i].function >= 0)
			m->nodes[i].function = place[m->nodes[i].function];
	for (i = 0; i < m->nedges; i++) {
		struct gn_model_edge *e = &m->edges[i];

		e->callee = place[e->callee];
		e->caller = e->caller < 0 ? -1 : place[e->caller];
	}
	for (i = 0; i < m->nwaits; i++) {
		struct gn_model_wait *w = &m->waits[i];

		w->function = w->function < 0 ? -1 : place[w->function];
		if (w->waker_function >= 0)
			w->waker_function = place[w->waker_function];
	}
	for (i = 0; i < m->nasyncs; i++)
		place_async(&m->asyncs[i], place);
	free(m->functions);
	m->functions = sorted;
	sorted = NULL;
	*out = place;
	place = NULL;
	err = 0;
out:
	free(o);
	free(sorted);
	free(place);
	return err;
}

static int compare_modules(const void *a, const void *b)
{
	const struct gn_model_module *x = a, *y = b;

	if (x->v.elapsed_incl != y->v.elapsed_incl)
		return x->v.elapsed_incl > y->v.elapsed_incl ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int compare_edges(const void *a, const void *b)
{
	const struct gn_model_edge *x = a, *y = b;

	if (x->v.elapsed_incl != y->v.elapsed_incl)
		return x->v.elapsed_incl > y->v.elapsed_incl ? -1 : 1;
	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return x->callee < y->callee ? -1 : x->callee > y->callee;
}

int gn_rollup(struct gn_model *m, int32_t **place)
{
	struct rollup r = {.m = m};
	int err = -ENOMEM;

	r.module_of = calloc(m->nfunctions + 1, sizeof(*r.module_of));
	r.open_fn = calloc(m->nfunctions + 1, sizeof(*r.open_fn));
	r.open_module = calloc(m->nfunctions + 1, sizeof(*r.open_module));
	r.edge_of = calloc(m->nnodes + 1, sizeof(*r.edge_of));
	if (!r.module_of || !r.open_fn || !r.open_module || !r.edge_of)
		goto out;
	err = make_modules(&r);
	if (err)
		goto out;
	err = make_edges(&r);
	if (err)
		goto out;
	r.open_edge = calloc(m->nedges + 1, sizeof(*r.open_edge));
	if (!r.open_edge) {
		err = -ENOMEM;
		goto out;
	}
	walk(&r);
	err = sort_functions(m, place);
	if (err)
		goto out;
	if (m->nmodules)
		qsort(m->modules, m->nmodules, sizeof(*m->modules),
		      compare_modules);
	gn_waits_order(m);
	gn_async_order(m);
	if (m->nedges)
		qsort(m->edges, m->nedges, sizeof(*m->edges), compare_edges);
out:
	rollup_free(&r);
	return err;
}
