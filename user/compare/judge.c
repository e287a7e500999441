/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/judge.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

struct judge {
	const struct gn_comparison *c;
	const char *unsound;
	struct gn_verdicts *out;
};

static bool matches(const struct gn_budget_rule *r, const struct gn_item *item)
{
	return item->part == r->part &&
	       (!fnmatch(r->name, item->name, 0) ||
		(item->shown && !fnmatch(r->name, item->shown, 0))) &&
	       (!r->module || !fnmatch(r->module, item->module, 0));
}

static uint64_t size_of(const struct gn_measure *m, enum gn_part part)
{
	return m->value[part == GN_PART_FUNCTION ? GN_METRIC_elapsed_excl
						 : GN_METRIC_elapsed_incl];
}

static bool large_enough(const struct judge *j, const struct gn_budget_rule *r,
			 const struct gn_item *item)
{
	size_t n = j->c->runs[GN_BASE] + j->c->runs[GN_NEW];

	for (size_t i = 0; i < n; i++)
		if (size_of(&item->runs[i], r->part) >= r->at_least)
			return true;
	return false;
}

static bool doubtful(const struct judge *j, const struct gn_item *item)
{
	size_t n = j->c->runs[GN_BASE] + j->c->runs[GN_NEW];

	for (size_t i = 0; i < n; i++)
		if (item->runs[i].doubtful)
			return true;
	return false;
}

static bool copied(const struct judge *j, const struct gn_item *item)
{
	size_t n = j->c->runs[GN_BASE] + j->c->runs[GN_NEW];

	for (size_t i = 0; i < n; i++)
		if (item->runs[i].copied)
			return true;
	return false;
}

/* How much the value may exceed the base. */
static double room(const struct gn_limit *l, double base)
{
	return l->kind == GN_LIMIT_OVER_PCT ? base * l->value / 100 : l->value;
}

/* Judges against the base: unknown if the noise is larger than the increase
 * that the limit allows. The error because of probes is about the same on both
 * sides, so a value within the limit is; but it can also be all of an
 * increase. */
static void weigh(const struct gn_limit *l, struct gn_verdict *v)
{
	const struct gn_estimate *base = &v->of[GN_BASE], *now = &v->of[GN_NEW];
	double may = room(l, base->value);
	double of_base = gn_estimate_doubt(base);
	double of_now = gn_estimate_doubt(now);

	v->most = base->value + may;
	if (now->value > v->most) {
		v->judged = GN_JUDGED_BREACHED;
		if (now->value - of_now - base->error > v->most ||
		    of_now + of_base <= may)
			return;
	} else if (base->noise <= may || now->value <= base->value) {
		return;
	}
	v->judged = GN_JUDGED_UNKNOWN;
	v->why = "the captures of one side differ by more than the limit "
		 "allows; repeat them more often";
	if (now->value > v->most && (base->error > 0 || now->error > 0))
		v->why = "the cost of its probes is not known well enough for "
			 "this limit; limit its calls instead";
}

static void weigh_alone(const struct gn_limit *l, struct gn_verdict *v)
{
	v->most = l->value;
	if (v->of[GN_NEW].value > v->most)
		v->judged = GN_JUDGED_BREACHED;
}

/* Whether each call has some of this time. */
static bool is_of_calls(int metric)
{
	switch (metric) {
	case GN_METRIC_app_excl:
	case GN_METRIC_app_incl:
	case GN_METRIC_elapsed_excl:
	case GN_METRIC_elapsed_incl:
	case GN_METRIC_CLASS + GN_CLASS_APP:
		return true;
	default:
		return false;
	}
}

/* Whether the base is 0 only because calls are shorter than their probes, whose
 * cost is subtracted. A percentage of 0 would allow nothing. */
static bool is_all_cost(const struct judge *j, const struct gn_limit *l,
			const struct gn_item *item,
			const struct gn_estimate *base)
{
	if (l->kind != GN_LIMIT_OVER_PCT || item->part != GN_PART_FUNCTION ||
	    base->value > 0 || !is_of_calls(l->metric))
		return false;
	for (size_t i = 0; i < j->c->runs[GN_BASE]; i++)
		if (item->runs[i].value[GN_METRIC_calls])
			return true;
	return false;
}

