/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The finished model: what outputs walk. Read only; owned by whoever called
 * gn_pipeline_finish() or gn_pipeline_period(), freed with gn_model_free(),
 * before or after the pipeline but by the same thread of execution. All times
 * are nanoseconds. Every array has one order for one file, whatever the
 * machine: by value, then by name, then by id.
 */
#ifndef GNOMON_MODEL_MODEL_H
#define GNOMON_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/selected.h>
#include <gnomon/event.h>

enum gn_classify {
	GN_CLASSIFY_EXACT = 0, /* OS nanoseconds are subtracted */
	GN_CLASSIFY_INTERVAL,  /* an interval with an OS event counts nothing */
};

/* What a function, module, thread, process or tree node was worth. */
struct gn_values {
	uint64_t calls;
	uint64_t unwound; /* calls of it that ended without a leave */
	uint64_t elapsed_incl;
	uint64_t elapsed_excl;
	uint64_t app_incl; /* by the classification that the model was made */
	uint64_t app_excl; /* with */
	uint64_t min;	   /* of one finished call, elapsed inclusive; 0 if */
	uint64_t max;	   /* none finished */
	uint64_t finished; /* calls that min and max speak of */
	uint64_t spent;	   /* their sum: of a recursion, each level's */
	uint64_t class_incl[GN_CLASS_COUNT];
	uint64_t class_excl[GN_CLASS_COUNT];
	/* what the times can be wrong by for the cost of probes: for each hit
	 * what that can be wrong by, and what could not be taken out */
	uint64_t error_incl, error_excl;
	bool gap;      /* open in a gap: some of its time is unclassified */
	bool unprobed; /* functions, modules, paths: calls of it were made
			  before its probes were there, and are missing */
};

struct gn_model_function {
	uint32_t index;	    /* its place in model.functions */
	const char *name;   /* never NULL */
	const char *module; /* never NULL; "" when unknown */
	enum gn_runtime_id runtime;
	struct gn_values v;
	bool muted; /* not seen since some time: that is its callers' */
	const char *own_name; /* by which people know it; NULL: `name` */
};

/* What people read. */
static inline const char *gn_function_shown(const struct gn_model_function *f)
{
	return f->own_name ? f->own_name : f->name;
}

struct gn_model_module {
	const char *name;
	struct gn_values v; /* inclusive: any frame of it on the stack */
};

/* Times between which a thread was off a CPU or worked for by the kernel, by
 * who owned them (the function on top), what for, and who ended them. In a
 * period's model one that goes on is not counted yet and has no waker;
 * `longest` is then its length so far, and later the whole of it. */
struct gn_model_wait {
	int32_t function; /* index in functions, -1 = outside of any */
	enum gn_class class;
	uint16_t reason; /* system call number, GN_NO_SYSCALL = none */
	uint64_t ns;
	uint64_t count;
	uint64_t longest;
	uint32_t waker;		/* tid, 0 = unknown or an interrupt */
	const char *waker_name; /* "" when it is not traced */
	int32_t waker_function; /* on top of its stack, -1 = not known */
	/* POLL: what was polled where that is one thing, what ended it */
	enum gn_polled polled;
	enum gn_wait_end end;
	bool idle; /* of a worker that has nothing to do */
};

/* What a hit costs differs from one place of a program to another, and from
 * what was measured. Seen with return probes of functions of several shapes (in
 * rows and nested, entered by a push, a jump or a nop), with other work on the
 * machine: 1 to 10 % between them, and 5 % between one run and the next. */
#define GN_COST_ERROR_SHARE 8

/* What probes cost, by class: see struct gn_rec_cost. Means over the hits;
 * spread: what each can be wrong by, half the width that was measured or a
 * GN_COST_ERROR_SHARE of the cost, and what one measurement and the next differ
 * by. */
struct gn_model_cost {
	uint32_t samples; /* 0 = not measured */
	uint32_t before_ns, after_ns, spread_ns;
	uint64_t hits;
};

/* Where a thread is when a period ends. */
enum gn_thread_state {
	GN_THREAD_UNKNOWN = 0,
	GN_THREAD_RUNNING,
	GN_THREAD_RUNNABLE,
	GN_THREAD_WAITING,
	GN_THREAD_ENDED,
};

