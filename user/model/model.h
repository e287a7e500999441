/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The finished model, which outputs read and do not change. The caller of
 * gn_pipeline_finish() or gn_pipeline_period() owns it and frees it with
 * gn_model_free(), before or after the pipeline, but on the same thread. All
 * times are nanoseconds. The arrays of a file's model are sorted the same way
 * on every machine: by value, then by name, then by id.
 */
#ifndef GNOMON_MODEL_MODEL_H
#define GNOMON_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "model/model_runtime.h"

enum gn_classify {
	GN_CLASSIFY_EXACT = 0, /* OS nanoseconds are subtracted */
	GN_CLASSIFY_INTERVAL, /* an interval with an OS event has no application
				 time */
};

/* The values of a function, module, thread, process or tree node. */
struct gn_values {
	uint64_t calls;
	uint64_t unwound; /* calls that ended without a leave */
	uint64_t elapsed_incl;
	uint64_t elapsed_excl;
	uint64_t app_incl; /* application time, by the model's */
	uint64_t app_excl; /* classification */
	uint64_t min;	   /* elapsed inclusive time of one finished */
	uint64_t max;	   /* call; 0 if none finished */
	uint64_t finished; /* the number of calls in min and max */
	/* sum of their times; each level of a recursion counts */
	uint64_t spent;
	uint64_t class_incl[GN_CLASS_COUNT];
	uint64_t class_excl[GN_CLASS_COUNT];
	/* possible error of the times due to probe cost: the error of each hit,
	 * plus the cost that could not be subtracted */
	uint64_t error_incl, error_excl;
	bool gap;      /* a call was open in a gap: some time is unclassified */
	bool unprobed; /* functions, modules, paths: calls from before the
			  probes were attached are missing */
	bool inlined;  /* likewise: calls in callers' copies may be missing */
	/* likewise: calls went on on other threads or stacks, so that what they
	 * took is not known */
	bool moved;
};

/* Whether calls are known to be missing, or may be. */
static inline bool gn_calls_missing(const struct gn_values *v)
{
	return v->unprobed || v->inlined;
}

struct gn_model_function {
	uint32_t index;	    /* its place in model.functions */
	const char *name;   /* never NULL */
	const char *module; /* never NULL; "" when unknown */
	enum gn_runtime_id runtime;
	struct gn_values v;
	bool muted;		/* callers get its time */
	const char *short_name; /* the name shown to people; NULL: `name` */
	const char *file;	/* source file; NULL: not known */
	uint32_t line;
};

/* The name shown to people. */
static inline const char *gn_function_shown(const struct gn_model_function *f)
{
	return f->short_name ? f->short_name : f->name;
}

struct gn_model_module {
	const char *name;
	/* inclusive: while any of its frames is on the stack */
	struct gn_values v;
};

/*
 * Time that threads spent off a CPU, or that the kernel worked for them: by the
 * function on top of the stack, by cause, and by who ended it. In a period's
 * model an open wait is not counted yet and has no waker; `longest` is its
 * length so far, and later its whole length.
 */
struct gn_model_wait {
	int32_t function; /* index in functions; -1: outside of any */
	enum gn_class class;
	uint16_t reason; /* system call number; GN_NO_SYSCALL: none */
	uint64_t ns;
	uint64_t count;
	uint64_t longest;
	uint32_t waker;		/* tid; 0: unknown, or an interrupt */
	const char *waker_name; /* "": the waker is not traced */
	/* function on top of the waker's stack; -1: not known */
	int32_t waker_function;
	/* POLL: what was polled, if it was one file, and what ended the wait */
	enum gn_polled polled;
	enum gn_wait_end end;
	enum gn_halt halt; /* OTHER: what stopped it */
	bool idle;	   /* a worker waited for work */
	bool interpreter;  /* LOCK: the lock of the interpreter */
	/* the part of `ns` and `count` that the waker's function, an async
	 * method, ended by completing: it was a wait for its task. Known only
	 * if the runtime's functions that end a task are not traced */
	uint64_t task_ns, tasks;
	/* the part of `ns` and `count` that began while gnomon attached to a
	 * running runtime, which can be why it waited; `longest` without it */
	uint64_t attach_ns, attaches, later_longest;
	/* the workers that waited so when their thread pool starved (struct
	 * gn_model_starvation), summed over these moments */
	uint64_t starved;
	/* the part of `ns` in which workers of a pool waited in their work, in
	 * waits that starve no pool */
	uint64_t taken_ns;
};

