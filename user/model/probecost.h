/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the cost of a record's probe, and counts the hits of each class. */
#ifndef GNOMON_MODEL_PROBECOST_H
#define GNOMON_MODEL_PROBECOST_H

#include "model/threads.h"

/* The class of the probe that wrote a collect record. */
enum gn_probe_class gn_cost_class(struct gn_pipeline *p,
				  const struct gn_thread *t,
				  const struct gn_rec_func *r);

/* Whether the thread's last hit was in the other direction. Stores the
 * direction of this one in `t`. */
static inline bool gn_cost_turned(struct gn_thread *t, enum gn_kind kind)
{
	enum gn_way last = t->way;

	t->way = GN_WAY_NONE;
	if (kind == GN_KIND_ENTER)
		t->way = GN_WAY_IN;
	else if (kind == GN_KIND_LEAVE || kind == GN_KIND_TAILCALL)
		t->way = GN_WAY_OUT;
	return last != GN_WAY_NONE && t->way != GN_WAY_NONE && t->way != last;
}

/* The probe classes for which the kernel needs a page in the process. */
#define GN_COST_NEEDS_PAGE                              \
	(1u << GN_PROBE_STEPPED | 1u << GN_PROBE_CALL | \
	 1u << GN_PROBE_STEPPED_CALL)

/* Whether the kernel makes that page after the record. */
static inline bool gn_cost_is_first(const struct gn_rec_func *r,
				    enum gn_probe_class class)
{
	return r->h.flags & GN_F_FIRST && GN_COST_NEEDS_PAGE >> class & 1;
}

/* Counts the making of that page, and adds its cost. */
void gn_cost_first(struct gn_pipeline *p, struct gn_ending *e);

/* Counts a hit of the class, and sets its cost and the possible error. */
static inline void gn_cost_hit(struct gn_pipeline *p, struct gn_thread *t,
			       const struct gn_rec_func *r,
			       enum gn_probe_class class, struct gn_ending *e)
{
	const struct gn_hit_cost *hit = &p->hit[class];
	bool way = gn_cost_turned(t, (enum gn_kind)r->h.kind);

	p->unsettled[class][way]++;
	if (!p->opts.raw) {
		e->before = hit->before[way] + t->events_cost.open;
		e->after = p->costs[class].after_ns;
		e->error_after = hit->error_after[way];
		e->error_before =
			hit->error - e->error_after + t->events_cost.error;
		t->events_cost.open = t->events_cost.error = 0;
	}
	if (gn_cost_is_first(r, class))
		gn_cost_first(p, e);
}

/* The same for an EVENT. It ends no interval, so both parts of its cost belong
 * to the open one. */
void gn_cost_event(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_event *r);

/* gn_cost_hit() for the record's class, and the cost of hits without
 * records. */
void gn_cost_note(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_func *r, struct gn_ending *e);

/* Takes a COST record. */
void gn_cost_take(struct gn_pipeline *p, const struct gn_rec_cost *r);

/* Adds the hits since the last measurement to the sums. */
void gn_cost_settle(struct gn_pipeline *p);

/* The mean cost of a class in the period, for the model. */
struct gn_model_cost gn_cost_mean(const struct gn_pipeline *p, int class);

#endif
