/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a pipeline that only the live view needs: what threads do when a
 * period ends, and what is kept or freed between periods. */
#ifndef GNOMON_MODEL_LIVE_LIVE_H
#define GNOMON_MODEL_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/model.h"
#include "model/table.h"

struct gn_pipeline;
struct gn_thread;

/* The content of a NOW record. */
struct gn_now {
	bool known; /* there was one in this period */
	uint8_t state, class, detail;
	uint16_t reason;
	uint64_t since, time;
};

/* A compilation or collection. end 0: under way. */
struct gn_activity {
	uint8_t class;
	uint32_t fn; /* index in names; GN_NONE: not known */
	uint64_t start, end;
};

/* The parts of a thread that only the live view needs. */
struct gn_live {
	struct gn_now now;
	/* the latest; number i is at i % GN_LIVE_ACTIVITIES */
	struct gn_activity activity[GN_LIVE_ACTIVITIES];
	uint32_t activities; /* number of begun ones; the first is number 1 */
	uint32_t under_way;  /* of those, in `activity` and under way */
};

/* The number of latest activities that are kept, and the k-th of those (0 is
 * the latest). */
static inline uint32_t gn_live_activities(const struct gn_live *l)
{
	return l->activities < GN_LIVE_ACTIVITIES ? l->activities
						  : GN_LIVE_ACTIVITIES;
}

static inline const struct gn_activity *gn_live_at(const struct gn_live *l,
						   uint32_t k)
{
	return &l->activity[(l->activities - k) % GN_LIVE_ACTIVITIES];
}

/* A thread that has ended and has no row any more. It shows that a later record
 * is late. */
struct gn_ghost {
	uint32_t tid;
	uint32_t next; /* number that its next record would have */
	const char *name;
	bool stopped;
	bool old; /* kept for a whole period already */
	/* for its children; GN_NONE in the live view */
	bool joined;
	uint32_t process;
};

struct gn_ghosts {
	struct gn_ghost *rows;
	uint32_t n, cap;
	struct gn_table by_tid;
};

/* When to sweep what is no longer used (sweep.c). */
struct gn_sweep_due {
	uint64_t texts_least, fns_least;
	uint64_t texts_at; /* size of all texts */
	uint64_t fns_at;   /* functions and programs */
	uint64_t refused;  /* NAMEs beyond a limit since the last sweep */
};

/* Sizes of what grows until a period ends (period.c). */
struct gn_load {
	uint32_t ended;	 /* ended threads */
	uint32_t nodes;	 /* nodes in the tree when the period began */
	uint64_t frames; /* stage.frames when the period began */
};

/* Takes a NOW record (now.c). 0 or -ENOMEM. */
int gn_now_take(struct gn_pipeline *p, const struct gn_rec_now *r);

/* Records the begin or end of the thread's JIT or GC, after its account took
 * the record (activity.c). 0 or -ENOMEM. */
int gn_live_nest(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r);
/* Ends the activities that the account does not have any more. */
void gn_live_end(struct gn_thread *t, uint64_t time);
/* Fills in what the model's threads do, and their shares. `function_of`, then
 * `place` map indexes in names to the model's functions. 0 or -ENOMEM. */
int gn_live_build(struct gn_pipeline *p, struct gn_model *m,
		  const uint32_t *function_of, const int32_t *place);

/* The last ended thread with that tid that has no row any more; NULL: none is
 * kept (period.c). */
const struct gn_ghost *gn_ghost_find(const struct gn_pipeline *p, uint32_t tid);
/* Adds a ghost, replacing an earlier one with its tid. 0 or -ENOMEM. */
int gn_ghosts_add(struct gn_ghosts *g, const struct gn_ghost *ghost);
void gn_ghosts_free(struct gn_ghosts *g);

#endif