/* A thread's part of a function: what it owned of it in the period. */
struct gn_model_share {
	int32_t function; /* index in functions, -1 = outside of any */
	uint64_t calls;
	uint64_t elapsed; /* exclusive, as the next two */
	uint64_t app;
	uint64_t classes[GN_CLASS_COUNT];
};

/* One of the thread's last compilations or collections. */
struct gn_model_activity {
	enum gn_class class; /* GN_CLASS_JIT, GN_CLASS_GC */
	int32_t function;    /* JIT: what was compiled, -1 = not known */
	uint64_t start, end; /* end 0: it goes on */
};

#define GN_LIVE_STACK	   256 /* frames told of one thread's stack */
#define GN_LIVE_ACTIVITIES 8

/* What only the live view asks for. */
struct gn_model_live {
	enum gn_thread_state state;
	enum gn_class doing; /* WAITING: for what; RUNNING: app, jit, ...;
				RUNNABLE: runqueue; else unclassified */
	uint16_t reason;     /* system call, GN_NO_SYSCALL = none */
	/* the innermost nstack of its `depth` frames, the outermost first */
	const int32_t *stack;
	uint32_t nstack, depth;
	const struct gn_model_share *shares; /* by elapsed, downwards */
	size_t nshares;
	/* of the whole session, the latest first */
	struct gn_model_activity activity[GN_LIVE_ACTIVITIES];
	uint32_t nactivities;
};

/*
 * The kernel's own account of a thread beside ours (struct gn_rec_kernel), in
 * ns. Ours is more than the kernel's by what it took out (irq, stolen), by the
 * distance of the two readings of the clocks at the switches, and by a rest
 * that nothing explains.
 */
struct gn_kernel_account {
	bool known;	     /* it was told */
	uint64_t cpu, delay; /* the kernel's; delay UINT64_MAX: not told */
	uint64_t our_cpu, our_delay;
	uint64_t irq, stolen;
	uint64_t switches; /* off a CPU and onto one again, by the kernel */
	int64_t cpu_switch, delay_switch;
	int64_t cpu_rest, delay_rest;
};

struct gn_model_thread {
	uint32_t pid, tid;
	const char *name;
	uint64_t start, end;
	uint64_t elapsed; /* end - start - probe_cost; the sum of classes */
	uint64_t classes[GN_CLASS_COUNT];
	uint64_t gaps;	  /* stretches with lost records */
	uint64_t records; /* of it that were read */
	/* of the whole session: of so many calls, records that are in doubt,
	 * by what the kernel side knew of them or by no frame that they match
	 */
	uint64_t entered, in_doubt;
	uint64_t probe_cost; /* taken out of elapsed; see model.probe_cost */
	struct gn_kernel_account kernel;
	struct gn_values v;
	const struct gn_model_live *live; /* NULL: not a period's model */
};

struct gn_model_process {
	uint32_t pid;
	const char *name; /* of its last program */
	uint32_t threads;
	struct gn_values v;
};

/*
 * Threads, processes and the session: inclusive values are all of their time,
 * exclusive ones what functions owned, so that the difference is the time
 * outside of any function. In the tree that difference is the process's node's
 * own (its exclusive values), as a function's is. min, max and finished are of
 * calls and 0 elsewhere.
 */

/* A call path. Node 0 is the session; its children are processes, theirs
 * functions. Threads of a process are merged. Indexes, -1 = none. */
struct gn_model_node {
	int32_t parent, first_child, next; /* siblings in order */
	int32_t function; /* index in functions; -1: see name */
	const char *name;
	struct gn_values v;
};

/* Who calls whom: one edge, summed over the session. */
struct gn_model_edge {
	int32_t caller; /* index in functions, -1 = a thread's root */
	int32_t callee;
	struct gn_values v; /* of the callee when called by the caller */
};

/* Self-checks and oddities. X(field, text, is it an error) */
#define GN_CHECK_LIST(X)                                                     \
	/* sum over threads of |elapsed - sum of classes| and                \
	 * |end - start - elapsed - probe cost| */                           \
	X(account_error_ns, "time that the account does not close by", 1)    \
	/* intervals whose slices and OS time differ with nothing lost */    \
	X(slice_mismatches, "intervals whose slices do not sum", 1)          \
	/* OS time above the interval's elapsed time */                      \
	X(os_overruns, "intervals with more OS time than time", 1)           \
	/* times that went back within a thread */                           \
	X(time_reversals, "times that run backwards in a thread", 1)         \
	/* threads whose time on a CPU or runnable differs from the kernel's \
	 * for no known reason by more than 1 % and 1 ms */                  \
	X(sched_errors, "threads that differ from the kernel's account", 1)  \
	/* threads with more records in doubt than 0.1 % of their calls */   \
	X(doubtful_threads, "threads with records in doubt", 1)              \
	X(unmatched_leaves, "leaves that match no frame", 0)                 \
	X(unmatched_unwinds, "unwinds that match no frame", 0)               \
	X(unwound_frames, "frames that ended without a leave", 0)            \
	X(open_frames, "frames still open at the end", 0)

