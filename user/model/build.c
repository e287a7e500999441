// SPDX-License-Identifier: BSD-2-Clause
#include "model/build_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/probecost.h"

/* Frees what only this model needs. The live view keeps the rest. */
static void build_free_tree(struct gn_build *b)
{
	gn_tree_free(b->tree);
	free(b->fns);
	free(b->rank_of);
	free(b->same);
	free(b->first);
	free(b->next);
	free(b->place);
	b->fns = b->rank_of = b->same = NULL;
	b->first = b->next = b->place = NULL;
}

static int build_alloc(struct gn_build *b)
{
	size_t nodes = b->tree->n, fns = b->p->stage.names.nfns;

	b->function_of = calloc(fns + 1, sizeof(uint32_t));
	b->rank_of = calloc((size_t)b->p->nprocesses + 1, sizeof(uint32_t));
	b->same = calloc(nodes, sizeof(uint32_t));
	b->first = calloc(nodes, sizeof(uint32_t));
	b->next = calloc(nodes, sizeof(uint32_t));
	b->place = calloc(nodes, sizeof(uint32_t));
	return b->function_of && b->rank_of && b->same && b->first && b->next &&
			       b->place
		       ? 0
		       : -ENOMEM;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void fill_thread(const struct gn_pipeline *p, const struct gn_thread *t,
			struct gn_model_thread *out)
{
	const struct gn_account *a = &t->account;
	int c;

	out->number = t->number;
	out->pid = p->processes[t->process].pid;
	out->tid = t->tid;
	out->name = t->name;
	out->merged = t->merged;
	out->start = t->start;
	out->end = t->closed ? t->end : a->since;
	out->span = t->merged ? t->span : out->end - out->start;
	out->elapsed = a->elapsed;
	out->probe_cost = a->cost;
	out->runtime = p->processes[t->process].runtime;
	out->helper = t->role == GN_ROLE_IDLE || gn_role_serves(t->role);
	out->kernel = t->kernel;
	out->gaps = t->gaps;
	out->records = t->records;
	out->accepted = t->accepted;
	out->entered = t->entered;
	out->in_doubt = gn_thread_in_doubt(p, t);
	out->v.calls = t->stacks.calls;
	out->v.unwound = t->stacks.unwound;
	out->v.elapsed_incl = out->elapsed;
	out->v.elapsed_excl = out->elapsed - a->outside_elapsed;
	out->v.app_incl = a->app;
	out->v.app_excl = a->app - a->outside_app;
	out->v.error_incl = gn_not_below_0(a->error);
	out->v.error_excl = gn_not_below_0(a->error - a->outside_error);
	out->v.gap = t->gaps;
	for (c = 0; c < GN_CLASS_COUNT; c++) {
		out->classes[c] = a->classes[c];
		out->v.class_incl[c] = a->classes[c];
		out->v.class_excl[c] = a->classes[c] - a->outside[c];
	}
}

static uint64_t account_error(const struct gn_model_thread *t)
{
	uint64_t sum = 0;
	int c;

	for (c = 0; c < GN_CLASS_COUNT; c++)
		sum += t->classes[c];
	return distance(t->elapsed, sum) +
	       distance(t->elapsed + t->probe_cost, t->span);
}

static int compare_threads(const void *a, const void *b)
{
	const struct gn_model_thread *x = a, *y = b;
	int cmp;

	if (x->elapsed != y->elapsed)
		return x->elapsed > y->elapsed ? -1 : 1;
	cmp = strcmp(x->name, y->name);
	if (cmp)
		return cmp;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->records < y->records ? -1 : x->records > y->records;
}

static int compare_processes(const void *a, const void *b)
{
	const struct gn_model_process *x = a, *y = b;
	int cmp;

	if (x->v.elapsed_incl != y->v.elapsed_incl)
		return x->v.elapsed_incl > y->v.elapsed_incl ? -1 : 1;
	cmp = strcmp(x->name, y->name);
	if (cmp)
		return cmp;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->threads < y->threads ? -1 : x->threads > y->threads;
}

static void add_thread(struct gn_model *m, const struct gn_model_thread *t,
		       struct gn_values *process)
{
	gn_values_add_own(process, &t->v);
	gn_values_add_incl(process, &t->v);
	gn_values_add_own(&m->session, &t->v);
	gn_values_add_incl(&m->session, &t->v);
	m->checks.account_error_ns += account_error(t);
}

/* "[12 ended threads]" */
static int name_merged(struct gn_pipeline *p, struct gn_model_thread *t)
{
	bool idle = gn_time_is_idle(t->classes, t->elapsed);
	char name[48];
	int len = snprintf(name, sizeof(name), "[%" PRIu64 " ended%s thread%s]",
			   t->merged, idle ? " idle" : "",
			   t->merged == 1 ? "" : "s");

	t->name = gn_pool_add(&p->stage.names.pool, name, (size_t)len);
	return t->name ? 0 : -ENOMEM;
}

/* Moves the processes that are shown to the front; they have their values. */
static void keep_shown(struct gn_build *b)
{
	struct gn_model *m = b->m;

	for (uint32_t i = 0; i < b->p->nprocesses; i++) {
		const struct gn_process *from = &b->p->processes[i];
		struct gn_model_process *to = &m->processes[m->nprocesses];

		if (!gn_build_shows(b, i))
			continue;
		if (to != &m->processes[i])
			to->v = m->processes[i].v;
		to->pid = from->pid;
		to->name = from->name;
		to->threads = from->threads;
		to->ended = from->exit & GN_EXIT_TOLD;
		to->exit = (int)(from->exit & 0xffff);
		to->starved = from->exit & GN_EXIT_MEMORY;
		to->ended_at = from->ended_at;
		m->nprocesses++;
	}
}

static int make_threads(struct gn_build *b)
{
	struct gn_pipeline *p = b->p;
	struct gn_model *m = b->m;
	struct gn_model_own *own = m->own;
	uint32_t i;

	m->threads = calloc((size_t)p->nthreads + 1, sizeof(*m->threads));
	m->processes = calloc((size_t)p->nprocesses + 1, sizeof(*m->processes));
	if (!m->threads || !m->processes)
		return -ENOMEM;
	if (p->opts.live) {
		own->live = calloc((size_t)p->nthreads + 1, sizeof(*own->live));
		if (!own->live)
			return -ENOMEM;
	}
	for (i = 0; i < p->nthreads; i++) {
		if (own->live)
			m->threads[i].live = &own->live[i];
		fill_thread(p, p->threads[i], &m->threads[i]);
		if (m->threads[i].merged && name_merged(p, &m->threads[i]))
			return -ENOMEM;
		add_thread(m, &m->threads[i],
			   &m->processes[p->threads[i]->process].v);
		m->checks.sched_errors +=
			gn_kernel_differs(&p->threads[i]->kernel);
		m->probe_cost += p->threads[i]->account.cost;
		m->hook_waited += p->threads[i]->account.hook_waited;
		m->own_work += p->threads[i]->account.own_work;
	}
	m->nthreads = p->nthreads;
	gn_starved_build(p, &m->starvation);
	gn_taken_build(p, &m->starvation);
	keep_shown(b);
	qsort(m->threads, m->nthreads, sizeof(*m->threads), compare_threads);
	qsort(m->processes, m->nprocesses, sizeof(*m->processes),
	      compare_processes);
	return 0;
}

static void set_bounds(const struct gn_pipeline *p, struct gn_model *m)
{
	uint32_t i;

	m->start = p->start;
	m->end = p->end ? p->end : p->last;
	if (!p->has_session && !p->periods && p->nthreads) {
		m->start = p->threads[0]->start;
		for (i = 1; i < p->nthreads; i++)
			if (p->threads[i]->start < m->start)
				m->start = p->threads[i]->start;
	}
	if (m->end < m->start)
		m->end = m->start;
}

/* Shares ownership of the strings with the model, and copies the INFO list. */
static int own(struct gn_pipeline *p, struct gn_model *m)
{
	struct gn_model_own *own = calloc(1, sizeof(*own));

	m->own = own;
	m->info = calloc((size_t)p->ninfo + 1, sizeof(*m->info));
	if (!own || !m->info)
		return -ENOMEM;
	if (p->ninfo)
		memcpy(m->info, p->info, p->ninfo * sizeof(*m->info));
	m->ninfo = p->ninfo;
	own->texts = gn_pool_share(&p->stage.names.pool);
	return own->texts ? 0 : -ENOMEM;
}

static void fill_session(const struct gn_pipeline *p, struct gn_model *m)
{
	int c;

	m->classify = p->opts.classify;
	m->lost = p->lost;
	m->raw = p->opts.raw || !p->costed;
	m->probe_cost_left = (int64_t)(p->owed - p->owed_before);
	for (c = 0; c < GN_PROBE_CLASS_COUNT; c++)
		m->costs[c] = gn_cost_mean(p, c);
	memcpy(m->events_cost, p->family_costs, sizeof(m->events_cost));
	memcpy(m->counters, p->counters, sizeof(m->counters));
	m->by_path = p->by_path;
	m->checks = p->stage.checks;
	set_bounds(p, m);
}

/* Spans of async methods that are still open end with the last thread of their
 * program. (At an exec, apply_exec() ends them.) */
static int end_programs(struct gn_pipeline *p)
{
	int err = 0;

	for (uint32_t i = 0; p->asyncs.nmethods && i < p->nthreads && !err;
	     i++) {
		const struct gn_thread *t = p->threads[i];

		err = gn_async_lasts(&p->asyncs,
				     p->processes[t->process].program,
				     t->closed ? t->end : t->account.since,
				     p->processes[t->process].lost);
	}
	return err;
}

/* Some rows lack a waker's name: a new thread can wake its creator before its
 * own first record is read. */
static void name_wakers(struct gn_build *b)
{
	for (size_t i = 0; i < b->m->nwaits; i++) {
		struct gn_model_wait *w = &b->m->waits[i];
		const char *name = w->waker && !w->waker_name[0]
					   ? gn_thread_name(b->p, w->waker)
					   : NULL;

		if (name)
			w->waker_name = name;
	}
}

static int make_all(struct gn_build *b)
{
	int32_t *place = NULL;
	int err;

	err = gn_build_functions(b);
	if (!err)
		err = gn_waits_build(&b->p->waits, b->function_of, b->m);
	if (!err)
		name_wakers(b);
	if (!err)
		err = gn_code_build(b->p, b->m);
	if (!err)
		err = end_programs(b->p);
	if (!err)
		err = gn_async_build(&b->p->asyncs, b->p->stage.names.fns,
				     b->function_of, b->m);
	if (!err)
		err = gn_events_build(b->p, b->m);
	if (!err)
		err = gn_samples_build(b->p, b->m);
	if (!err)
		err = make_threads(b);
	if (!err)
		err = gn_syscalls_build(&b->p->syscalls, b->m);
	if (!err)
		err = gn_build_ranks(b);
	if (!err)
		err = gn_build_nodes(b);
	build_free_tree(b);
	if (!err)
		err = gn_rollup(b->m, &place);
	if (!err && b->p->opts.live)
		err = gn_live_build(b->p, b->m, b->function_of, place);
	free(place);
	return err;
}

static int name_others(struct gn_pipeline *p, struct gn_tree *tree)
{
	if (tree->n < tree->most)
		return 0;
	p->stage.checks.other_calls = gn_tree_others(tree);
	return gn_build_name_others(p, tree);
}

int gn_build(struct gn_pipeline *p, struct gn_tree *tree, struct gn_model **out)
{
	struct gn_model *m = calloc(1, sizeof(*m));
	struct gn_build b = {.p = p, .tree = tree, .m = m};
	int err = -ENOMEM;

	gn_cost_settle(p);
	gn_names_tell_unprobed(&p->stage.names);
	if (!m || own(p, m) || name_others(p, tree) || build_alloc(&b))
		goto out;
	fill_session(p, m);
	/* make room: the model's nodes are much larger */
	gn_table_free(&tree->children);
	err = make_all(&b);
	if (err)
		goto out;
	/* self-check: the tree must give the same sum */
	m->checks.account_error_ns +=
		distance(m->nodes[0].v.elapsed_incl, m->session.elapsed_incl);
	*out = m;
	m = NULL;
out:
	build_free_tree(&b);
	free(b.function_of);
	gn_model_free(m);
	return err;
}
