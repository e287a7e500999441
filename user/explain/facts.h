/* SPDX-License-Identifier: BSD-2-Clause */
/* Facts about a model that rules need: sums over it, computed once. */
#ifndef GNOMON_EXPLAIN_FACTS_H
#define GNOMON_EXPLAIN_FACTS_H

#include <stdbool.h>

#include "model/model.h"

/* Waits of threads for tasks of async methods, in functions whose calls are
 * short, without Main. */
struct gn_task_waits {
	uint64_t ns;
	int32_t function; /* the one that waited most; -1: one of the thread
			     pool that is not traced */
	uint64_t function_ns, function_count;
	int32_t by; /* the async method that ended most; -1: not known */
	/* waits for any task in other functions: they may be for the end of the
	 * program. Known only if the runtime's functions are traced */
	uint64_t others;
};

struct gn_facts {
	const struct gn_model *m;
	const uint64_t *classes; /* of the session */
	uint64_t wall;
	uint64_t cpu; /* time of all threads on a CPU */
	/* the CPUs that threads waited for were most likely taken by other
	 * programs */
	bool crowded;
	/* how long something outside of the program stopped its threads, and
	 * most of it what */
	uint64_t halted;
	enum gn_halt halted_by;
	uint64_t busy;	/* the time that threads worked or were held up, but
			   not by other programs */
	uint64_t ready; /* the part of it in which they waited for a CPU */
	uint64_t waits[GN_CLASS_COUNT];	      /* waits that held them up, by
						 class */
	const struct gn_model_thread *worker; /* the busiest; NULL: none */
	uint64_t worker_busy;
	uint64_t others_cpu; /* of the other threads */
	uint64_t answers;    /* the sum of gn_wait_sum_answers() */
	struct gn_task_waits tasks;
	/* waits for a collection that threads of the runtime made, beside
	 * suspensions: that of the thread that needed it */
	uint64_t collected;
};

static inline uint64_t gn_wall_of(const struct gn_model *m)
{
	return m->end > m->start ? m->end - m->start : 0;
}

/* 0, -ENOMEM. */
int gn_facts_of(const struct gn_model *m, struct gn_facts *out);

/* The time in which threads were stopped; most of it by *most. */
uint64_t gn_halted_ns(const struct gn_model *m, enum gn_halt *most);

/* Time of its own code in user mode, without compilation and collection. */
static inline uint64_t gn_own_time(const struct gn_model_function *fn)
{
	return fn->v.class_excl[GN_CLASS_APP];
}

/* Whether the function's calls last at most half of the capture on average. In
 * others a thread may wait for work all the time. */
bool gn_calls_short(const struct gn_model *m, int32_t function);

/* In tasks.c. 0, -ENOMEM. */
int gn_task_waits(const struct gn_model *m, struct gn_task_waits *out);

/* Whether the thread waited until others of the runtime had collected. */
bool gn_waits_for_collection(const struct gn_model_wait *w);

/* The waits of a class, without those of idle workers and those for a
 * collection, and without those for locks and other threads that began while
 * gnomon attached. */
struct gn_wait_sum {
	uint64_t ns, count, longest;
	uint64_t attach_ns; /* left out: they began while gnomon attached */
	uint64_t interpreter_ns; /* LOCK: the interpreter's lock */
	/* the one that waited most; -1: outside of any function */
	int32_t function;
	uint64_t function_ns;
	/* 0: not known, as is the waker, because a part was left out */
	uint64_t function_count, function_longest;
	/* the waker that ended most of that function's waits: a function, or
	 * else a thread. NULL: not known */
	const struct gn_model_wait *by;
	uint64_t by_ns, by_threads;
	/* the system call with the most time */
	uint16_t reason;
	uint64_t reason_ns, reason_count;
};

/* 0, -ENOMEM. */
int gn_wait_sum(const struct gn_model *m, enum gn_class class,
		struct gn_wait_sum *out);
/* The same for waits that can hold work up. Left out are those in functions
 * whose calls are long, and of waits for other threads two kinds: those of
 * loops for their next work, and those that are long themselves, as for the end
 * of a thread. */
int gn_wait_sum_short(const struct gn_model *m, enum gn_class class,
		      struct gn_wait_sum *out);

/* The same for polls of a single socket or pipe, where a thread waits for an
 * answer, or a server for a request. Several files mean an event loop. */
int gn_wait_sum_answers(const struct gn_model *m, struct gn_wait_sum *out);

/*
 * The caller through which more than half of a function's calls, or of its own
 * time of a class, came: the first function of another module up the paths,
 * because runtimes wait deep in their own code. Those of .NET's library tell
 * nothing.
 */
struct gn_caller {
	int32_t function; /* -1: none */
	uint64_t through, all;
};

/* class: GN_CLASS_COUNT means calls. brief: without the waits of loops for
 * their next work. */
void gn_caller_outside(const struct gn_model *m, int32_t function, int class,
		       bool brief, struct gn_caller *out);

/* Whether nearly all came through this caller. */
static inline bool gn_caller_sure(const struct gn_caller *c)
{
	return c->function >= 0 && c->through >= c->all - c->all / 10;
}

/* Finds the `n` largest of `classes`, in descending order. Returns how many. */
int gn_top_classes(const uint64_t classes[GN_CLASS_COUNT], int *out, int n);

#endif
