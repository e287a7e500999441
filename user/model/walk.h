/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows an observer (observer.h) what the pipeline does. Without an observer,
 * none of these does anything; those of every record are asked that here. */
#ifndef GNOMON_MODEL_WALK_H
#define GNOMON_MODEL_WALK_H

#include <gnomon/spec.h>
#include "model/threads.h"

/* The next events happen to `t` at `time`, or at the time of its last event if
 * that is later. */
void gn_walk_show_at(struct gn_pipeline *p, struct gn_thread *t, uint64_t time);
static inline void gn_walk_at(struct gn_pipeline *p, struct gn_thread *t,
			      uint64_t time)
{
	if (p->stage.walk.to)
		gn_walk_show_at(p, t, time);
}

/* Frames of a stack; `fn` is the function of the frame. */
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

/* The frames from `at` on begin again; gn_walk_end_above() ended them
 * before. */
void gn_walk_end_above(struct gn_stage *s, const struct gn_stack *k,
		       uint32_t at);
void gn_walk_begin_again(struct gn_stage *s, const struct gn_stack *k,
			 uint32_t at);

/* A part of an ended wait, or of other time in the kernel. */
void gn_walk_slice(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_wait *part, uint64_t start, uint64_t end);
/* An interval is closed, and not charged yet. */
void gn_walk_show_interval(struct gn_pipeline *p, struct gn_thread *t,
			   const struct gn_interval *iv);
static inline void gn_walk_interval(struct gn_pipeline *p, struct gn_thread *t,
				    const struct gn_interval *iv)
{
	if (p->stage.walk.to && iv->elapsed)
		gn_walk_show_interval(p, t, iv);
}

/* Values of a hit, which come before it. */
struct gn_walk_held {
	uint32_t n;
	struct gn_rec_value value[GN_VALUES_MAX];
};

/* A VALUE record. */
void gn_walk_value(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_value *r);
/* The hit's frame is on top: shows its values. */
void gn_walk_show_held(struct gn_pipeline *p, struct gn_thread *t,
		       uint32_t func);
static inline void gn_walk_hit(struct gn_pipeline *p, struct gn_thread *t,
			       uint32_t func)
{
	if (t->held)
		gn_walk_show_held(p, t, func);
}
/* The hit that they are of does not come: it is another, or lost. */
static inline void gn_walk_drop_held(struct gn_thread *t)
{
	if (t->held)
		t->held->n = 0;
}
void gn_walk_gap(struct gn_pipeline *p, struct gn_thread *t, uint64_t start,
		 uint64_t end);

/*
 * Shows the JIT and GC activities of the thread that have begun or ended, as
 * its account has them, and its suspensions. `func`: the function that is
 * compiled, as in the records.
 */
void gn_walk_show_activities(struct gn_pipeline *p, struct gn_thread *t,
			     uint32_t func);
static inline void gn_walk_activities(struct gn_pipeline *p,
				      struct gn_thread *t, uint32_t func)
{
	if (p->stage.walk.to)
		gn_walk_show_activities(p, t, func);
}

/* A record that can be the begin or the end of a collection. */
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

/* All threads are closed: ends what goes on. */
void gn_walk_finish(struct gn_pipeline *p);

/* An event; the walk is at its time. */
void gn_walk_event(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_event_row *row);

/* The thread is closed. */
void gn_walk_end(struct gn_pipeline *p, struct gn_thread *t);

#endif