/* Why an item cannot be judged; NULL: it can. */
static const char *obstacle(const struct judge *j, const struct gn_limit *l,
			    const struct gn_item *item)
{
	bool compares = l->kind >= GN_LIMIT_OVER_PCT;

	if (l->metric == GN_METRIC_lost)
		return NULL;
	if (j->unsound)
		return j->unsound;
	if (doubtful(j, item))
		return "calls or times of it are missing, see its mark in the "
		       "report";
	if (copied(j, item))
		return "the compiler may have copied it into callers; name it "
		       "with -f, or record with --inline refuse";
	if (!item->in[GN_NEW])
		return "it is not in the new captures";
	if (compares && !item->in[GN_BASE])
		return "it is not in the base";
	if (compares && gn_metric_is_time(l->metric) && j->c->unlike)
		return j->c->unlike;
	if (compares && gn_metric_is_time(l->metric) &&
	    (j->c->runs[GN_BASE] < 2 || j->c->runs[GN_NEW] < 2))
		return "the noise of a single capture is not known; record "
		       "both sides with -r 5";
	return NULL;
}

/* Whether captures without the item could change the verdict. They have less of
 * it than the others, so with them the base or the new value could be lower.
 * They say nothing about the cost of a call. */
static bool lacks_captures(const struct judge *j, const struct gn_verdict *v)
{
	const struct gn_estimate *base = &v->of[GN_BASE], *now = &v->of[GN_NEW];

	if (v->judged == GN_JUDGED_UNKNOWN)
		return false;
	if (v->limit->reading == GN_READ_PER_CALL)
		return base->n < 2 || now->n < 2;
	return v->judged == GN_JUDGED_BREACHED ? now->n < j->c->runs[GN_NEW]
					       : base->n < j->c->runs[GN_BASE];
}

static void weigh_sides(const struct judge *j, const struct gn_limit *l,
			struct gn_verdict *v)
{
	weigh(l, v);
	if (!lacks_captures(j, v))
		return;
	v->judged = GN_JUDGED_UNKNOWN;
	v->why = "not all captures of one side have it; let each do the same "
		 "work, or limit its time _per_call or its calls";
}

