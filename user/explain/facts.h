/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules ask of a model: sums over it, made once. */
#ifndef GNOMON_EXPLAIN_FACTS_H
#define GNOMON_EXPLAIN_FACTS_H

#include "model/model.h"

struct gn_facts {
	const struct gn_model *m;
	const uint64_t *classes; /* of the session */
	uint64_t wall;
	uint64_t cpu;  /* of all threads on a CPU */
	uint64_t busy; /* what they worked or were held up by something, */
	uint64_t waits[GN_CLASS_COUNT]; /* and by what: idle ones left out */
	const struct gn_model_thread *worker; /* the busiest; NULL: none */
	uint64_t worker_busy;
	uint64_t others_cpu; /* of the other threads */
};

void gn_facts_of(const struct gn_model *m, struct gn_facts *out);

/* Without the waits of a thread that has nothing to do or waits for what
 * another one does: events, event loops, children, a suspension. */
uint64_t gn_busy(const uint64_t classes[GN_CLASS_COUNT]);

/* The waits of a class, idle workers' left out. */
struct gn_wait_sum {
	uint64_t ns, count, longest;
	/* that waited most; -1: outside of any */
	int32_t function;
	uint64_t function_ns, function_count, function_longest;
	/* what ended most of that function's: a function, or else a thread.
	 * NULL: not known */
	const struct gn_model_wait *by;
	uint64_t by_ns, by_threads;
	/* the system call that took most of all, by time */
	uint16_t reason;
	uint64_t reason_ns, reason_count;
};

/* 0, -ENOMEM. */
int gn_wait_sum(const struct gn_model *m, enum gn_class class,
		struct gn_wait_sum *out);

/*
 * Who called `function` into what it did in `class` (GN_CLASS_COUNT: at all):
 * the first one up the heaviest path that is of another module, as runtimes
 * wait deep in their own code. -1: there is none; at all: or no one makes nine
 * of ten of the calls.
 */
int32_t gn_caller_outside(const struct gn_model *m, int32_t function,
			  int class);

/* The largest `n` classes of `classes` downwards, their number returned. */
int gn_top_classes(const uint64_t classes[GN_CLASS_COUNT], int *out, int n);

#endif