/*
 * The cost of a hit differs from the measured one, and from place to place in a
 * program. Measured with return probes of functions of several shapes (in
 * sequence and nested; entered by a push, a jump or a nop) on a machine with
 * other load: 1 to 10 % between places, and 5 % between two runs.
 */
#define GN_COST_ERROR_SHARE 8

/*
 * The cost of probes by class (struct gn_rec_cost), as means over the hits.
 * spread: the possible error of one hit. It is the larger of half the measured
 * width and the cost / GN_COST_ERROR_SHARE, plus the difference between two
 * measurements.
 */
struct gn_model_cost {
	uint32_t samples; /* 0: not measured */
	uint32_t before_ns, after_ns, spread_ns;
	uint64_t hits;
};

/* The cost of probes that report events of a family. It is in that of the class
 * "managed", too. */
struct gn_model_events_cost {
	uint64_t hits, ns;
};

/* Where a thread is when a period ends. */
enum gn_thread_state {
	GN_THREAD_UNKNOWN = 0,
	GN_THREAD_RUNNING,
	GN_THREAD_RUNNABLE,
	GN_THREAD_WAITING,
	GN_THREAD_ENDED,
};

/* What one function cost in one thread during the period. */
struct gn_model_share {
	int32_t function; /* index in functions; -1: outside of any */
	uint64_t calls;
	uint64_t elapsed; /* exclusive, like the next two */
	uint64_t app;
	uint64_t classes[GN_CLASS_COUNT];
};

/* One of the latest compilations or collections of a thread. */
struct gn_model_activity {
	enum gn_class class; /* GN_CLASS_JIT, GN_CLASS_GC */
	int32_t function;    /* JIT: the compiled function; -1: not known */
	uint64_t start, end; /* end 0: under way */
};

#define GN_LIVE_STACK	   256 /* limit of the frames shown of a thread */
#define GN_LIVE_ACTIVITIES 8

/* The parts of a thread that only the live view needs. */
struct gn_model_live {
	enum gn_thread_state state;
	enum gn_class doing; /* what the thread does. WAITING: the wait's class;
				RUNNING: app, jit, ...; RUNNABLE: runqueue; else
				unclassified */
	uint16_t reason;     /* system call; GN_NO_SYSCALL: none */
	/* the innermost `nstack` of `depth` frames, outermost first */
	const int32_t *stack;
	uint32_t nstack, depth;
	const struct gn_model_share *shares; /* by elapsed, largest first */
	size_t nshares;
	/* of the whole session, latest first */
	struct gn_model_activity activity[GN_LIVE_ACTIVITIES];
	uint32_t nactivities;
};

/*
 * The kernel's own account of a thread and ours (struct gn_rec_kernel), in ns.
 * Ours exceeds the kernel's by the time that the kernel does not charge (irq,
 * stolen), by the time between reading both clocks at each switch, and by an
 * unexplained rest.
 */
struct gn_kernel_account {
	bool known;	     /* there was such a record */
	uint64_t cpu, delay; /* the kernel's; delay UINT64_MAX: not known */
	uint64_t our_cpu, our_delay;
	uint64_t irq, stolen;
	uint64_t switches; /* switches off a CPU, counted by the kernel */
	int64_t cpu_switch, delay_switch;
	int64_t cpu_rest, delay_rest;
};

