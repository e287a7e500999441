/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows an observer (observer.h) what the pipeline does. Without an observer
 * these functions do nothing; those needed for each record check that
 * inline. */
#ifndef GNOMON_MODEL_WALK_H
#define GNOMON_MODEL_WALK_H

#include <gnomon/spec.h>
#include "model/threads.h"

/* The next events of `t` are at `time`, or at its last event's time if that is
 * later. */
void gn_walk_show_at(struct gn_pipeline *p, struct gn_thread *t, uint64_t time);
static inline void gn_walk_at(struct gn_pipeline *p, struct gn_thread *t,
			      uint64_t time)
{
	if (p->stage.walk.to)
		gn_walk_show_at(p, t, time);
}

/* Frames of a stack. `fn` is the frame's function. */
void gn_walk_show_enter(struct gn_stage *s, const struct gn_stack *k,
			uint32_t fn, enum gn_frame_begin how);
static inline void gn_walk_enter(struct gn_stage *s, const struct gn_stack *k,
				 uint32_t fn, enum gn_frame_begin how)
{
	if (s->walk.to)
		gn_walk_show_enter(s, k, fn, how);
}

void gn_walk_show_leave(struct gn_stage *s, const struct gn_stack *k,
			enum gn_frame_end how);
static inline void gn_walk_leave(struct gn_stage *s, const struct gn_stack *k,
				 enum gn_frame_end how)
{
	if (s->walk.to)
		gn_walk_show_leave(s, k, how);
}

/* End the frames from `at` on for the moment, and begin them again. */
void gn_walk_end_above(struct gn_stage *s, const struct gn_stack *k,
		       uint32_t at);
void gn_walk_begin_again(struct gn_stage *s, const struct gn_stack *k,
			 uint32_t at);

/* A part of an ended wait, or of other time in the kernel. */
void gn_walk_slice(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_wait *part, uint64_t start, uint64_t end);
/* An interval was closed, but not charged yet. */
void gn_walk_show_interval(struct gn_pipeline *p, struct gn_thread *t,
			   const struct gn_interval *iv);
static inline void gn_walk_interval(struct gn_pipeline *p, struct gn_thread *t,
				    const struct gn_interval *iv)
{
	if (p->stage.walk.to && iv->elapsed)
		gn_walk_show_interval(p, t, iv);
}

/* Values of a hit, whose records come before the hit's. */
struct gn_walk_held {
	uint32_t n;
	struct gn_rec_value value[GN_VALUES_MAX];
};

/* Takes a VALUE record. */
void gn_walk_value(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_value *r);
/* Shows the values of the hit, whose frame is on top. */
void gn_walk_show_held(struct gn_pipeline *p, struct gn_thread *t,
		       uint32_t func);
static inline void gn_walk_hit(struct gn_pipeline *p, struct gn_thread *t,
			       uint32_t func)
{
	if (t->held)
		gn_walk_show_held(p, t, func);
}
/* The hit of these values does not follow: it is another one, or was lost. */
static inline void gn_walk_drop_held(struct gn_thread *t)
{
	if (t->held)
		t->held->n = 0;
}
void gn_walk_gap(struct gn_pipeline *p, struct gn_thread *t, uint64_t start,
		 uint64_t end);

/*
 * Shows which JIT and GC activities of the thread have begun or ended,
 * according to its account, and its suspensions. `func`: the compiled function,
 * as in records.
 */
void gn_walk_show_activities(struct gn_pipeline *p, struct gn_thread *t,
			     uint32_t func);
static inline void gn_walk_activities(struct gn_pipeline *p,
				      struct gn_thread *t, uint32_t func)
{
	if (p->stage.walk.to)
		gn_walk_show_activities(p, t, func);
}

/* Takes a record that may be the begin or end of a collection. */
void gn_walk_show_collection(struct gn_pipeline *p, struct gn_thread *t,
			     const struct gn_rec_func *r, uint64_t time);
static inline void gn_walk_collection(struct gn_pipeline *p,
				      struct gn_thread *t,
				      const struct gn_rec_func *r,
				      uint64_t time)
{
	if (p->stage.walk.to &&
	    (r->h.kind == GN_KIND_GC_BEGIN || r->h.kind == GN_KIND_GC_END))
		gn_walk_show_collection(p, t, r, time);
}

/* All threads are closed: ends background collections that are still open. */
void gn_walk_finish(struct gn_pipeline *p);

/* Shows an event. The walk must be at its time. */
void gn_walk_event(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_event_row *row);

/* The thread is closed: shows its end. */
void gn_walk_end(struct gn_pipeline *p, struct gn_thread *t);

#endif
