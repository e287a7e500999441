/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the pipeline takes a record, by its stream:
 *   wellformed.c    checks whether it can be taken at all
 *   lives.c         finds its thread
 *   collect.c       records that end an interval, and slices
 *   call_records.c  those of them that change a stack or an async call
 *   calls.c         the fast path for most of these
 *   notes.c         records that end no interval, and those of user space
 */
#ifndef GNOMON_MODEL_TAKE_H
#define GNOMON_MODEL_TAKE_H

#include "model/build.h"
#include "model/threads.h"

/* Minimal size of a kind's records, and their stream; 0: unknown kind. */
size_t gn_rec_kind_size(enum gn_kind kind, enum gn_stream *stream);
/* `size` must be at least that. */
bool gn_rec_well_formed(const struct gn_rec *rec, size_t size);

/* Finds or makes the thread of a record. *t is NULL if the record came after
 * its thread's end. 0 or -ENOMEM. */
int gn_take_thread(struct gn_pipeline *p, const struct gn_rec *rec,
		   struct gn_thread **t);

/* Ends a thread whose end was not seen. It ended at `end` at the latest. 0 or
 * -ENOMEM. */
int gn_thread_cut(struct gn_pipeline *p, struct gn_thread *t, uint64_t end,
		  enum gn_frame_end how);
/* Records of the thread were lost in the open interval, which ends at `end`:
 * ends of its activities may be among them. */
void gn_thread_gap(struct gn_pipeline *p, struct gn_thread *t, uint64_t end);
uint64_t gn_thread_end_of(const struct gn_thread *t, uint64_t session_end);

/* Apply a record's time, and what its number shows: a reversal, or losses. */
void gn_take_time(struct gn_pipeline *p, struct gn_thread *t, uint64_t time);
void gn_take_reversal(struct gn_pipeline *p, const struct gn_order_seen *seen);
void gn_take_loss(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_order_seen *seen);

/* 0, -ENOMEM, or what the observer returned. */
int gn_take_collect(struct gn_pipeline *p, struct gn_thread *t,
		    const struct gn_rec_func *r);
/* A record that is GN_KIND_IS_OF_STACK, and one that is GN_KIND_IS_ASYNC, after
 * the interval before it is closed. 0, -ENOMEM. */
int gn_take_call(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r);
int gn_take_async(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_func *r);
/* An event of a method that the runtime itself suspends, told as its state
 * machine would have told it: `kind` is GN_KIND_IS_ASYNC. Of another function
 * it does nothing. 0, -ENOMEM. */
int gn_take_suspends(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_rec_func *r, uint32_t fn,
		     enum gn_kind kind, uint64_t state);
int gn_take_slice(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_slice *s);
/* The same as gn_take_collect() for the leading records of `n` ENTER and LEAVE
 * records of one thread, up to the first that needs more. Returns how many it
 * took. *err: 0, or -ENOMEM for the last of them. */
size_t gn_take_plain_calls(struct gn_pipeline *p, struct gn_thread *t,
			   const struct gn_rec_func *r, size_t n, int *err);
int gn_take_note(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec *rec);
int gn_take_user(struct gn_pipeline *p, const struct gn_rec *rec);

#endif