struct gn_model_thread {
	uint32_t pid, tid;
	uint32_t number; /* used while the model is built */
	const char *name;
	uint64_t start, end;
	/* 0: a single thread. Else the row stands for this many ended threads:
	 * values are sums, tid is 0, `start` is the first and `end` the
	 * last. */
	uint64_t merged;
	/* sum of end - start over the threads of the row */
	uint64_t span;
	/* span - probe_cost; the classes sum to it */
	uint64_t elapsed;
	uint64_t classes[GN_CLASS_COUNT];
	uint64_t accepted; /* the part of NET that it waited for connections */
	uint64_t gaps;	   /* stretches in which records were lost */
	uint64_t records;  /* records of the thread that were taken */
	/* over the whole session: calls, and records in doubt (marked by the
	 * kernel side, or without a matching frame) */
	uint64_t entered, in_doubt;
	uint64_t probe_cost; /* subtracted from elapsed; see model.probe_cost */
	uint32_t runtime; /* of its process: enum gn_runtime_id; 0: unknown */
	/* a thread of the runtime itself, such as a background compiler: its
	 * waits delay nobody; or a row of only such threads */
	bool helper;
	struct gn_kernel_account kernel;
	struct gn_values v;
	const struct gn_model_live *live; /* NULL: not a period's model */
};

struct gn_model_process {
	uint32_t pid;
	const char *name; /* the name of its last program */
	uint32_t threads;
	bool ended;   /* it ended in the capture, and the file says how */
	int exit;     /* as wait() returns it */
	bool starved; /* the kernel killed it because memory ran out */
	uint64_t ended_at;
	struct gn_values v;
};

/*
 * In threads, processes and the session, inclusive values cover all their time,
 * and exclusive values the time in functions; the difference is the time
 * outside of any function. In the tree that difference is the process node's
 * exclusive values, as if it were a function. min, max and finished apply to
 * calls only, and are 0 elsewhere.
 */

/* X(enumerator, name of the node): what a runtime itself did, or native code
 * that managed code called. */
#define GN_ACTIVITY_NODE_LIST(X) \
	X(JIT, "[jit]")          \
	X(GC, "[gc]")            \
	X(NATIVE, "[native]")

enum gn_activity_node {
	GN_ACTIVITY_NODE_NONE = 0,
#define GN_ACTIVITY_NODE_ENUM(name, text) GN_ACTIVITY_NODE_##name,
	GN_ACTIVITY_NODE_LIST(GN_ACTIVITY_NODE_ENUM)
#undef GN_ACTIVITY_NODE_ENUM
		GN_ACTIVITY_COUNT
};

/* The name of its nodes. */
const char *gn_activity_text(enum gn_activity_node activity);

/*
 * A call path. Node 0 is the session. Its children are processes, and theirs
 * are functions. Threads of a process are merged. Index -1: none.
 *
 * An activity of a runtime is a node, too, below the node in which it ran. It
 * has all the time of the activity, including waits, but is not a call.
 * Functions, modules and edges count that time as their own.
 */
struct gn_model_node {
	int32_t parent, first_child, next; /* siblings in order */
	int32_t function; /* index in functions; -1: use `name` */
	enum gn_activity_node activity;
	const char *name;
	struct gn_values v;
};

/* A caller and a callee: one edge, summed over the session. */
struct gn_model_edge {
	int32_t caller; /* index in functions; -1: root of a thread */
	int32_t callee;
	struct gn_values v; /* the callee's, from this caller */
};

