// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_oracle [SEED [COUNT]]: random programs, each with both classifications,
 * with and without losses. The model must agree with the oracle on each.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "simulate.h"

struct compare {
	const char *what;
	bool ok;
};

static void same(struct compare *c, const char *field, uint64_t got,
		 uint64_t want)
{
	if (got == want)
		return;
	printf("%s: %s is %" PRIu64 ", the oracle says %" PRIu64 "\n", c->what,
	       field, got, want);
	c->ok = false;
}

static void same_values(struct compare *c, const struct gn_values *got,
			const struct gn_values *want)
{
	same(c, "calls", got->calls, want->calls);
	same(c, "unwound", got->unwound, want->unwound);
	same(c, "elapsed inclusive", got->elapsed_incl, want->elapsed_incl);
	same(c, "elapsed exclusive", got->elapsed_excl, want->elapsed_excl);
	same(c, "application inclusive", got->app_incl, want->app_incl);
	same(c, "application exclusive", got->app_excl, want->app_excl);
	same(c, "min", got->min, want->min);
	same(c, "max", got->max, want->max);
	same(c, "finished", got->finished, want->finished);
	same(c, "spent", got->spent, want->spent);
	for (int i = 0; i < GN_CLASS_COUNT; i++) {
		same(c, "class inclusive", got->class_incl[i],
		     want->class_incl[i]);
		same(c, "class exclusive", got->class_excl[i],
		     want->class_excl[i]);
	}
}

static int function_number(const struct gn_model *m, int32_t i)
{
	return i < 0 ? 0 : atoi(m->functions[i].name + 1);
}

static void compare_functions(struct compare *c, const struct gn_model *m,
			      const struct oracle *o)
{
	static const struct gn_values none;
	struct oracle left = *o;
	size_t i;
	int f, g;

	for (i = 0; i < m->nfunctions; i++) {
		f = function_number(m, (int32_t)i);
		c->what = m->functions[i].name;
		same_values(c, &m->functions[i].v, &left.functions[f]);
		same(c, "gap", m->functions[i].v.gap, left.functions[f].gap);
		left.functions[f] = none;
	}
	for (i = 0; i < m->nmodules; i++) {
		f = atoi(m->modules[i].name + 1);
		c->what = m->modules[i].name;
		same_values(c, &m->modules[i].v, &left.modules[f]);
		left.modules[f] = none;
	}
	c->what = "edge";
	for (i = 0; i < m->nedges; i++) {
		f = function_number(m, m->edges[i].caller);
		g = function_number(m, m->edges[i].callee);
		same_values(c, &m->edges[i].v, &left.edges[f][g]);
		left.edges[f][g] = none;
	}
	c->what = "what the model has not";
	for (f = 0; f < ORACLE_FUNCTIONS; f++) {
		same_values(c, &none, &left.functions[f]);
		for (g = 0; g < ORACLE_FUNCTIONS; g++)
			same_values(c, &none, &left.edges[f][g]);
	}
}

/* Only functions have ends of calls. */
static void same_row(struct compare *c, const struct gn_values *got,
		     const struct gn_values *want)
{
	struct gn_values g = *got;

	g.min = g.max = g.finished = g.spent = 0;
	same_values(c, &g, want);
}

static void compare_threads(struct compare *c, const struct gn_model *m,
			    const struct oracle *o)
{
	size_t i;
	int k;

	c->what = "thread";
	same(c, "number", m->nthreads, ORACLE_THREADS);
	for (i = 0; i < m->nthreads; i++) {
		const struct gn_model_thread *t = &m->threads[i];

		for (k = 0; sim_tid(k) != t->tid; k++)
			;
		same(c, "start", t->start, o->threads[k].start);
		same(c, "end", t->end, o->threads[k].end);
		same(c, "gaps", t->gaps, o->threads[k].gaps);
		same_row(c, &t->v, &o->threads[k].v);
	}
	c->what = "process";
	same(c, "number", m->nprocesses, ORACLE_PROCESSES);
	for (i = 0; i < m->nprocesses; i++)
		same_row(c, &m->processes[i].v,
			 &o->processes[m->processes[i].pid - sim_pid(0)]);
}