struct gn_checks {
#define GN_CHECK_FIELD(field, text, error) uint64_t field;
	GN_CHECK_LIST(GN_CHECK_FIELD)
#undef GN_CHECK_FIELD
};

/* A function that runs where its calls are not seen. */
struct gn_model_unseen {
	const char *name, *module; /* never NULL */
	uint64_t sites;		   /* call sites that may have a copy of it */
};

/* What was told of the code of a runtime's functions. Since the beginning. */
struct gn_model_code {
	uint64_t compiled; /* compilations */
	uint64_t refused;  /* functions that have precompiled code which was not
			      to run */
	/* precompiled methods that may have copies of traced functions, and may
	 * have run */
	uint64_t copies_ran;
	uint64_t selected[GN_SELECTED_COUNT];
	uint64_t sites; /* call sites that may have a copy of their callee */
	/* by sites downwards, name, module; not in a period's model */
	struct gn_model_unseen *inlined;
	size_t ninlined;
	struct gn_model_unseen
		*unhooked; /* asked for, compiled without hooks */
	size_t nunhooked;
};

struct gn_model_info {
	const char *key, *value;
};

struct gn_model {
	enum gn_classify classify;
	uint64_t start, end;
	struct gn_values session; /* elapsed_incl, app_incl: the 100 % */
	uint64_t lost;		  /* records, by the threads' sequences; and in
				     a period's model what there was no room for */
	uint64_t counters[GN_COUNTER_COUNT];
	bool truncated; /* set by the reader's owner: the file had no end */
	struct gn_checks checks;
	/*
	 * Probe cost: `probe_cost` was taken out of the intervals (and of all
	 * elapsed and application times); `probe_cost_left` was not, because a
	 * function had less time on a CPU than its probes cost. In a period's
	 * model it can be below 0: some that was left before was taken out now.
	 * raw: nothing was taken out.
	 */
	bool raw;
	uint64_t probe_cost;
	int64_t probe_cost_left;
	struct gn_model_cost costs[GN_PROBE_CLASS_COUNT];

	struct gn_model_code code;

	struct gn_model_info *info;
	size_t ninfo;
	struct gn_model_function *functions;
	size_t nfunctions;
	struct gn_model_module *modules;
	size_t nmodules;
	struct gn_model_thread *threads;
	size_t nthreads;
	struct gn_model_process *processes;
	size_t nprocesses;
	struct gn_model_node *nodes;
	size_t nnodes;
	struct gn_model_edge *edges;
	size_t nedges;
	struct gn_model_wait *waits; /* by function, then ns downwards */
	size_t nwaits;

	void *own; /* what the strings and arrays live in */
};

void gn_model_free(struct gn_model *m);

/* The value of an INFO record, or NULL. */
const char *gn_model_info(const struct gn_model *m, const char *key);

/* Records that were counted as lost, whatever thread they were of; UINT64_MAX:
 * more than that. */
uint64_t gn_model_counted(const struct gn_model *m);

/* True when something was lost: by sequence, by a loss counter, or because
 * the file had no end. */
bool gn_model_lossy(const struct gn_model *m);

/* True when a check that is an error is not 0. */
bool gn_model_broken(const struct gn_model *m);

/* True when the kernel's account of the thread is another one: by more than 1 %
 * and 1 ms, on CPUs or in the run queue. */
bool gn_kernel_differs(const struct gn_kernel_account *k);

/* More records in doubt than 0.1 % of the calls. */
static inline bool gn_doubtful(uint64_t in_doubt, uint64_t calls)
{
	return in_doubt > calls / 1000;
}

/* True when more of the thread's records are in doubt than 0.1 % of its calls.
 */
bool gn_model_thread_doubtful(const struct gn_model_thread *t);

/* 100 * part / whole, 0 when whole is 0. */
double gn_pct(uint64_t part, uint64_t whole);

#endif
