/* SPDX-License-Identifier: BSD-2-Clause */
/* What rules need to know of a model: sums over it, made once. */
#ifndef GNOMON_EXPLAIN_FACTS_H
#define GNOMON_EXPLAIN_FACTS_H

#include <stdbool.h>

#include "model/model.h"

struct gn_facts {
	const struct gn_model *m;
	const uint64_t *classes; /* of the session */
	uint64_t wall;
	uint64_t cpu;  /* of all threads on a CPU */
	uint64_t busy; /* the time that threads worked or were held up */
	uint64_t waits[GN_CLASS_COUNT];	      /* what held them up, by class */
	const struct gn_model_thread *worker; /* the busiest; NULL: none */
	uint64_t worker_busy;
	uint64_t others_cpu; /* of the other threads */
	uint64_t answers;    /* what gn_wait_sum_answers() sums */
};

/* 0, -ENOMEM. */
int gn_facts_of(const struct gn_model *m, struct gn_facts *out);

/* The waits of a class, idle workers' left out. */
struct gn_wait_sum {
	uint64_t ns, count, longest;
	/* that waited most; -1: outside of any function */
	int32_t function;
	uint64_t function_ns, function_count, function_longest;
	/* what ended most of that function's waits: a function, or else a
	 * thread. NULL: not known */
	const struct gn_model_wait *by;
	uint64_t by_ns, by_threads;
	/* the system call with the most time of all */
	uint16_t reason;
	uint64_t reason_ns, reason_count;
};

/* 0, -ENOMEM. */
int gn_wait_sum(const struct gn_model *m, enum gn_class class,
		struct gn_wait_sum *out);
/* The same of waits in functions whose calls last at most half of the capture
 * on average: in others a thread can wait for work all the time. */
int gn_wait_sum_short(const struct gn_model *m, enum gn_class class,
		      struct gn_wait_sum *out);

/* The same of polls of one socket or pipe: there a thread waits for an answer,
 * or a server for a request; several files are an event loop's. */
int gn_wait_sum_answers(const struct gn_model *m, struct gn_wait_sum *out);

/*
 * Through whom more than half of a function's own time of a class came, or of
 * its calls: the first function of another module on the paths up, because
 * runtimes wait deep in their own code.
 */
struct gn_caller {
	int32_t function; /* -1: through nobody */
	uint64_t through, all;
};

/* class: GN_CLASS_COUNT is of calls. */
void gn_caller_outside(const struct gn_model *m, int32_t function, int class,
		       struct gn_caller *out);

/* Whether nearly all came through it. */
static inline bool gn_caller_sure(const struct gn_caller *c)
{
	return c->function >= 0 && c->through >= c->all - c->all / 10;
}

/* Finds the `n` largest of `classes`, in descending order. Returns how many. */
int gn_top_classes(const uint64_t classes[GN_CLASS_COUNT], int *out, int n);

#endif
