/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For how long all workers of a thread pool were taken: none ran out of work,
 * and they mostly waited, in pieces of work that are too short for the pool to
 * notice (starved.h is about others). A worker that finds no work waits for
 * some, so while none begins or ends to do that, work was queued, or as much
 * came as was done. Summed over spans of time, of which there is a fixed
 * number. Not in the live view.
 */
#ifndef GNOMON_MODEL_TAKEN_H
#define GNOMON_MODEL_TAKEN_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/time_class.h>
#include "model/model.h"

struct gn_pipeline;
struct gn_thread;

/* The most pools that are watched, one per process; later ones are not. */
#define GN_POOLS_MAX 64

struct gn_taken_pool;

struct gn_taken {
	struct gn_taken_pool *pools;
	uint32_t n, cap;
	uint64_t origin, width; /* of all spans, ns; width 0: none yet */
};

void gn_taken_free(struct gn_taken *k);

/*
 * The thread waited. idle: for work. A worker's waits outside of traced
 * functions count as such: they may be. Sets *ns to the part that was in its
 * work, or 0. 0 or -ENOMEM.
 */
int gn_taken_waited(struct gn_pipeline *p, const struct gn_thread *t,
		    enum gn_class class, bool idle, uint64_t start,
		    uint64_t end, uint64_t *ns);

/* The thread has ended. 0 or -ENOMEM. */
int gn_taken_lived(struct gn_pipeline *p, const struct gn_thread *t);

/* Sets the time of the pool that was taken for the longest time. */
void gn_taken_build(const struct gn_pipeline *p,
		    struct gn_model_starvation *out);

#endif
