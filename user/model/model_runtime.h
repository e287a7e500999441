/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the model that runtimes report: their code, async methods,
 * events, exceptions, allocations, collections and thread pools. */
#ifndef GNOMON_MODEL_MODEL_RUNTIME_H
#define GNOMON_MODEL_MODEL_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include <gnomon/selected.h>

/* A function whose calls cannot all be seen. */
struct gn_model_unseen {
	const char *name, *module; /* never NULL */
	/* call sites that may have an inlined copy of it */
	uint64_t sites;
};

/* Facts about the code of runtimes' functions, since the capture began. */
struct gn_model_code {
	uint64_t compiled; /* number of compilations */
	uint64_t thrown;  /* those that threw; when is not known: the time up to
			     the next compilation or visible call is theirs */
	uint64_t refused; /* functions whose precompiled code was rejected */
	/* precompiled methods that may contain inlined copies of traced
	 * functions, and may have run */
	uint64_t copies_ran;
	uint64_t selected[GN_SELECTED_COUNT];
	uint64_t sites; /* call sites that may have inlined their callee */
	/* by sites (most first), name, module; empty in a period's model */
	struct gn_model_unseen *inlined;
	size_t ninlined;
	/* traced functions that were compiled without hooks */
	struct gn_model_unseen *unhooked;
	size_t nunhooked;
};

/* Where an async method waits: an await, or an iterator's yield. */
struct gn_model_await {
	int32_t state; /* of its state machine: >= 0: an await, < -3: a yield */
	uint64_t count;	  /* number of suspensions there */
	uint64_t ns;	  /* total time; open waits last until the end */
	uint64_t waiting; /* number of open waits */
	uint64_t older; /* resumptions of suspensions from before the session */
	uint32_t line;	/* in its function's file; 0: not known */
	/* what it awaits: this function (index in functions), suspended in that
	 * state; -1: not known */
	int32_t inner, inner_state;
};

/* An async method. `function` has its running time. */
struct gn_model_async {
	int32_t function; /* index in functions: its MoveNext */
	uint64_t starts, completions;
	uint64_t faulted;   /* completions by an exception or a cancellation */
	uint64_t in_flight; /* not completed */
	uint64_t most;	    /* most in flight at once in one process */
	/* completions of instances that began before the session; nothing else
	 * counts those */
	uint64_t older;
	uint64_t elapsed; /* total time of all instances; those in flight last
			     until the end */
	bool gap;	  /* more ended than began, or records were lost */
	struct gn_model_await *awaits; /* by state, yields last */
	size_t nawaits;
};

/* A function, class or module: anything that a runtime names. */
struct gn_model_named {
	/* never NULL; "": none, or not known */
	const char *name, *module;
	const char *shown; /* shown to people; NULL: `name` */
};

/* An event of a runtime: an instant or a stretch. */
struct gn_model_event {
	uint16_t event; /* enum gn_rt; for a stretch, its begin */
	bool open;	/* its end was not reported: it ends with its thread, a
			   collection with its process */
	bool no_end; /* its end is not known, as records were lost or it threw:
			there is no `cpu`, and `end` is its start */
	bool no_cpu; /* `cpu` is not known: slices were lost, or a thread ended
			it that is neither its own nor one that only collects */
	bool collector; /* the thread only collects */
	bool young;	/* of collections: it opened the concurrent one that has
			   the same start; its generation, 0 or 1, is not known */
	uint64_t start, end;
	/* compilations and collections: CPU time spent on it; collections:
	 * including all threads that only collect */
	uint64_t cpu;
	uint32_t gaps;	/* of collections: gaps of the thread before it */
	uint32_t execs; /* of collections: execs of the process before it */
	uint32_t mark;	/* of collections: their begin's (collectors.h) */
	uint64_t value[GN_RT_VALUES];	 /* meaning: runtime_event.h */
	struct gn_model_named of, other; /* other: value[0], if it is a NAME */
	uint32_t pid, tid;
	const char *thread; /* its name */
	uint32_t order;	    /* in which events were reported */
};

/* Exceptions of one class, by where they were thrown and caught. */
struct gn_model_exception {
	struct gn_model_named class, thrown_in, caught_in;
	bool caught;	/* false: not caught, as far as is known */
	uint64_t count; /* number thrown */
	uint64_t ns;	/* total time from throw to catch */
};

struct gn_model_allocation {
	struct gn_model_named class, function; /* function "": outside of any */
	uint64_t count, bytes;
};

/* Counts of collections. Not in a period's model. */
struct gn_model_collections {
	uint64_t all;
	uint64_t told;	/* collections whose cause is known */
	uint64_t asked; /* collections that the program asked for */
	/* waits for suspensions, made for a collection, to end */
	uint64_t stops, stopped_ns, longest_stop;
};

/* When a runtime made a worker of its thread pool because work was queued and
 * no worker was free. Not in a period's model. */
struct gn_model_starvation {
	uint64_t all;	  /* such moments */
	uint64_t moments; /* those in which nearly all workers waited */
	uint64_t workers; /* the most that there were in one of these */
	/* for how long all workers were taken and mostly waited, each time for
	 * too short a time to be a moment (taken.h), and how many there were */
	uint64_t taken_ns, taken_workers;
};

#endif
