// SPDX-License-Identifier: BSD-2-Clause
/* Finds which probe made a record, and what that probe costs. */
#include "model/probecost.h"

#include <gnomon/runtime_event_info.h>

/*
 * The difference between two measurements shows how much hits between them can
 * vary. If other load changes the machine's speed, that is most of the error.
 * The first measurement has nothing to compare with.
 */
static uint32_t drift(const struct gn_pipeline *p, const struct gn_rec_cost *r)
{
	const struct gn_model_cost *c = &p->costs[r->id];
	uint64_t was = (uint64_t)c->before_ns + c->after_ns;
	uint64_t is = (uint64_t)r->before_ns + r->after_ns;
	uint64_t ns = is > was ? is - was : was - is;

	if (!c->samples)
		return (uint32_t)(is / GN_COST_ERROR_SHARE);
	return (uint32_t)((3 * (uint64_t)p->drifts[r->id] + ns) / 4);
}

/* The possible error of the cost of one hit. */
static uint32_t error_of(const struct gn_model_cost *c, uint32_t drift)
{
	uint64_t share =
		((uint64_t)c->before_ns + c->after_ns) / GN_COST_ERROR_SHARE;

	if (share < c->spread_ns)
		share = c->spread_ns;
	return (uint32_t)(share + drift);
}

static uint32_t part_of(uint32_t error, uint32_t ns, uint32_t other)
{
	uint64_t sum = (uint64_t)ns + other;

	return sum ? (uint32_t)((uint64_t)error * ns / sum) : 0;
}

/* The cost of each hit of a class until the next measurement. */
static struct gn_hit_cost hit_of(const struct gn_model_cost *c, uint32_t drift,
				 int32_t turn)
{
	struct gn_hit_cost hit = {.error = error_of(c, drift)};

	for (int turned = 0; turned < 2; turned++) {
		int64_t ns = (int64_t)c->before_ns + (turned ? turn : 0);

		hit.before[turned] = ns > 0 ? (uint32_t)ns : 0;
		/* split the error in proportion to the two parts: that after a
		 * record is long in a single step, and is the caller's */
		hit.error_after[turned] =
			part_of(hit.error, c->after_ns, hit.before[turned]);
	}
	return hit;
}

void gn_cost_take(struct gn_pipeline *p, const struct gn_rec_cost *r)
{
	struct gn_model_cost *c;

	/* ignore classes of a later version: nothing refers to them */
	if (r->id == GN_PROBE_NONE || r->id >= GN_PROBE_CLASS_COUNT ||
	    !r->samples)
		return;
	gn_cost_settle(p);
	c = &p->costs[r->id];
	p->drifts[r->id] = drift(p, r);
	c->samples = r->samples;
	c->before_ns = r->before_ns;
	c->after_ns = r->after_ns;
	c->spread_ns = r->spread_ns;
	p->hit[r->id] = hit_of(c, p->drifts[r->id], r->turn_ns);
	p->costed = true;
}

/* Files of older versions lack the cost of a single-stepped enter with a return
 * probe. */
static enum gn_probe_class enter_class(const struct gn_pipeline *p,
				       const struct gn_fn *fn)
{
	if (fn->enter_class == GN_PROBE_STEPPED &&
	    fn->leave_class == GN_PROBE_RETURN &&
	    p->costs[GN_PROBE_STEPPED_CALL].samples)
		return GN_PROBE_STEPPED_CALL;
	return fn->enter_class;
}

static enum gn_probe_class native_class(struct gn_pipeline *p,
					const struct gn_rec_func *r)
{
	struct gn_names *n = &p->stage.names;
	uint32_t fn = gn_names_native(n, r->func);

	if (fn == GN_NONE)
		return GN_PROBE_NONE;
	if (r->h.flags & GN_F_OWN)
		return GN_PROBE_FAST;
	if (r->h.flags & GN_F_EMULATED)
		return GN_PROBE_EMULATED;
	if (r->h.kind == GN_KIND_ENTER || r->h.kind == GN_KIND_HIT)
		return enter_class(p, &n->fns[fn]);
	return n->fns[fn].leave_class;
}

static enum gn_probe_class runtime_class(const struct gn_thread *t,
					 const struct gn_rec_func *r)
{
	if ((r->h.kind == GN_KIND_JIT_BEGIN || r->h.kind == GN_KIND_JIT_END) &&
	    GN_RUNTIME_IS_DOTNET(GN_FUNC_RUNTIME(r->func)))
		return r->h.flags & GN_F_OWN ? GN_PROBE_FAST : GN_PROBE_MANAGED;
	if (t->ringed && GN_KIND_IS_OF_STACK(r->h.kind) &&
	    r->h.kind != GN_KIND_UNWIND_BEGIN && !(r->h.flags & GN_F_PROBED))
		return GN_PROBE_FAST;
	return r->h.flags & GN_F_NAMED ? GN_PROBE_NAMED : GN_PROBE_MANAGED;
}

