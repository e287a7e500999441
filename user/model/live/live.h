/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What only the live view needs of a pipeline: what threads do when a period
 * ends, and what is kept and what is given back from one period to the next.
 */
#ifndef GNOMON_MODEL_LIVE_LIVE_H
#define GNOMON_MODEL_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/model.h"
#include "model/table.h"

struct gn_pipeline;
struct gn_thread;

/* What a NOW record said. */
struct gn_now {
	bool known; /* in this period */
	uint8_t state, class, detail;
	uint16_t reason;
	uint64_t since, time;
};

/* JIT or GC; end 0: under way. */
struct gn_activity {
	uint8_t class;
	uint32_t fn; /* index in names, GN_NONE: not known */
	uint64_t start, end;
};

/* What only the live view asks for. */
struct gn_live {
	struct gn_now now;
	/* the last ones; number i is at i % GN_LIVE_ACTIVITIES */
	struct gn_activity activity[GN_LIVE_ACTIVITIES];
	uint32_t activities; /* so many began: the first is number 1 */
	uint32_t under_way;  /* of those in `activity` */
};

/* How many of the last ones are known; and the k-th of those, the latest is 0.
 */
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

/* A thread that ended, once it was told: what says that a record is late. */
struct gn_ghost {
	uint32_t tid;
	uint32_t next; /* number of what would have been its next record */
	const char *name;
	bool stopped;
	bool old; /* for a whole period */
};

struct gn_ghosts {
	struct gn_ghost *rows;
	uint32_t n, cap;
	struct gn_table by_tid;
};

/* When what is left behind is looked for (sweep.c). */
struct gn_sweep_due {
	uint64_t texts_least, fns_least;
	uint64_t texts_at; /* size of all texts */
	uint64_t fns_at;   /* functions and programs */
};

/* What grows until a period ends (period.c). */
struct gn_load {
	uint32_t ended;	 /* threads that did */
	uint32_t nodes;	 /* of the tree when it began */
	uint64_t frames; /* the same of stage.frames */
};

/* A NOW record (now.c). 0 or -ENOMEM. */
int gn_now_take(struct gn_pipeline *p, const struct gn_rec_now *r);

/* What the record did to the thread's JIT and GC, once its account knows
 * (activity.c). 0 or -ENOMEM. */
int gn_live_nest(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r);
/* Those that are not under way any more have ended. */
void gn_live_end(struct gn_thread *t, uint64_t time);
/* Where the model's threads are, what was theirs; its functions are those of
 * names by `function_of` and then `place`. 0 or -ENOMEM. */
int gn_live_build(struct gn_pipeline *p, struct gn_model *m,
		  const uint32_t *function_of, const int32_t *place);

/* The thread with that tid that ended in an earlier period, NULL: none is
 * remembered (period.c). */
const struct gn_ghost *gn_ghost_find(const struct gn_pipeline *p, uint32_t tid);
void gn_ghosts_free(struct gn_ghosts *g);

#endif
