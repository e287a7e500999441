/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in, finished model out: order -> stack -> account -> call tree. Pure:
 * no clock, no I/O, no globals. Records may be hostile: sizes and lists are
 * checked, and memory grows with the number of records only; of the live view
 * not even with that.
 */
#ifndef GNOMON_MODEL_PIPELINE_H
#define GNOMON_MODEL_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include <gnomon/event.h>
#include <gnomon/roles.h>
#include "model/model.h"
#include "model/observer.h"

struct gn_pipeline;

struct gn_pipeline_opts {
	enum gn_classify classify;
	bool raw;  /* leave the probes' cost in */
	bool live; /* gn_pipeline_period() will be called: keep what it tells */
	/* is told of the walk, and outlives it; not live. NULL: nobody */
	const struct gn_observer *observer;
	struct gn_roles roles;
};

/* Returns NULL when there is no memory. */
struct gn_pipeline *gn_pipeline_new(const struct gn_pipeline_opts *opts);

/*
 * Takes one record of `size` bytes, 8-byte aligned; nothing of it is kept by
 * reference. Records of one thread come in the order in which the kernel
 * reserved them. COUNT records of one counter add up. Returns 0, -EBADMSG for a
 * record that is not well formed (it is ignored), -ENOMEM, or what the observer
 * returned. Unknown kinds are not errors.
 */
int gn_pipeline_feed(struct gn_pipeline *p, const struct gn_rec *rec,
		     size_t size);

/*
 * The live view: makes the model of the period since the last call (or the
 * start) and begins the next one; the pipeline goes on. A thread's part of the
 * period ends at its NOW record, which is to be fed just before, or at its last
 * interval's end when there was none; so what runs and what waits is in it. Of
 * what all periods say, the sum is what one model of the whole would say. Open
 * calls stay open, with their times; paths, threads and processes that are over
 * are forgotten, and so are functions of programs that are over and names that
 * nothing has any more, in time: memory is bounded by about twice of what lives
 * and by what one period brings. What tells of losses (COUNT records) is to be
 * fed before, MUTE records after: a function that is muted gives up the whole
 * of an open interval. Returns 0, or -ENOMEM: the sums of the period may be
 * gone, and the pipeline goes on.
 */
int gn_pipeline_period(struct gn_pipeline *p, struct gn_model **model);

/*
 * The live view: what a traced process can make live without end has bounds.
 * What finds no room is a record that was lost, and counted as such: a frame or
 * its path, a function of a runtime, its name.
 */
#define GN_LIVE_FRAMES	  (1u << 22)   /* room for frames of all stacks */
#define GN_LIVE_NODES	  (1u << 20)   /* call paths of a period */
#define GN_LIVE_FUNCTIONS (1u << 19)   /* of runtimes, in all programs */
#define GN_LIVE_TEXTS	  (128u << 20) /* bytes of functions' names */

/*
 * What grows with a period's length: from here on it should end, however long
 * it is to be. Ended threads; shares of threads in functions; paths and frames
 * that are new; functions, of which many may be of programs that are over.
 */
#define GN_PERIOD_ENDED	    16384u
#define GN_PERIOD_SHARES    (1u << 20)
#define GN_PERIOD_NODES	    (GN_LIVE_NODES / 4)
#define GN_PERIOD_FRAMES    (GN_LIVE_FRAMES / 4)
#define GN_PERIOD_FUNCTIONS (GN_LIVE_FUNCTIONS / 4)

bool gn_pipeline_full(const struct gn_pipeline *p);

/*
 * To be called before a period ends. A thread whose end was lost would be
 * waited for without end: when something was lost, `lives` is asked for those
 * of whom neither a record nor a look has come since the last period began. One
 * that does not live has ended, with a record that was lost. 0 or -ENOMEM.
 */
int gn_pipeline_silent(struct gn_pipeline *p,
		       bool (*lives)(void *ctx, uint32_t pid, uint32_t tid),
		       void *ctx);

/* What a function of a model is known by to the capture. */
struct gn_func_id {
	uint32_t func;
	uint32_t pid; /* 0: a native one, in all processes */
};

/* The ids of a function of the last model that was made, in processes that
 * live; at most `max`. Returns how many. */
size_t gn_pipeline_ids(struct gn_pipeline *p, const struct gn_model_function *f,
		       struct gn_func_id *ids, size_t max);

/* How intervals that end from now on are told. Best between two periods. */
void gn_pipeline_classify(struct gn_pipeline *p, enum gn_classify classify);

/* Closes open threads at the session's end (or at their last record) and makes
 * the model. The pipeline can only be freed afterwards. */
int gn_pipeline_finish(struct gn_pipeline *p, struct gn_model **model);

void gn_pipeline_free(struct gn_pipeline *p);

#endif
