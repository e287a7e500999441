// SPDX-License-Identifier: BSD-2-Clause
/*
 * test_periods [SEED [COUNT]]: random programs that are looked at while they
 * run. The sum over all periods must equal a model of the whole run, and after
 * each period only living objects may be kept.
 *
 * For calm programs the sums are equal to the nanosecond. For others that is
 * impossible: losses, changes of stacks and suspensions become known only
 * later, and a look can overtake a record. So less is compared for those.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "model/threads.h"
#include "simulate.h"

#define REASONS 4

struct wait_sum {
	uint64_t ns, count, longest;
};

/* Everything that is summed over periods. Function 0 is the time outside
 * functions. */
struct totals {
	struct gn_values functions[ORACLE_FUNCTIONS];
	struct gn_values edges[ORACLE_FUNCTIONS][ORACLE_FUNCTIONS];
	struct gn_values threads[ORACLE_THREADS];
	struct gn_values session;
	struct wait_sum waits[ORACLE_FUNCTIONS][GN_CLASS_COUNT][REASONS];
	uint64_t probe_cost[ORACLE_THREADS];
	uint64_t cost, cost_left, hits, lost, records;
	struct gn_checks checks;
};

enum how_same {
	SAME_ALL,
	SAME_THREADS, /* functions have their calls, but not their times */
	SAME_CALLS,
};

struct compare {
	enum how_same how;
	bool app;   /* application times must be equal */
	bool lossy; /* the cost of lost probes is not subtracted once the loss
		       is known */
	bool ok;
};

static void add_values(struct gn_values *to, const struct gn_values *v)
{
	int c;

	to->calls += v->calls;
	to->unwound += v->unwound;
	to->elapsed_incl += v->elapsed_incl;
	to->elapsed_excl += v->elapsed_excl;
	to->app_incl += v->app_incl;
	to->app_excl += v->app_excl;
	if (v->finished && (!to->finished || v->min < to->min))
		to->min = v->min;
	if (v->max > to->max)
		to->max = v->max;
	to->finished += v->finished;
	to->spent += v->spent;
	for (c = 0; c < GN_CLASS_COUNT; c++) {
		to->class_incl[c] += v->class_incl[c];
		to->class_excl[c] += v->class_excl[c];
	}
}

static int number(const struct gn_model *m, int32_t function)
{
	return function < 0 ? 0 : atoi(m->functions[function].name + 1);
}

static void add_waits(struct totals *t, const struct gn_model *m)
{
	size_t i;

	for (i = 0; i < m->nwaits; i++) {
		const struct gn_model_wait *w = &m->waits[i];
		/* the kernel never reports this for the run queue; the
		 * simulator does */
		int reason =
			w->class == GN_CLASS_RUNQUEUE ? 0 : w->reason % REASONS;
		struct wait_sum *to =
			&t->waits[number(m, w->function)][w->class][reason];

		to->ns += w->ns;
		to->count += w->count;
		if (w->longest > to->longest)
			to->longest = w->longest;
	}
}

static void add_model(struct totals *t, const struct gn_model *m)
{
	size_t i;
	int k;

	for (i = 0; i < m->nfunctions; i++)
		add_values(&t->functions[number(m, (int32_t)i)],
			   &m->functions[i].v);
	for (i = 0; i < m->nedges; i++)
		add_values(&t->edges[number(m, m->edges[i].caller)]
				    [number(m, m->edges[i].callee)],
			   &m->edges[i].v);
	for (i = 0; i < m->nthreads; i++) {
		for (k = 0; sim_tid(k) != m->threads[i].tid; k++)
			;
		add_values(&t->threads[k], &m->threads[i].v);
		t->probe_cost[k] += m->threads[i].probe_cost;
		t->records += m->threads[i].records;
	}
	add_values(&t->session, &m->session);
	add_waits(t, m);
	t->cost += m->probe_cost;
	t->cost_left += m->probe_cost_left;
	for (k = 0; k < GN_PROBE_CLASS_COUNT; k++)
		t->hits += m->costs[k].hits;
	t->lost += m->lost;
#define ADD_CHECK(field, text, error) t->checks.field += m->checks.field;
	GN_CHECK_LIST(ADD_CHECK)
#undef ADD_CHECK
}

static void same(struct compare *c, const char *what, uint64_t got,
		 uint64_t want)
{
	if (got == want)
		return;
	printf("%s: %" PRIu64 ", in one model %" PRIu64 "\n", what, got, want);
	c->ok = false;
}

