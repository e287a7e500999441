/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPU time of a process's collector threads (those that only collect), up to
 * each begin and end of a collection. A stretch on a CPU is known only when the
 * thread's next slice comes, which can be after such a mark; then it is added
 * to the mark, too.
 */
#ifndef GNOMON_MODEL_COLLECTORS_H
#define GNOMON_MODEL_COLLECTORS_H

#include <stdbool.h>
#include <stdint.h>

struct gn_pipeline;
struct gn_thread;

/* A begin or end of a collection. */
struct gn_collectors_mark {
	uint64_t time;
	uint64_t cpu;	 /* ns up to it; comparable only within an epoch */
	uint32_t epoch;	 /* 0: stretches around it were lost */
	uint32_t before; /* the process's mark before it; GN_NONE: none */
};

struct gn_collectors {
	struct gn_collectors_mark *mark;
	uint32_t n, cap;
};

/* Of one process; starts as all zeros. */
struct gn_collectors_sum {
	uint64_t cpu;	 /* of all known stretches */
	uint32_t losses; /* losses of stretches so far */
	uint32_t marks;	 /* index + 1 of its last mark; 0: none */
};

/* Adds a mark at `time`. 0 or -ENOMEM. */
int gn_collectors_mark(struct gn_pipeline *p, const struct gn_thread *t,
		       uint64_t time, uint32_t *mark);
/* A collector thread was on a CPU for all of [from, to). */
void gn_collectors_ran(struct gn_pipeline *p, const struct gn_thread *t,
		       uint64_t from, uint64_t to);
/* It is not known how much of the time since `from` it was on a CPU. */
void gn_collectors_lost(struct gn_pipeline *p, const struct gn_thread *t,
			uint64_t from);
/* The CPU time between two marks. False: not known. */
bool gn_collectors_between(const struct gn_collectors *c, uint32_t from,
			   uint32_t to, uint64_t *cpu);

#endif