/* A wait that the oracle does not have is not compared. */
static void compare_waits(struct compare *c, const struct gn_model *m,
			  const struct oracle *o)
{
	static const struct oracle_wait none;
	size_t i;
	int k;

	c->what = "wait";
	same(c, "number", m->nwaits, (uint64_t)o->nwaits);
	for (i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];
		const struct oracle_wait *want = &none;

		for (k = 0; k < o->nwaits; k++) {
			const struct oracle_wait *x = &o->waits[k];

			if (x->func == function_number(m, w->function) &&
			    x->class == w->class && x->reason == w->reason &&
			    x->waker == w->waker &&
			    x->waker_func ==
				    function_number(m, w->waker_function))
				want = x;
		}
		same(c, "ns", w->ns, want->ns);
		same(c, "count", w->count, want->count);
		same(c, "longest", w->longest, want->longest);
		if (strcmp(w->waker_name, w->waker ? "sim" : ""))
			same(c, "name", 1, 0);
	}
}

static void compare_costs(struct compare *c, const struct gn_model *m,
			  const struct oracle *o)
{
	int k;

	c->what = "probes";
	same(c, "cost", m->probe_cost, o->cost);
	same(c, "left", m->probe_cost_left, o->cost_left);
	for (k = 0; k < GN_PROBE_CLASS_COUNT; k++)
		same(c, "hits", m->costs[k].hits, o->costs[k].hits);
}

static void compare_checks(struct compare *c, const struct gn_model *m,
			   const struct oracle *o)
{
	c->what = "check";
	same(c, "account", m->checks.account_error_ns, 0);
	same(c, "slice mismatches", m->checks.slice_mismatches, 0);
	same(c, "overruns", m->checks.os_overruns, 0);
	same(c, "reversals", m->checks.time_reversals, 0);
	same(c, "unmatched leaves", m->checks.unmatched_leaves,
	     o->unmatched_leaves);
	same(c, "unmatched unwinds", m->checks.unmatched_unwinds,
	     o->unmatched_unwinds);
	same(c, "unwound", m->checks.unwound_frames, o->unwound);
	same(c, "open", m->checks.open_frames, o->open);
	same(c, "lost", m->lost, o->lost);
}

/* Checks the tree: the values of each node are the sum of its children's and
 * its own, children are in order, and indexes lead back. */
static void check_tree(struct compare *c, const struct gn_model *m)
{
	size_t i, seen = 1;
	int32_t k;

	c->what = "tree";
	for (i = 0; i < m->nnodes; i++) {
		const struct gn_model_node *n = &m->nodes[i];
		uint64_t elapsed = n->v.elapsed_excl, app = n->v.app_excl;
		uint64_t before = UINT64_MAX;

		for (k = n->first_child; k >= 0; k = m->nodes[k].next) {
			const struct gn_model_node *child = &m->nodes[k];

			elapsed += child->v.elapsed_incl;
			app += child->v.app_incl;
			same(c, "parent", (uint64_t)child->parent, i);
			if (child->v.elapsed_incl > before)
				same(c, "order", 1, 0);
			before = child->v.elapsed_incl;
			seen++;
		}
		same(c, "elapsed", n->v.elapsed_incl, elapsed);
		same(c, "application", n->v.app_incl, app);
	}
	same(c, "nodes", seen, m->nnodes);
}

static bool run(const struct sim_opts *opts, enum gn_classify how)
{
	struct oracle *o = calloc(1, sizeof(*o));
	struct compare c = {.ok = true};
	struct stream s = {0};
	struct gn_model *m;

	if (!o)
		abort();
	o->classify = how;
	simulate(opts, &s, o);
	m = stream_model(&s, how);
	compare_functions(&c, m, o);
	compare_threads(&c, m, o);
	compare_waits(&c, m, o);
	compare_costs(&c, m, o);
	compare_checks(&c, m, o);
	check_tree(&c, m);
	if (!c.ok)
		dump_model(m, stdout);
	gn_model_free(m);
	stream_free(&s);
	free(o);
	return c.ok;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 2000;
	static const int losses[] = {0, 0, 5, 50, 300};
	uint64_t i;

	for (i = seed; i < seed + count; i++) {
		struct sim_opts opts = {.seed = i,
					.steps = 20 + (int)(i * 7 % 300),
					.loss_permille = losses[i % 5]};

		if (!run(&opts, GN_CLASSIFY_EXACT) ||
		    !run(&opts, GN_CLASSIFY_INTERVAL)) {
			printf("seed %" PRIu64 "\n", i);
			return 1;
		}
	}
	return 0;
}