static void same_times(struct compare *c, const struct gn_values *got,
		       const struct gn_values *want)
{
	int k;

	same(c, "elapsed inclusive", got->elapsed_incl, want->elapsed_incl);
	same(c, "elapsed exclusive", got->elapsed_excl, want->elapsed_excl);
	if (c->app) {
		same(c, "app inclusive", got->app_incl, want->app_incl);
		same(c, "app exclusive", got->app_excl, want->app_excl);
	} else if (got->app_excl < want->app_excl) {
		/* only a part of an interval with an OS event counts as
		 * nothing */
		same(c, "least app", got->app_excl, want->app_excl);
	}
	for (k = 0; k < GN_CLASS_COUNT; k++) {
		same(c, "class incl", got->class_incl[k], want->class_incl[k]);
		same(c, "class excl", got->class_excl[k], want->class_excl[k]);
	}
}

static void same_calls(struct compare *c, const struct gn_values *got,
		       const struct gn_values *want)
{
	same(c, "calls", got->calls, want->calls);
	same(c, "unwound", got->unwound, want->unwound);
	same(c, "finished", got->finished, want->finished);
	if (c->how != SAME_ALL)
		return;
	same(c, "min", got->min, want->min);
	same(c, "max", got->max, want->max);
	same(c, "spent", got->spent, want->spent);
	same_times(c, got, want);
}

static uint64_t on_cpu(const struct gn_values *v)
{
	return v->class_incl[GN_CLASS_APP] + v->class_incl[GN_CLASS_JIT] +
	       v->class_incl[GN_CLASS_GC];
}

static void compare_threads(struct compare *c, const struct totals *got,
			    const struct totals *want)
{
	const struct gn_values *g, *w;
	int i, k;

	for (i = 0; i < ORACLE_THREADS; i++) {
		g = &got->threads[i];
		w = &want->threads[i];
		same_calls(c, g, w);
		same(c, "with probe cost", g->elapsed_incl + got->probe_cost[i],
		     w->elapsed_incl + want->probe_cost[i]);
		if (c->how != SAME_THREADS)
			continue;
		/* a look can overtake the record that begins JIT */
		same(c, "on a CPU", on_cpu(g), on_cpu(w));
		for (k = GN_CLASS_SUSPEND; k < GN_CLASS_COUNT; k++)
			same(c, "class", g->class_incl[k], w->class_incl[k]);
	}
}

static void compare_waits(struct compare *c, const struct totals *got,
			  const struct totals *want)
{
	struct wait_sum g, w;
	int f, k, r;

	for (k = 0; k < GN_CLASS_COUNT; k++) {
		for (r = 0; r < REASONS; r++) {
			g = w = (struct wait_sum){0};
			for (f = 0; f < ORACLE_FUNCTIONS; f++) {
				g.ns += got->waits[f][k][r].ns;
				w.ns += want->waits[f][k][r].ns;
				g.count += got->waits[f][k][r].count;
				w.count += want->waits[f][k][r].count;
			}
			same(c, "wait", g.ns, w.ns);
			same(c, "waits", g.count, w.count);
		}
	}
	if (c->how == SAME_ALL &&
	    memcmp(got->waits, want->waits, sizeof(got->waits)))
		same(c, "waits of functions", 1, 0);
}