enum gn_probe_class gn_cost_class(struct gn_pipeline *p,
				  const struct gn_thread *t,
				  const struct gn_rec_func *r)
{
	switch (r->h.kind) {
	case GN_KIND_ENTER:
	case GN_KIND_LEAVE:
	case GN_KIND_TAILCALL:
	case GN_KIND_HIT:
		if (GN_FUNC_RUNTIME(r->func) == GN_RUNTIME_NATIVE)
			return native_class(p, r);
		return runtime_class(t, r);
	case GN_KIND_LANDED:
		return r->h.flags & GN_F_EMULATED ? GN_PROBE_EMULATED
						  : GN_PROBE_STEPPED;
	case GN_KIND_EXIT:
	case GN_KIND_STOP:
	case GN_KIND_EXEC:
	case GN_KIND_HOOK_WAITS:
		/* no probe wrote this record */
		return GN_PROBE_NONE;
	default:
		return runtime_class(t, r);
	}
}

void gn_cost_settle(struct gn_pipeline *p)
{
	for (int class = 0; class < GN_PROBE_CLASS_COUNT; class ++) {
		const struct gn_hit_cost *hit = &p->hit[class];
		struct gn_cost_sums *sums = &p->cost_sums[class];

		for (int turned = 0; turned < 2; turned++) {
			uint64_t n = p->unsettled[class][turned];

			p->hits[class] += n;
			sums->before += n * hit->before[turned];
			sums->after += n * p->costs[class].after_ns;
			sums->error += n * hit->error;
			p->unsettled[class][turned] = 0;
		}
	}
}

void gn_cost_first(struct gn_pipeline *p, struct gn_ending *e)
{
	p->unsettled[GN_PROBE_FIRST][0]++;
	if (p->opts.raw)
		return;
	e->after += p->costs[GN_PROBE_FIRST].after_ns;
	e->error_after += p->hit[GN_PROBE_FIRST].error;
}

/* A conditional jump that was not taken to leave is a hit without a record. */
static void add_silent(struct gn_pipeline *p, uint32_t n, struct gn_ending *e)
{
	const struct gn_model_cost *jump = &p->costs[GN_PROBE_EMULATED];

	p->unsettled[GN_PROBE_EMULATED][0] += n;
	if (p->opts.raw)
		return;
	e->before += n * (jump->before_ns + jump->after_ns);
	e->error_before += n * p->hit[GN_PROBE_EMULATED].error;
}

void gn_cost_note(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_func *r, struct gn_ending *e)
{
	gn_cost_hit(p, t, r, gn_cost_class(p, t, r), e);
	if (GN_F_SILENT(r->h.flags))
		add_silent(p, GN_F_SILENT(r->h.flags), e);
}

/* Events without a family are of a later version. */
static void add_to_family(struct gn_pipeline *p, uint32_t event, uint64_t ns)
{
	unsigned int family = gn_rt_info(event)->family;
	struct gn_model_events_cost *cost;

	if (!family)
		return;
	cost = &p->family_costs[__builtin_ctz(family)];
	cost->hits++;
	cost->ns += ns;
}

void gn_cost_event(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_event *r)
{
	const struct gn_hit_cost *hit = &p->hit[GN_PROBE_MANAGED];
	uint64_t ns =
		(uint64_t)hit->before[0] + p->costs[GN_PROBE_MANAGED].after_ns;

	p->unsettled[GN_PROBE_MANAGED][0]++;
	if (p->opts.raw)
		return;
	t->events_cost.open += ns;
	t->events_cost.error += hit->error;
	t->events_cost.all += ns;
	add_to_family(p, r->event, ns);
}

struct gn_model_cost gn_cost_mean(const struct gn_pipeline *p, int class)
{
	const struct gn_cost_sums *sums = &p->cost_sums[class];
	struct gn_model_cost mean = p->costs[class];

	mean.hits = p->hits[class];
	if (!mean.hits || !mean.samples)
		return mean;
	mean.before_ns = (uint32_t)(sums->before / mean.hits);
	mean.after_ns = (uint32_t)(sums->after / mean.hits);
	mean.spread_ns = (uint32_t)(sums->error / mean.hits);
	return mean;
}
