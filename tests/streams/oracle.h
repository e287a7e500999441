/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The naive oracle: the rules of the design in the simplest form. For each
 * interval it walks the whole stack, and adds the time to every function,
 * module and edge on it. It is told about losses instead of detecting them, and
 * shares no code with the model.
 */
#ifndef GNOMON_TESTS_ORACLE_H
#define GNOMON_TESTS_ORACLE_H

#include "model/model.h"

#define ORACLE_FUNCTIONS 9 /* 1.. are functions, 0 is a thread's root */
#define ORACLE_MODULES	 3 /* of function f: f % 3 */
#define ORACLE_THREADS	 4
#define ORACLE_PROCESSES 2 /* of thread t: t % 2 */
#define ORACLE_STACKS	 3
#define ORACLE_DEPTH	 512
#define ORACLE_SUSPENDS	 1000
#define ORACLE_WINDOWS	 512
#define ORACLE_WAITS	 2048
#define ORACLE_PARTS	 16 /* slices of an interval, and their parts */

struct oracle_frame {
	uint64_t key, age;
	int func;
};

struct oracle_nest {
	enum gn_class class;
	int stack, depth;
};

/* A suspension by a thread; depth 0: it has ended. */
struct oracle_window {
	int thread, depth;
	uint64_t begin, end;
};

/* A wait of a function; 0 = outside. */
struct oracle_wait {
	int func, waker_func; /* 0: none */
	enum gn_class class;
	uint32_t reason, waker;
	uint64_t ns, count, longest;
};

enum oracle_way { ORACLE_NEITHER = 0, ORACLE_ENTERED, ORACLE_LEFT };

struct oracle_thread {
	uint64_t sliced; /* when its last slice ended */
	uint64_t start, since, end;
	bool closed, gap;
	bool hook_waits; /* in the open interval, for gnomon */
	bool own_work;	 /* for gnomon, since a record */
	struct oracle_wait parts[ORACLE_PARTS];
	int nparts;
	enum gn_probe_class
		begun_by;    /* the probe at the begin of the open interval */
	bool begun_first;    /* that probe needed the page */
	enum oracle_way way; /* how that probe works */
	uint32_t wake_by; /* TID of the thread that reported to have woken this
			     one */
	int wake_func;
	uint64_t wake_time;
	struct oracle_frame frames[ORACLE_STACKS][ORACLE_DEPTH];
	int depth[ORACLE_STACKS];
	int stack, next_stack;
	bool signal;	 /* the next one is the signal stack */
	int interrupted; /* 1 + the stack that it interrupted, 0 = none */
	int left; /* function on top of the previous stack, 0 = no switch */
	struct oracle_nest nest[16];
	int nnest;
	int suspended[ORACLE_SUSPENDS]; /* nnest when each began */
	int nsuspended;
	uint64_t gaps;
	struct gn_values v;
};

struct oracle {
	enum gn_classify classify;
	struct oracle_thread threads[ORACLE_THREADS];
	struct gn_values functions[ORACLE_FUNCTIONS];
	struct gn_values modules[ORACLE_MODULES];
	struct gn_values processes[ORACLE_PROCESSES];
	struct oracle_window windows[ORACLE_WINDOWS];
	int nwindows;
	struct oracle_wait waits[ORACLE_WAITS];
	int nwaits;
	/* of probes: their cost, and how much was subtracted */
	struct gn_model_cost costs[GN_PROBE_CLASS_COUNT];
	uint32_t turns[GN_PROBE_CLASS_COUNT];
	enum gn_probe_class enter[ORACLE_FUNCTIONS], leave[ORACLE_FUNCTIONS];
	uint64_t cost, cost_left;
	uint64_t owed[ORACLE_FUNCTIONS], owed_outside[ORACLE_PROCESSES];
	struct gn_values edges[ORACLE_FUNCTIONS][ORACLE_FUNCTIONS];
	uint64_t unmatched_leaves, unmatched_unwinds, unwound, open, lost;
};

/* The content of a thread's record, if it was not lost. */
struct oracle_event {
	int thread;
	uint64_t time;
	enum gn_kind kind;
	int func;
	uint64_t key, os;
	bool os_event;
	bool first;  /* the first in its process of a probe that needs a page */
	int stack;   /* STACK: which */
	bool signal; /* STACK: it is the signal stack */
	uint64_t start; /* SLICE */
	enum gn_class class;
	uint32_t reason, waker;
	uint8_t detail;
	int woken;     /* WAKE: which thread; `waker` made the record */
	uint64_t lost; /* collect and note records lost just before */
};

void oracle_take(struct oracle *o, const struct oracle_event *e);

#endif
