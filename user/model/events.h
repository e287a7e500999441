/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What runtimes tell of themselves: stretches and instants of threads, in rows;
 * and sums where there can be too many.
 */
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

/* Stretches of one thread that are open at once; exceptions likewise. What
 * finds no room has no end that is known. */
#define GN_EVENTS_OPEN 64

struct gn_event_row {
	uint64_t start, end;
	/* compilations and collections: of the thread, not if it only collects
	 */
	uint64_t cpu;
	uint64_t value[GN_RT_VALUES];
	uint32_t fn, other; /* index in names, GN_NONE: none */
	uint32_t mark;	    /* of collections, and of their ends */
	struct gn_thread *thread;
	uint16_t event; /* enum gn_rt: the begin of a stretch; COLLECTED too */
	bool open;	/* its end was not told */
	bool no_end;	/* records were lost, or it is a compilation that threw:
			   when it ended is not known */
	uint32_t gaps;	/* of collections: the thread's so far */
	uint32_t execs; /* of collections: of its process so far */
};

/* Exceptions of a class that were thrown and caught by the same functions. */
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
	uint64_t cost; /* of all the thread's events then */
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

/* An EVENT; and a COLLECT that is one of a family, after it was taken. Not
 * live. 0 or -ENOMEM. */
int gn_events_take(struct gn_pipeline *p, struct gn_thread *t,
		   const struct gn_rec_event *r);
int gn_events_collect(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_func *r, uint64_t time);
/* Another program takes the place of the thread's: collections of that end. 0
 * or -ENOMEM. */
int gn_events_exec(struct gn_pipeline *p, struct gn_thread *t, uint64_t time);
/* The innermost `n` compilations of the thread threw, at a time that is not
 * known. */
void gn_events_thrown(struct gn_pipeline *p, struct gn_thread *t, uint32_t n);
/* Records of the thread were lost: who catches what it has thrown is not
 * known, nor when what goes on ends. */
void gn_events_lost(struct gn_pipeline *p, struct gn_thread *t);
/* A runtime began in the thread's process. */
int gn_events_started(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_thread *r);
/* The thread waited for the end of a suspension; `collects`: it was for a
 * collection. */
int gn_events_stopped(struct gn_pipeline *p, struct gn_thread *t,
		      uint64_t start, uint64_t end, bool collects);
/* The thread is over, or its program is: what was open has ended. */
int gn_events_close(struct gn_pipeline *p, struct gn_thread *t, uint64_t end);

/* Fills the model's events. */
int gn_events_build(struct gn_pipeline *p, struct gn_model *m);

#endif
