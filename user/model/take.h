/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the pipeline does with a record, by its stream:
 *   wellformed.c  whether it can be taken at all
 *   lives.c       the thread that it is of
 *   collect.c     it ends an interval, or is a slice
 *   notes.c       it ends none, or is user space's
 *   calls.c       it is a call or its end, and nothing else happened
 */
#ifndef GNOMON_MODEL_TAKE_H
#define GNOMON_MODEL_TAKE_H

#include "model/build.h"
#include "model/threads.h"

/* The minimal size of a kind's record, and its stream; 0: unknown kind. */
size_t gn_rec_kind_size(enum gn_kind kind, enum gn_stream *stream);
/* `size` is at least that. */
bool gn_rec_well_formed(const struct gn_rec *rec, size_t size);

/* Finds or makes the thread of a record. *t is NULL for a record that came
 * after its thread's end. 0 or -ENOMEM. */
int gn_take_thread(struct gn_pipeline *p, const struct gn_rec *rec,
		   struct gn_thread **t);

/* Ends a thread whose end was not seen. `time`: it ended not later than that. 0
 * or -ENOMEM. */
int gn_thread_cut(struct gn_pipeline *p, struct gn_thread *t, uint64_t end,
		  enum gn_frame_end how);
/* Its records were lost in the open interval, which ends at `end`: the ends of
 * what it did can be among them. */
void gn_thread_gap(struct gn_pipeline *p, struct gn_thread *t, uint64_t end);
uint64_t gn_thread_end_of(const struct gn_thread *t, uint64_t session_end);

/* Takes a record's time, and the losses that its number shows. */
void gn_take_time(struct gn_pipeline *p, struct gn_thread *t, uint64_t time);
void gn_take_reversal(struct gn_pipeline *p, const struct gn_order_seen *seen);
void gn_take_loss(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_order_seen *seen);

/* 0, -ENOMEM, or what the observer returned. */
int gn_take_collect(struct gn_pipeline *p, struct gn_thread *t,
		    const struct gn_rec_func *r);
int gn_take_slice(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_slice *s);
/* The same as gn_take_collect() for the first of `n` ENTER and LEAVE records of
 * one thread: for those of before the first that needs more. Returns how many;
 * *err: 0, or -ENOMEM of the last of them. */
size_t gn_take_plain_calls(struct gn_pipeline *p, struct gn_thread *t,
			   const struct gn_rec_func *r, size_t n, int *err);
int gn_take_note(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec *rec);
int gn_take_user(struct gn_pipeline *p, const struct gn_rec *rec);

#endif
