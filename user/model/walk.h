/* SPDX-License-Identifier: BSD-2-Clause */
/* Telling an observer (observer.h) what the pipeline does. Without one, each of
 * these does nothing. */
#ifndef GNOMON_MODEL_WALK_H
#define GNOMON_MODEL_WALK_H

#include "model/threads.h"

/* What follows happens to `t` at `time`, or at its last event's time where that
 * was later. */
void gn_walk_at(struct gn_pipeline *p, struct gn_thread *t, uint64_t time);

/* Frames of a stack; `fn` is what the frame is of. */
void gn_walk_enter(struct gn_stage *s, const struct gn_stack *k, uint32_t fn,
		   enum gn_frame_begin how);
void gn_walk_leave(struct gn_stage *s, const struct gn_stack *k,
		   enum gn_frame_end how);
/* The frames from `at` on begin again; before, they have ended so. */
void gn_walk_end_above(struct gn_stage *s, const struct gn_stack *k,
		       uint32_t at);
void gn_walk_begin_again(struct gn_stage *s, const struct gn_stack *k,
			 uint32_t at);

/* A part of a wait that ended, or of other time of the kernel's. */
void gn_walk_slice(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_wait *part, uint64_t start, uint64_t end);
void gn_walk_gap(struct gn_pipeline *p, struct gn_thread *t, uint64_t start,
		 uint64_t end);

/* What has begun or ended of the thread's JIT and GC, as its account has them,
 * and of its suspensions. `func`: what is compiled, in the records. */
void gn_walk_activities(struct gn_pipeline *p, struct gn_thread *t,
			uint32_t func);

/* The thread is closed. */
void gn_walk_end(struct gn_pipeline *p, struct gn_thread *t);

#endif
