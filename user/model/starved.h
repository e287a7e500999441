/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When a thread pool starved. The thread that watches a pool (GN_ROLE_GATE)
 * makes a worker only if work is queued and no worker is free: each of them is
 * in the middle of its work. So that is a moment of starvation if they wait
 * there. Not in the live view.
 */
#ifndef GNOMON_MODEL_STARVED_H
#define GNOMON_MODEL_STARVED_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/time_class.h>
#include "model/model.h"

struct gn_pipeline;
struct gn_thread;

/* The most moments that are kept; later ones are not. */
#define GN_MOMENTS_MAX 4096

struct gn_moment {
	uint64_t time;
	uint32_t process; /* index in processes */
	uint32_t workers, waiting;
};

struct gn_starved {
	struct gn_moment *moments; /* by time */
	uint32_t n, cap;
};

void gn_starved_free(struct gn_starved *s);

/* `creator` made a thread of its process. 0 or -ENOMEM. */
int gn_starved_made(struct gn_pipeline *p, const struct gn_thread *creator,
		    uint64_t time);

/* The thread waited. Returns in how many of the moments, if it is a worker. */
uint64_t gn_starved_waited(struct gn_pipeline *p, const struct gn_thread *t,
			   enum gn_class class, uint64_t start, uint64_t end);

/* The thread has ended. */
void gn_starved_lived(struct gn_pipeline *p, const struct gn_thread *t);

void gn_starved_build(const struct gn_pipeline *p,
		      struct gn_model_starvation *out);

#endif