/* Self-checks and oddities. X(field, text, whether it is an error) */
#define GN_CHECK_LIST(X)                                                      \
	/* sum over threads of |elapsed - sum of classes| and                 \
	 * |span - elapsed - probe cost| */                                   \
	X(account_error_ns,                                                   \
	  "classes should sum to a thread's elapsed time, ns apart", 1)       \
	/* with nothing lost */                                               \
	X(slice_mismatches,                                                   \
	  "slices should sum to an interval's OS time, intervals apart", 1)   \
	X(os_overruns,                                                        \
	  "OS time should be within its interval, intervals above", 1)        \
	X(time_reversals,                                                     \
	  "times of a thread should not go back, records that do", 1)         \
	/* time on a CPU or runnable, by more than 1 % and 1 ms, for no known \
	 * reason */                                                          \
	X(sched_errors,                                                       \
	  "times should agree with the kernel's account, threads apart", 1)   \
	X(doubtful_threads,                                                   \
	  "at most 0.1 % of calls should be in doubt, threads with more", 1)  \
	X(unmatched_leaves, "ends of calls whose begin was not seen", 0)      \
	/* they are among the unmatched ones, but are expected */             \
	X(earlier_leaves,                                                     \
	  "of these, calls that began before the thread was traced", 0)       \
	/* their frames ended when the virtual thread waited */               \
	X(mounted_leaves,                                                     \
	  "of these, calls in virtual threads that waited meanwhile", 0)      \
	X(unmatched_unwinds,                                                  \
	  "exceptions that ended a call whose begin was not seen", 0)         \
	X(unwound_frames, "calls that ended without a leave of their own", 0) \
	X(open_frames, "calls still open at the end", 0)                      \
	/* such as coroutines: until then their calls had wrong callers */    \
	X(late_stacks,                                                        \
	  "stacks found late beside others: callers before are not sure", 0)  \
	/* calls whose path is not known: inclusive times of callers lack     \
	 * them */                                                            \
	X(other_calls, "calls in [other]: the call tree is full", 0)

struct gn_checks {
#define GN_CHECK_FIELD(field, text, error) uint64_t field;
	GN_CHECK_LIST(GN_CHECK_FIELD)
#undef GN_CHECK_FIELD
};

struct gn_model_info {
	const char *key, *value;
};

/* A system call. The times are those of calls that returned. */
struct gn_model_syscall {
	uint32_t thread; /* index in threads; 0 in sums over all threads */
	uint16_t nr;
	uint64_t begun, calls, failed; /* calls: those that returned */
	uint64_t cpu, off, shortest, longest;
};

/* A function by samples: how often it was innermost, and how often it was on
 * the stack. */
struct gn_model_sample {
	struct gn_model_named of;
	uint32_t line; /* where it begins in its module, a source file; 0: not
			  known */
	uint64_t self, total;
	uint32_t place; /* used while the model is built */
};

/* A call path of samples. Node 0 is the session; its children are processes,
 * theirs are functions. A parent's index is below its children's. */
struct gn_model_sample_node {
	uint32_t parent;
	const char *name;
	const char *shown; /* shown to people; NULL: `name` */
	uint64_t self;
};

