/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time on a CPU of a process's threads that only collect, up to each begin
 * and end of a collection. A stretch on a CPU is known when the thread's next
 * slice comes, which can be after these; then it is added to them, too.
 */
#ifndef GNOMON_MODEL_COLLECTORS_H
#define GNOMON_MODEL_COLLECTORS_H

#include <stdbool.h>
#include <stdint.h>

struct gn_pipeline;
struct gn_thread;

/* A begin or an end. */
struct gn_collectors_mark {
	uint64_t time;
	uint64_t cpu;	 /* ns, up to it; from where, only the epoch knows */
	uint32_t epoch;	 /* 0: stretches around it were lost */
	uint32_t before; /* the process's mark before it, GN_NONE: none */
};

struct gn_collectors {
	struct gn_collectors_mark *mark;
	uint32_t n, cap;
};

/* Of one process; all zeros at first. */
struct gn_collectors_sum {
	uint64_t cpu;	 /* of the stretches that are known */
	uint32_t losses; /* of stretches, so far */
	uint32_t marks;	 /* its last mark, from 1 on; 0: there is none */
};

/* A begin or an end that comes now. 0 or -ENOMEM. */
int gn_collectors_mark(struct gn_pipeline *p, const struct gn_thread *t,
		       uint64_t time, uint32_t *mark);
/* A thread that only collects was on a CPU for all of [from, to). */
void gn_collectors_ran(struct gn_pipeline *p, const struct gn_thread *t,
		       uint64_t from, uint64_t to);
/* For how much of the time from there to now is not known. */
void gn_collectors_lost(struct gn_pipeline *p, const struct gn_thread *t,
			uint64_t from);
/* From one mark to another. False: it is not known. */
bool gn_collectors_between(const struct gn_collectors *c, uint32_t from,
			   uint32_t to, uint64_t *cpu);

#endif