static void compare_all(struct compare *c, const struct totals *got,
			const struct totals *want)
{
	int f, k;

	for (f = 0; f < ORACLE_FUNCTIONS; f++) {
		same_calls(c, &got->functions[f], &want->functions[f]);
		for (k = 0; k < ORACLE_FUNCTIONS; k++)
			same_calls(c, &got->edges[f][k], &want->edges[f][k]);
	}
	compare_threads(c, got, want);
	same_calls(c, &got->session, &want->session);
	if (c->how != SAME_CALLS)
		compare_waits(c, got, want);
	if (!c->lossy)
		same(c, "cost", got->cost + got->cost_left,
		     want->cost + want->cost_left);
	same(c, "hits", got->hits, want->hits);
	same(c, "lost", got->lost, want->lost);
	same(c, "records", got->records, want->records);
#define SAME_CHECK(field, text, error) \
	same(c, #field, got->checks.field, want->checks.field);
	GN_CHECK_LIST(SAME_CHECK)
#undef SAME_CHECK
}

/* The shares of each thread add up to its time, and those of a function to the
 * function's time. */
static void check_shares(struct compare *c, const struct gn_model *m)
{
	struct gn_values *of = calloc(m->nfunctions + 1, sizeof(*of));
	size_t i, k;

	if (!of)
		abort();
	for (i = 0; i < m->nthreads; i++) {
		const struct gn_model_live *live = m->threads[i].live;
		uint64_t elapsed = 0, before = UINT64_MAX;

		for (k = 0; k < live->nshares; k++) {
			const struct gn_model_share *s = &live->shares[k];

			elapsed += s->elapsed;
			of[s->function + 1].elapsed_excl += s->elapsed;
			of[s->function + 1].app_excl += s->app;
			of[s->function + 1].calls += s->calls;
			if (s->elapsed > before)
				same(c, "order of shares", 1, 0);
			before = s->elapsed;
		}
		same(c, "shares", elapsed, m->threads[i].elapsed);
	}
	for (i = 0; i < m->nfunctions; i++) {
		const struct gn_values *v = &m->functions[i].v;

		same(c, "share", of[i + 1].elapsed_excl, v->elapsed_excl);
		same(c, "app share", of[i + 1].app_excl, v->app_excl);
		same(c, "call share", of[i + 1].calls, v->calls);
	}
	free(of);
}

/* After a period nothing that is over is kept. */
static void check_memory(struct compare *c, const struct gn_pipeline *p)
{
	uint64_t nodes = 1 + p->nprocesses;
	const struct gn_stack *k;
	uint32_t i, at;

	for (i = 0; i < p->nthreads; i++) {
		const struct gn_thread *t = p->threads[i];

		same(c, "closed", t->closed, 0);
		same(c, "index", t->index, i);
		for (at = 0; (k = gn_stacks_at(&t->stacks, at)); at++)
			nodes += k->n + k->npending;
	}
	for (i = 0; i < p->nprocesses; i++)
		same(c, "live", p->processes[i].live, p->processes[i].threads);
	if (p->stage.tree.n > nodes)
		same(c, "most nodes", p->stage.tree.n, nodes);
	same(c, "waits", p->waits.n, 0);
	same(c, "shares", p->shares.n, 0);
}

static void take_model(struct compare *c, struct totals *t, struct gn_model *m)
{
	add_model(t, m);
	check_shares(c, m);
	gn_model_free(m);
}

/* The sum of all periods. */
static void run_live(struct compare *c, const struct stream *s,
		     enum gn_classify classify, struct totals *t)
{
	struct gn_pipeline_opts opts = {.classify = classify, .live = true};
	struct gn_pipeline *p = gn_pipeline_new(&opts);
	struct gn_model *m = NULL;
	uint64_t end = 0;

	if (!p)
		abort();
	for (size_t i = 0; i < s->n;) {
		const struct gn_rec *r = (const void *)&s->words[i + 1];
		bool period = r->kind == SIM_PERIOD;

		/* the pipeline does not know this kind, and ignores it */
		if (stream_feed_next(s, &i, p))
			abort();
		if (!period)
			continue;
		p->sweep.fns_at = p->sweep.texts_at = 0;
		if (gn_pipeline_period(p, &m))
			abort();
		if (end)
			same(c, "start", m->start, end);
		end = m->end;
		take_model(c, t, m);
		check_memory(c, p);
	}
	if (gn_pipeline_finish(p, &m))
		abort();
	take_model(c, t, m);
	gn_pipeline_free(p);
}

static bool run(const struct sim_opts *opts, enum gn_classify classify,
		enum how_same how)
{
	struct compare c = {.lossy = opts->loss_permille > 0,
			    .how = how,
			    .app = classify == GN_CLASSIFY_EXACT,
			    .ok = true};
	struct oracle *o = calloc(1, sizeof(*o));
	struct totals *got = calloc(1, sizeof(*got));
	struct totals *want = calloc(1, sizeof(*want));
	struct stream s = {0};
	struct gn_model *m;

	if (!o || !got || !want)
		abort();
	o->classify = classify;
	simulate(opts, &s, o);
	m = stream_model(&s, classify);
	add_model(want, m);
	run_live(&c, &s, classify, got);
	compare_all(&c, got, want);
	gn_model_free(m);
	stream_free(&s);
	free(o);
	free(got);
	free(want);
	return c.ok;
}

static bool run_seed(uint64_t seed)
{
	struct sim_opts opts = {.seed = seed,
				.steps = 20 + (int)(seed * 7 % 300),
				.now_permille = 20 + (int)(seed % 5) * 100,
				.calm = true};

	if (!run(&opts, GN_CLASSIFY_EXACT, SAME_ALL) ||
	    !run(&opts, GN_CLASSIFY_INTERVAL, SAME_ALL))
		return false;
	opts.late = true;
	if (!run(&opts, GN_CLASSIFY_EXACT, SAME_THREADS))
		return false;
	opts.calm = false;
	if (!run(&opts, GN_CLASSIFY_EXACT, SAME_CALLS))
		return false;
	opts.loss_permille = (int)(seed % 4) * 50;
	return run(&opts, GN_CLASSIFY_EXACT, SAME_CALLS);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 800;
	uint64_t i;

	for (i = seed; i < seed + count; i++) {
		if (run_seed(i))
			continue;
		printf("seed %" PRIu64 "\n", i);
		return 1;
	}
	return 0;
}
