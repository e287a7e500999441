/* SPDX-License-Identifier: BSD-2-Clause */
/* What runtimes report about themselves: stretches and instants of threads, in
 * rows; and sums of what can be too many for rows. */
#ifndef GNOMON_MODEL_EVENTS_H
#define GNOMON_MODEL_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/collectors.h"
#include "model/model.h"
#include "model/table.h"

struct gn_pipeline;
struct gn_thread;

/* Limit of a thread's open stretches, and of its uncaught exceptions. The end
 * of a stretch beyond it is not known. */
#define GN_EVENTS_OPEN 64

struct gn_event_row {
	uint64_t start, end;
	/* of compilations and collections: CPU time of the thread, unless it
	 * only collects */
	uint64_t cpu;
	uint64_t value[GN_RT_VALUES];
	uint32_t fn, other; /* index in names; GN_NONE: none */
	uint32_t mark;	    /* of collections and of their ends */
	struct gn_thread *thread;
	uint16_t event; /* enum gn_rt: a stretch's begin; or COLLECTED */
	bool open;	/* its end was not reported */
	bool no_end;	/* its end is not known: records were lost, or it is a
			   compilation that threw */
	uint32_t gaps;	/* of collections: gaps of the thread so far */
	uint32_t execs; /* of collections: execs of the process so far */
};

/* Exceptions of one class, thrown and caught by the same functions. */
struct gn_exception_row {
	uint32_t class, thrown_in, caught_in; /* GN_NONE: not known, or none */
	uint64_t count, ns;
};

struct gn_allocation_row {
	uint32_t class, fn;
	uint64_t count, bytes;
};

struct gn_events {
	struct gn_event_row *row;
	uint32_t n, cap;
	struct gn_exception_row *exception;
	uint32_t nexceptions, exceptions_cap;
	struct gn_allocation_row *allocation;
	uint32_t nallocations, allocations_cap;
	struct gn_model_collections collections;
	struct gn_collectors collectors;
	struct gn_table pairs; /* class << 32 | thrown in -> a number */
	uint32_t npairs;
	struct gn_table by_catch; /* pair << 32 | caught in -> exception */
	struct gn_table by_place; /* class << 32 | function -> allocation */
};

/* An exception that has not been caught yet. */
struct gn_thrown {
	uint64_t time;
	uint64_t cost; /* cost of all the thread's events so far */
	uint32_t class, in;
};

/* Of a thread. */
struct gn_events_open {
	uint32_t row[GN_EVENTS_OPEN];
	uint32_t n;
	struct gn_thrown thrown[GN_EVENTS_OPEN];
	uint32_t nthrown;
};

void gn_events_free(struct gn_events *e);

/* Take an EVENT, and a collect record that is an event of a family, after it
 * was applied. Not live. 0 or -ENOMEM. */
int gn_events_take(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_event *r);
int gn_events_collect(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r, uint64_t time);
/* The thread executes another program: collections of the old one end. 0 or
 * -ENOMEM. */
int gn_events_exec(struct gn_pipeline *p, struct gn_thread *t, uint64_t time);
/* The thread's innermost `n` compilations threw, at an unknown time. */
void gn_events_thrown(struct gn_pipeline *p, struct gn_thread *t, uint32_t n);
/* Records of the thread were lost: it is not known who catches its open
 * exceptions, or when its open stretches end. */
void gn_events_lost(struct gn_pipeline *p, struct gn_thread *t);
/* A runtime started in the thread's process. */
int gn_events_started(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_thread *r);
/* The thread waited for a suspension to end. `collects`: it was for a
 * collection. */
int gn_events_stopped(struct gn_pipeline *p, struct gn_thread *t,
		      uint64_t start, uint64_t end, bool collects);
/* The thread or its program ends, and so do its open stretches. */
int gn_events_close(struct gn_pipeline *p, struct gn_thread *t, uint64_t end);

/* Fills the model's events. */
int gn_events_build(struct gn_pipeline *p, struct gn_model *m);

#endif