struct gn_model {
	enum gn_classify classify;
	uint64_t start, end;
	struct gn_values session; /* elapsed_incl and app_incl are the 100 % */
	uint64_t lost; /* lost records, by the threads' sequence numbers; in a
			  period's model including those that limits left no
			  room for */
	uint64_t counters[GN_COUNTER_COUNT];
	/* a file that was probed late, and would have been in time if -f had
	 * given its path; NULL: none */
	const char *by_path;
	/* set by the caller of the reader. truncated: the file has no end;
	 * damaged: bytes follow that no writer wrote */
	bool truncated, damaged;
	struct gn_checks checks;
	/*
	 * `probe_cost` was subtracted from the intervals, and so from all
	 * elapsed and application times. `probe_cost_left` was not, because a
	 * function had less time on a CPU than its probes cost. It can be
	 * negative in a period's model: cost left over from an earlier period
	 * was subtracted now. raw: nothing was subtracted. `hook_waited` is the
	 * part of `probe_cost` in which threads waited for gnomon, `own_work`
	 * the part in which they worked for it.
	 */
	bool raw;
	uint64_t probe_cost;
	uint64_t hook_waited, own_work;
	int64_t probe_cost_left;
	struct gn_model_cost costs[GN_PROBE_CLASS_COUNT];
	/* by the bit of the family; not in a period's model */
	struct gn_model_events_cost events_cost[GN_FAMILY_COUNT];

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
	size_t nactivities; /* kinds of activities that nodes can have, or 0 */
	struct gn_model_edge *edges;
	size_t nedges;
	/* by elapsed time, longest first */
	struct gn_model_async *asyncs;
	size_t nasyncs;
	/* by function, then by ns, longest first */
	struct gn_model_wait *waits;
	size_t nwaits;
	/* Events of the requested families, by time; exceptions by count,
	 * allocations by bytes. Not in a period's model. */
	struct gn_model_event *events;
	size_t nevents;
	struct gn_model_exception *exceptions;
	size_t nexceptions;
	struct gn_model_allocation *allocations;
	size_t nallocations;
	struct gn_model_collections collections;
	struct gn_model_starvation starvation;
	/* By time, most first; only calls that began in the session. Not in a
	 * period's model. */
	struct gn_model_syscall *syscalls;
	size_t nsyscalls;
	/* the same by thread; not in a period's model */
	struct gn_model_syscall *thread_syscalls;
	size_t nthread_syscalls;
	/* By self, most first. Samples are not times, and no other value is
	 * based on them. Not in a period's model. */
	struct gn_model_sample *samples;
	size_t nsamples;
	struct gn_model_sample_node *sample_nodes;
	size_t nsample_nodes;
	uint64_t sampled; /* number of all samples */

	void *own; /* owns the strings and arrays */
};

void gn_model_free(struct gn_model *m);

/* The value of an INFO record, or NULL. */
const char *gn_model_info(const struct gn_model *m, const char *key);

/* Whether the runtime is a JVM and no other: it has no events of most
 * families, and asking for them changes nothing. */
bool gn_model_of_jvm(const struct gn_model *m);
/* The same for PHP. */
bool gn_model_of_php(const struct gn_model *m);
/* Whether other runtimes have functions, and .NET has none. */
bool gn_model_without_clr(const struct gn_model *m);

/* Records counted as lost, over all threads; saturates at UINT64_MAX. */
uint64_t gn_model_counted(const struct gn_model *m);

/* The number of lost records to show: those missing by sequence numbers, or
 * those counted, whichever is larger. */
uint64_t gn_model_losses(const struct gn_model *m);

/* Whether anything was lost: by a sequence number, a loss counter, or a missing
 * end of the file. */
bool gn_model_lossy(const struct gn_model *m);

/* Whether gnomon attached to processes, and started none. */
bool gn_model_attached(const struct gn_model *m);

/* What is wrong with a truncated file, such as "has no end". */
const char *gn_model_truncation(const struct gn_model *m);

/* Whether a self-check failed. */
bool gn_model_broken(const struct gn_model *m);

/* Whether the kernel's account of the thread differs from ours by more than 1 %
 * and 1 ms, in time on a CPU or in the run queue. */
bool gn_kernel_differs(const struct gn_kernel_account *k);

/* Whether more records are in doubt than 0.1 % of the calls. */
static inline bool gn_doubtful(uint64_t in_doubt, uint64_t calls)
{
	return in_doubt > calls / 1000;
}

/* The same for a thread. */
bool gn_model_thread_doubtful(const struct gn_model_thread *t);

/* The number of threads in a row, and in a model. */
static inline uint64_t gn_model_row_threads(const struct gn_model_thread *t)
{
	return t->merged ? t->merged : 1;
}
uint64_t gn_model_threads(const struct gn_model *m);

/* Whether a thread with these times only waited. If this holds for each of
 * several threads, it holds for their sum; likewise if it does not. */
bool gn_time_is_idle(const uint64_t classes[GN_CLASS_COUNT], uint64_t elapsed);

/* 100 * part / whole, 0 when whole is 0. */
double gn_pct(uint64_t part, uint64_t whole);

#endif