static int keep(struct judge *j, const struct gn_verdict *v)
{
	struct gn_verdict *grown;

	grown = reallocarray(j->out->at, j->out->n + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	j->out->at = grown;
	grown[j->out->n++] = *v;
	j->out->count[v->judged]++;
	return 0;
}

static int judge_limit(struct judge *j, const struct gn_budget_rule *r,
		       const struct gn_limit *l, const struct gn_item *item)
{
	struct gn_verdict v = {.rule = r,
			       .limit = l,
			       .name = item->name,
			       .shown = item->shown ? item->shown : item->name,
			       .module = item->module};
	enum gn_reading reading =
		l->kind == GN_LIMIT_SHARE ? GN_READ_SHARE : l->reading;

	for (int side = 0; side < GN_SIDE_COUNT; side++) {
		int err = gn_estimate(j->c, item, (enum gn_side)side, l->metric,
				      reading, false, &v.of[side]);

		if (err)
			return err;
	}
	v.why = obstacle(j, l, item);
	if (!v.why && is_all_cost(j, l, item, &v.of[GN_BASE]))
		v.why = "its calls are shorter than what probes cost, so its "
			"time is not known; limit its calls instead";
	if (v.why)
		v.judged = GN_JUDGED_UNKNOWN;
	else if (l->kind >= GN_LIMIT_OVER_PCT)
		weigh_sides(j, l, &v);
	else
		weigh_alone(l, &v);
	return keep(j, &v);
}

static int judge_item(struct judge *j, const struct gn_budget_rule *r,
		      const struct gn_item *item)
{
	int err = 0;

	for (size_t i = 0; i < r->nlimits && !err; i++)
		err = judge_limit(j, r, &r->limits[i], item);
	return err;
}

/* Judges all that match as one item. Its names are the rule's glob, so the
 * verdicts' texts outlive it. */
static int judge_sum(struct judge *j, const struct gn_budget_rule *r)
{
	size_t n = j->c->runs[GN_BASE] + j->c->runs[GN_NEW];
	struct gn_item *all;
	bool any = false;
	int err;

	all = calloc(1, sizeof(*all) + n * sizeof(all->runs[0]));
	if (!all)
		return -ENOMEM;
	all->part = r->part;
	all->name = (char *)r->name;
	all->module = "";
	for (size_t i = 0; i < j->c->nitems; i++) {
		const struct gn_item *item = j->c->items[i];

		if (!matches(r, item))
			continue;
		any = true;
		gn_item_sum(j->c, all, item);
	}
	err = any ? judge_item(j, r, all) : -ENOENT;
	free(all);
	return err;
}

/* An item that a pattern matches and that came or went says nothing about the
 * others. An item that is named by itself must not be missing. */
static bool can_be_left_out(const struct judge *j,
			    const struct gn_budget_rule *r,
			    const struct gn_item *item)
{
	return strpbrk(r->name, "*?[") && r->part != GN_PART_TOTAL &&
	       j->c->runs[GN_BASE] && (!item->in[GN_BASE] || !item->in[GN_NEW]);
}

/* 0, -ENOMEM, -ENOENT: nothing is left that matches; `why`: a sentence. */
static int judge_each(struct judge *j, const struct gn_budget_rule *r,
		      const char **why)
{
	int status = -ENOENT, err = 0;

	for (size_t i = 0; i < j->c->nitems && !err; i++) {
		const struct gn_item *item = j->c->items[i];

		if (!matches(r, item))
			continue;
		if (can_be_left_out(j, r, item)) {
			*why = item->in[GN_BASE]
				       ? "what it matches is in the base only"
				       : "what it matches is in the new "
					 "captures only";
			continue;
		}
		status = 0;
		if (large_enough(j, r, item))
			err = judge_item(j, r, item);
	}
	return err ? err : status;
}

/* If a glob matches nothing, its limits cannot be judged. */
static int judge_none(struct judge *j, const struct gn_budget_rule *r,
		      const char *why)
{
	int err = 0;

	for (size_t i = 0; i < r->nlimits && !err; i++) {
		struct gn_verdict v = {
			.judged = GN_JUDGED_UNKNOWN,
			.rule = r,
			.limit = &r->limits[i],
			.name = r->name,
			.shown = r->name,
			.module = r->module ? r->module : "",
			.why = why,
		};

		err = keep(j, &v);
	}
	return err;
}

static int by_weight(const void *a, const void *b)
{
	const struct gn_verdict *x = a, *y = b;
	int order = (int)y->judged - (int)x->judged;

	if (!order && x->rule != y->rule)
		order = x->rule < y->rule ? -1 : 1;
	if (!order)
		order = strcmp(x->name, y->name);
	if (!order)
		order = strcmp(x->module, y->module);
	return order ? order : (x->limit > y->limit) - (x->limit < y->limit);
}

int gn_judge(const struct gn_budget *b, const struct gn_comparison *c,
	     const char *unsound, struct gn_verdicts *out)
{
	struct judge j = {c, unsound, out};
	int err = 0;

	*out = (struct gn_verdicts){0};
	for (size_t i = 0; i < b->nrules && !err; i++) {
		const struct gn_budget_rule *r = &b->rules[i];
		const char *why = "no capture has one of that name; is it "
				  "traced?";

		err = r->sum ? judge_sum(&j, r) : judge_each(&j, r, &why);
		if (err == -ENOENT)
			err = judge_none(&j, r, why);
	}
	if (!err && out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_weight);
	return err;
}

void gn_verdicts_clear(struct gn_verdicts *v)
{
	free(v->at);
	*v = (struct gn_verdicts){0};
}
