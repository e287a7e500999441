// SPDX-License-Identifier: BSD-2-Clause
#include "top/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "top/view_columns.h"
/* Sums are doubles, so that counts of a hostile model cannot overflow them. */
struct cost {
	double probes;		/* ns that probes cost */
	double base;		/* ns on CPUs without it */
	double native, managed; /* ns that a pair of hits costs */
	bool known;
};

struct candidate {
	const struct gn_model_function *f;
	double saves;
	bool tiny;
};

static double hit_ns(const struct gn_model *m, int class)
{
	return (double)m->costs[class].before_ns + m->costs[class].after_ns;
}

/* Whether at least one probe class was measured, and all that have hits were
 * measured too, except the one that is hit once per process. */
static bool known(const struct gn_model *m)
{
	bool any = false;

	for (int c = GN_PROBE_NONE + 1; c < GN_PROBE_CLASS_COUNT; c++) {
		if (m->costs[c].samples)
			any = true;
		else if (m->costs[c].hits && c != GN_PROBE_FIRST)
			return false;
	}
	return any;
}

static void find_cost(const struct gn_model *m, struct cost *out)
{
	double hits = 0, native = 0, native_hits = 0, left;

	for (int c = GN_PROBE_NONE + 1; c < GN_PROBE_CLASS_COUNT; c++) {
		double ns = (double)m->costs[c].hits * hit_ns(m, c);

		hits += ns;
		/* the first hit of a process does not predict the next ones */
		if (c == GN_PROBE_MANAGED || c == GN_PROBE_FIRST)
			continue;
		native += ns;
		native_hits += (double)m->costs[c].hits;
	}
	out->known = known(m);
	out->probes =
		m->raw ? hits
		       : (double)m->probe_cost + (double)m->probe_cost_left;
	left = m->raw ? hits : (double)m->probe_cost_left;
	out->base = (double)gn_class_cpu_ns(m->session.class_incl) - left;
	if (out->base < 0)
		out->base = 0;
	out->native = native_hits > 0 ? 2 * native / native_hits : 0;
	out->managed = 2 * hit_ns(m, GN_PROBE_MANAGED);
}

static double percent(const struct cost *c, double probes)
{
	double most = GN_TOP_SLOWDOWN_MOST;

	if (!c->known)
		return -1;
	if (probes <= 0)
		return 0;
	if (probes * 100 >= c->base * most)
		return most;
	return probes * 100 / c->base;
}

double gn_top_slowdown(const struct gn_model *m)
{
	struct cost c;

	find_cost(m, &c);
	return percent(&c, c.probes);
}

static double pair_ns(const struct cost *c, const struct gn_model_function *f)
{
	return f->runtime == GN_RUNTIME_NATIVE ? c->native : c->managed;
}

static int best_first(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order;

	if (a->tiny != b->tiny)
		return a->tiny ? -1 : 1;
	if (a->saves != b->saves)
		return a->saves > b->saves ? -1 : 1;
	order = strcmp(a->f->name, b->f->name);
	if (!order)
		order = strcmp(a->f->module, b->f->module);
	if (!order)
		order = a->f->index < b->f->index ? -1 : 1;
	return order;
}

/* The cost expected in the next period. */
static double left_cost(const struct gn_model *m, const struct cost *c,
			bool muted)
{
	double seen = 0;

	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *f = &m->functions[i];

		if (!f->muted)
			seen += (double)f->v.calls * pair_ns(c, f);
		else if (f->v.calls)
			muted = true;
	}
	return muted && seen < c->probes ? seen : c->probes;
}

/* Moves those of `list` that are worth muting to its front; returns how many.
 * `whole` includes what muted functions still cost: beside that, a rarely
 * called function does not matter. */
static size_t keep_worthy(struct candidate *list, size_t n, double whole)
{
	double least = whole / GN_TOP_BUDGET_LEAST, best = 0, sum = 0;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		sum += list[i].saves;
		if (list[i].saves > best)
			best = list[i].saves;
	}
	if (best < least && sum >= least)
		least = best / 2;
	for (size_t i = 0; i < n; i++) {
		if (list[i].saves >= least)
			list[kept++] = list[i];
	}
	return kept;
}

/* Keeps those worth muting, the best first. */
static size_t find_candidates(const struct gn_model *m, const struct cost *c,
			      const struct gn_top_budget_opts *o,
			      struct candidate *out)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nfunctions; i++) {
		const struct gn_model_function *f = &m->functions[i];
		double pair = pair_ns(c, f);
		double saves = (double)f->v.calls * pair;

		if (f->muted || saves <= 0 || (o->keep && o->keep(o->ctx, f)))
			continue;
		out[n].f = f;
		out[n].saves = saves;
		out[n].tiny =
			(double)f->v.elapsed_excl <= saves * GN_TOP_BUDGET_TINY;
		n++;
	}
	n = keep_worthy(out, n, c->probes);
	qsort(out, n, sizeof(*out), best_first);
	return n;
}

int gn_top_budget_choose(const struct gn_model *m,
			 const struct gn_top_budget_opts *o,
			 struct gn_top_budget *out)
{
	struct candidate *candidates;
	double probes, goal;
	struct cost c;
	size_t n;

	memset(out, 0, sizeof(*out));
	find_cost(m, &c);
	probes = left_cost(m, &c, o->muted);
	out->slowdown = percent(&c, c.probes);
	out->expected = percent(&c, probes);
	if (out->expected <= o->budget) /* or not known */
		return 0;
	candidates = calloc(m->nfunctions + 1, sizeof(*candidates));
	if (!candidates)
		return -ENOMEM;
	goal = c.base * o->budget / 100 * GN_TOP_BUDGET_GOAL / 100;
	n = find_candidates(m, &c, o, candidates);
	for (size_t i = 0; i < n && out->n < GN_TOP_BUDGET_MOST; i++) {
		if (probes <= goal)
			break;
		out->function[out->n++] = candidates[i].f->index;
		probes -= candidates[i].saves;
	}
	out->expected = percent(&c, probes);
	free(candidates);
	return 0;
}
