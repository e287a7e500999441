/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pipeline takes records and makes the finished model: order -> stack ->
 * account -> call tree. It is pure: no clock, no I/O, no globals. Records may
 * be hostile: sizes and lists are checked. Memory grows with the number of
 * records only, and the call tree and the rows of ended threads have limits. In
 * the live view all of it is bounded.
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
	bool raw;  /* do not subtract probe cost */
	bool live; /* gn_pipeline_period() will be called */
	/* sees the walk; must outlive the pipeline; not with `live`; or NULL */
	const struct gn_observer *observer;
	struct gn_roles roles;
	/* families of events (enum gn_family): those whose rows are kept, and
	 * those shown to the observer besides activities */
	uint32_t families, observed;
	/* limit of rows of ended threads, not with `live`; 0: GN_MOST_ENDED */
	uint32_t most_ended;
};

/* Returns NULL when there is no memory. */
struct gn_pipeline *gn_pipeline_new(const struct gn_pipeline_opts *opts);

/*
 * Takes one record of `size` bytes, 8-byte aligned, and keeps no reference to
 * it. Records of one thread must come in the order in which the kernel reserved
 * them. COUNT records of one counter add up. Returns 0, -EBADMSG for a
 * malformed record (it is ignored), -ENOMEM, or an error of the observer.
 * Unknown kinds are not errors.
 */
int gn_pipeline_feed(struct gn_pipeline *p, const struct gn_rec *rec,
		     size_t size);

/* The same for `n` ENTER and LEAVE records of one thread. */
int gn_pipeline_feed_calls(struct gn_pipeline *p, const struct gn_rec_func *r,
			   size_t n);

/*
 * The live view: makes the model of the period since the last call (or the
 * start) and begins the next one.
 *
 * A thread's part of the period ends at its NOW record, which should be fed
 * just before; without one, at the end of its last interval. So the model
 * includes what runs and what waits. The sum over all periods is what one model
 * of the whole would say.
 *
 * Open calls stay open with their times. Paths, threads and processes that have
 * ended are forgotten, and in time also functions of ended programs and unused
 * names. Memory is bounded by about twice what is alive plus what one period
 * brings.
 *
 * Feed records about losses (COUNT) before this call, and MUTE records after
 * it: a function that is muted gives up the whole of an open interval. Returns
 * 0, or -ENOMEM: the sums of the period may be lost, but the pipeline goes on.
 */
int gn_pipeline_period(struct gn_pipeline *p, struct gn_model **model);

/* Limit of call paths of a whole capture. Calls on further paths go below their
 * process's `[other]`. Their functions get the calls and their own time, but
 * inclusive times lack such calls and what these called. */
#define GN_MOST_NODES (1u << 22)

/* Limit of ended threads of a whole capture that keep rows of their own. Beyond
 * it, the first ones are merged into rows of their processes. */
#define GN_MOST_ENDED 16384u

/*
 * Limits in the live view for what a traced process can create and keep alive.
 * A frame, call path, runtime function or name that exceeds them counts as a
 * lost record.
 */
#define GN_LIVE_FRAMES	  (1u << 22)   /* room for frames of all stacks */
#define GN_LIVE_NODES	  (1u << 20)   /* call paths of a period */
#define GN_LIVE_FUNCTIONS (1u << 19)   /* of runtimes, in all programs */
#define GN_LIVE_TEXTS	  (128u << 20) /* bytes of functions' names */

/*
 * Limits for what grows with the length of a period; end the period when one is
 * reached. Ended threads; shares of threads in functions; new paths and frames;
 * functions, many of which can belong to ended programs.
 */
#define GN_PERIOD_ENDED	    16384u
#define GN_PERIOD_SHARES    (1u << 20)
#define GN_PERIOD_NODES	    (GN_LIVE_NODES / 4)
#define GN_PERIOD_FRAMES    (GN_LIVE_FRAMES / 4)
#define GN_PERIOD_FUNCTIONS (GN_LIVE_FUNCTIONS / 4)

bool gn_pipeline_full(const struct gn_pipeline *p);

/*
 * Call this before a period ends. Lost records can include a thread's end. So
 * if any were lost, this calls `lives` for each thread that had neither a
 * record nor a NOW since the last period began. One that is not alive has
 * ended, and its last record counts as lost. 0 or -ENOMEM.
 */
int gn_pipeline_silent(struct gn_pipeline *p,
		       bool (*lives)(void *ctx, uint32_t pid, uint32_t tid),
		       void *ctx);

/* The capture side's id of a function. */
struct gn_func_id {
	uint32_t func;
	uint32_t pid; /* 0: native, in all processes */
};

/* Gets at most `max` ids that a function of the last model has in living
 * processes. Returns their number. */
size_t gn_pipeline_ids(struct gn_pipeline *p, const struct gn_model_function *f,
		       struct gn_func_id *ids, size_t max);

/* Sets the classification of intervals that end from now on. Best between two
 * periods. */
void gn_pipeline_classify(struct gn_pipeline *p, enum gn_classify classify);

/* Closes open threads at the session's end (or at their last record) and makes
 * the model. After that the pipeline can only be freed. */
int gn_pipeline_finish(struct gn_pipeline *p, struct gn_model **model);

void gn_pipeline_free(struct gn_pipeline *p);

#endif
