/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The finished model, which outputs walk. It is read only. Whoever called
 * gn_pipeline_finish() or gn_pipeline_period() owns it and frees it with
 * gn_model_free(), before or after the pipeline, but in the same thread of
 * execution. All times are nanoseconds. Each array of the model of a file has
 * one order on every machine: by value, then by name, then by id.
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
	uint64_t finished; /* the calls in min and max */
	/* the sum of their times; each level of a recursion counts */
	uint64_t spent;
	uint64_t class_incl[GN_CLASS_COUNT];
	uint64_t class_excl[GN_CLASS_COUNT];
	/* possible error of the times from the cost of probes: the error of
	 * each hit, and the cost that could not be subtracted */
	uint64_t error_incl, error_excl;
	bool gap;      /* a call was open in a gap: some time is unclassified */
	bool unprobed; /* functions, modules, paths: calls from before the
			  probes were attached are missing */
};

struct gn_model_function {
	uint32_t index;	    /* its place in model.functions */
	const char *name;   /* never NULL */
	const char *module; /* never NULL; "" when unknown */
	enum gn_runtime_id runtime;
	struct gn_values v;
	bool muted; /* it is muted: its time counts for its callers */
	const char *short_name; /* by which people know it; NULL: `name` */
	const char *file;	/* of its source; NULL: not known */
	uint32_t line;
};

/* What people read. */
static inline const char *gn_function_shown(const struct gn_model_function *f)
{
	return f->short_name ? f->short_name : f->name;
}

struct gn_model_module {
	const char *name;
	/* inclusive: while any frame of it is on the stack */
	struct gn_values v;
};

/*
 * Time that threads spent off a CPU, or that the kernel worked for them: by the
 * function on top of the stack, by what it was for, and by who ended it. In a
 * period's model a wait that goes on is not counted yet and has no waker.
 * `longest` is then its length so far, and later its whole length.
 */
struct gn_model_wait {
	int32_t function; /* index in functions, -1 = outside of any */
	enum gn_class class;
	uint16_t reason; /* system call number, GN_NO_SYSCALL = none */
	uint64_t ns;
	uint64_t count;
	uint64_t longest;
	uint32_t waker;		/* tid, 0 = unknown or an interrupt */
	const char *waker_name; /* "" when it is not traced */
	/* function on top of the waker's stack, -1 = not known */
	int32_t waker_function;
	/* POLL: what was polled, if it is one file, and what ended the wait */
	enum gn_polled polled;
	enum gn_wait_end end;
	bool idle; /* the wait of a worker that has nothing to do */
};

/*
 * The cost of a hit is not the same at every place of a program, and differs
 * from the measured one. Measured with return probes of functions of several
 * shapes (in rows and nested; entered by a push, a jump or a nop), with other
 * work on the machine: 1 to 10 % between the places, and 5 % between two runs.
 */
#define GN_COST_ERROR_SHARE 8

/*
 * The cost of probes, by class: see struct gn_rec_cost. These are means over
 * the hits. spread: the possible error of one hit. It is half of the measured
 * width, or the share GN_COST_ERROR_SHARE of the cost, and the difference
 * between two measurements.
 */
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

/* What one function cost in one thread during the period. */
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

#define GN_LIVE_STACK	   256 /* limit of frames shown of one thread's stack */
#define GN_LIVE_ACTIVITIES 8

/* What only the live view asks for. */
struct gn_model_live {
	enum gn_thread_state state;
	enum gn_class doing; /* the class of what the thread does. WAITING: of
				the wait; RUNNING: app, jit, ...; RUNNABLE:
				runqueue; else unclassified */
	uint16_t reason;     /* system call, GN_NO_SYSCALL = none */
	/* the innermost `nstack` of `depth` frames, the outermost first */
	const int32_t *stack;
	uint32_t nstack, depth;
	const struct gn_model_share *shares; /* by elapsed, largest first */
	size_t nshares;
	/* of the whole session, the latest first */
	struct gn_model_activity activity[GN_LIVE_ACTIVITIES];
	uint32_t nactivities;
};

/*
 * The kernel's own account of a thread and ours (struct gn_rec_kernel), in ns.
 * Ours exceeds the kernel's by the time that the kernel does not charge (irq,
 * stolen), by the time between the two readings of the clocks at each switch,
 * and by a rest that nothing explains.
 */
struct gn_kernel_account {
	bool known;	     /* the record was there */
	uint64_t cpu, delay; /* the kernel's; delay UINT64_MAX: not known */
	uint64_t our_cpu, our_delay;
	uint64_t irq, stolen;
	uint64_t switches; /* switches off a CPU, counted by the kernel */
	int64_t cpu_switch, delay_switch;
	int64_t cpu_rest, delay_rest;
};

struct gn_model_thread {
	uint32_t pid, tid;
	uint32_t number; /* while the model is made */
	const char *name;
	uint64_t start, end;
	/* 0: it is one thread. Else so many that have ended: the values are
	 * sums, tid is 0, `start` is of the first and `end` of the last. */
	uint64_t merged;
	/* end - start, of all threads of the row */
	uint64_t span;
	/* span - probe_cost, also the sum of the classes */
	uint64_t elapsed;
	uint64_t classes[GN_CLASS_COUNT];
	uint64_t gaps;	  /* stretches with lost records */
	uint64_t records; /* records of the thread that were read */
	/* over the whole session: calls, and records in doubt, because the
	 * kernel side marked them or because they match no frame */
	uint64_t entered, in_doubt;
	uint64_t probe_cost; /* subtracted from elapsed; see model.probe_cost */
	/* one of the runtime's own, as it compiles in the background: what it
	 * waits for is nobody's loss; or a row of such threads only */
	bool helper;
	struct gn_kernel_account kernel;
	struct gn_values v;
	const struct gn_model_live *live; /* NULL: not a period's model */
};

struct gn_model_process {
	uint32_t pid;
	const char *name; /* the name of its last program */
	uint32_t threads;
	bool ended; /* in the capture, and the file tells how: */
	int exit;   /* as wait() tells it */
	uint64_t ended_at;
	struct gn_values v;
};

/*
 * In threads, processes and the session, inclusive values are of all their
 * time, and exclusive ones of the time in functions; the difference is the time
 * outside of any function. In the tree that difference is the exclusive values
 * of the process's node, as a function's own time is. min, max and finished are
 * about calls, and 0 elsewhere.
 */

/* X(enumerator, name of the node): what a runtime did of its own, or native
 * code that managed code called. */
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
 * are functions. Threads of a process are merged. Index -1 = none.
 *
 * A runtime's activity is a node too, below the one in which it was: all of its
 * time, waits as well. It is no call. In functions, modules and edges that time
 * is their own as if there were no such nodes.
 */
struct gn_model_node {
	int32_t parent, first_child, next; /* siblings in order */
	int32_t function; /* index in functions; -1: see name */
	enum gn_activity_node activity;
	const char *name;
	struct gn_values v;
};

/* Who calls whom: one edge, summed over the session. */
struct gn_model_edge {
	int32_t caller; /* index in functions, -1 = a thread's root */
	int32_t callee;
	struct gn_values v; /* values of the callee when this caller calls it */
};

/* Self-checks and oddities. X(field, text, is it an error) */
#define GN_CHECK_LIST(X)                                                     \
	/* sum over threads of |elapsed - sum of classes| and                \
	 * |span - elapsed - probe cost| */                                  \
	X(account_error_ns, "time that the account does not close by", 1)    \
	/* intervals whose slices and OS time differ, with nothing lost */   \
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
	/* they are among the unmatched ones, and as they should be */       \
	X(earlier_leaves,                                                    \
	  "of these, leaves of calls from before the thread was traced", 0)  \
	/* their frames ended when the thread that called them waited */     \
	X(mounted_leaves,                                                    \
	  "of these, leaves in virtual threads that had waited since the "   \
	  "call",                                                            \
	  0)                                                                 \
	X(unmatched_unwinds, "unwinds that match no frame", 0)               \
	X(unwound_frames, "frames that ended without a leave", 0)            \
	X(open_frames, "frames still open at the end", 0)                    \
	/* as of coroutines: until then their calls had the wrong callers */ \
	X(late_stacks,                                                       \
	  "stacks found late beside others: callers before are not sure", 0) \
	/* calls whose path is not known: inclusive times of callers lack    \
	 * them */                                                           \
	X(other_calls, "calls in [other]: the call tree is full", 0)

struct gn_checks {
#define GN_CHECK_FIELD(field, text, error) uint64_t field;
	GN_CHECK_LIST(GN_CHECK_FIELD)
#undef GN_CHECK_FIELD
};

/* A function that runs where its calls are not seen. */
struct gn_model_unseen {
	const char *name, *module; /* never NULL */
	/* call sites that may have an inlined copy of it */
	uint64_t sites;
};

/* Facts about the code of a runtime's functions, since the beginning of the
 * capture. */
struct gn_model_code {
	uint64_t compiled; /* compilations */
	uint64_t thrown;   /* of these ended by an exception, at a time that is
			    * not known: up to the next one, or to the next call
			    * that is seen, all is time of theirs */
	uint64_t refused;  /* functions whose precompiled code was refused */
	/* precompiled methods that may have copies of traced functions, and may
	 * have run */
	uint64_t copies_ran;
	uint64_t selected[GN_SELECTED_COUNT];
	uint64_t sites; /* call sites that may have a copy of their callee */
	/* by sites (most first), name, module; not in a period's model */
	struct gn_model_unseen *inlined;
	size_t ninlined;
	/* traced functions that were compiled without hooks */
	struct gn_model_unseen *unhooked;
	size_t nunhooked;
};

/* Where an async method waits: an await, or the yield of an iterator. */
struct gn_model_await {
	int32_t state;	/* of its machine: from 0 an await, below -3 a yield */
	uint64_t count; /* suspensions there */
	uint64_t ns;	/* of all, until the end of those that still wait */
	uint64_t waiting; /* that still do */
	uint64_t older;	  /* resumptions of suspensions before the session */
	uint32_t line;	  /* in its function's file; 0: not known */
	/* it called this function, which was suspended in that state: index in
	 * functions; -1: none that was seen */
	int32_t inner, inner_state;
};

/* An async method. Its running time is that of `function`. */
struct gn_model_async {
	int32_t function; /* index in functions: its machine's MoveNext */
	uint64_t starts, completions;
	uint64_t faulted;   /* of the completions; or cancelled */
	uint64_t in_flight; /* not completed */
	uint64_t most;	    /* in flight at once, in one process */
	/* completions of instances that began before the session; no other
	 * number has them */
	uint64_t older;
	uint64_t elapsed; /* of all instances; those in flight until the end */
	bool gap;	  /* more ended than began: something was not seen */
	struct gn_model_await *awaits; /* by state, yields last */
	size_t nawaits;
};

struct gn_model_info {
	const char *key, *value;
};

/* A function, a class, a module: whatever a runtime gives a name. */
struct gn_model_named {
	/* never NULL; "": there is none, or it is not known */
	const char *name, *module;
	const char *shown; /* what people read; NULL: name */
};

/* An event of a runtime: at a time, or from one time to another. */
struct gn_model_event {
	uint16_t event; /* enum gn_rt; of a stretch the begin */
	bool open;	/* its end was not told: it is that of its thread, of a
			   collection that of its process */
	bool no_end;	/* records were lost, or it threw: its end and `cpu` are
			   not known, and `end` is its start */
	bool no_cpu;	/* `cpu` is not known: another thread ended it that does
			   not only collect, or slices were lost */
	bool collector; /* the thread only collects */
	uint64_t start, end;
	/* compilations and collections: on a CPU for it; of collections that of
	 * all threads that only collect, too */
	uint64_t cpu;
	uint32_t gaps;	/* of collections: of the thread, before it */
	uint32_t execs; /* of collections: of the process, before it */
	uint32_t mark;	/* of collections: of their begin (collectors.h) */
	uint64_t value[GN_RT_VALUES];	 /* what they are: runtime_event.h */
	struct gn_model_named of, other; /* other: where value[0] is a NAME */
	uint32_t pid, tid;
	const char *thread; /* its name */
	uint32_t order;	    /* as it was told */
};

/* Exceptions of one class by where they were thrown and caught. */
struct gn_model_exception {
	struct gn_model_named class, thrown_in, caught_in;
	bool caught;	/* false: by nobody that is known */
	uint64_t count; /* that were thrown */
	uint64_t ns;	/* from throw to catch, of all */
};

struct gn_model_allocation {
	struct gn_model_named class, function; /* function: "" outside of any */
	uint64_t count, bytes;
};

/* So many collections began. Not in a period's model. */
struct gn_model_collections {
	uint64_t all;
	uint64_t told;	/* of which it is known who wanted them */
	uint64_t asked; /* the program did */
	/* waits for the end of suspensions that were for a collection */
	uint64_t stops, stopped_ns, longest_stop;
};

/* A system call. The times are of the calls that returned. */
struct gn_model_syscall {
	uint32_t thread; /* index in threads; 0 where it is of all */
	uint16_t nr;
	uint64_t begun, calls, failed; /* calls: those that returned */
	uint64_t cpu, off, shortest, longest;
};

/* A function by samples: where it was the innermost one, and where it was on
 * the stack at all. */
struct gn_model_sample {
	struct gn_model_named of;
	uint64_t self, total;
	uint32_t place; /* while it is made */
};

/* A call path of samples. Node 0 is the session; its children are processes,
 * theirs functions; a parent's index is below its children's. */
struct gn_model_sample_node {
	uint32_t parent;
	const char *name;
	const char *shown; /* what people read; NULL: name */
	uint64_t self;
};

struct gn_model {
	enum gn_classify classify;
	uint64_t start, end;
	struct gn_values session; /* elapsed_incl, app_incl: the 100 % */
	uint64_t lost; /* lost records, by the threads' sequence numbers; in a
			  period's model also those for which there was no room
			*/
	uint64_t counters[GN_COUNTER_COUNT];
	/* a file that had its probes late and would not, had -f named its path;
	 * NULL: none */
	const char *by_path;
	/* the caller of the reader sets these: the file has no end; it goes on,
	 * but with bytes that no writer wrote */
	bool truncated, damaged;
	struct gn_checks checks;
	/*
	 * `probe_cost` was subtracted from the intervals, and so from all
	 * elapsed and application times. `probe_cost_left` was not, because a
	 * function had less time on a CPU than its probes cost. It can be
	 * negative in a period's model: a rest from an earlier period was
	 * subtracted now. raw: nothing was subtracted. `hook_waited` is the
	 * part of `probe_cost` in which threads waited for gnomon, `own_work`
	 * that in which they worked for it.
	 */
	bool raw;
	uint64_t probe_cost;
	uint64_t hook_waited, own_work;
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
	size_t nactivities; /* kinds of activities that nodes can be, or 0 */
	struct gn_model_edge *edges;
	size_t nedges;
	/* by elapsed time, longest first */
	struct gn_model_async *asyncs;
	size_t nasyncs;
	/* by function, then by ns, longest first */
	struct gn_model_wait *waits;
	size_t nwaits;
	/* Events of the families that were asked for, by time; exceptions by
	 * count, allocations by bytes. Not in a period's model. */
	struct gn_model_event *events;
	size_t nevents;
	struct gn_model_exception *exceptions;
	size_t nexceptions;
	struct gn_model_allocation *allocations;
	size_t nallocations;
	struct gn_model_collections collections;
	/* By their time, most first; only those that began in the session. Not
	 * in a period's model. */
	struct gn_model_syscall *syscalls;
	size_t nsyscalls;
	/* the same of each thread; none in a period's model */
	struct gn_model_syscall *thread_syscalls;
	size_t nthread_syscalls;
	/* By self, most first. They are no times, and nothing else is made of
	 * them. Not in a period's model. */
	struct gn_model_sample *samples;
	size_t nsamples;
	struct gn_model_sample_node *sample_nodes;
	size_t nsample_nodes;
	uint64_t sampled; /* all of them */

	void *own; /* the storage of the strings and arrays */
};

void gn_model_free(struct gn_model *m);

/* The value of an INFO record, or NULL. */
const char *gn_model_info(const struct gn_model *m, const char *key);

/* Records that were counted as lost, over all threads. UINT64_MAX: more than
 * that. */
uint64_t gn_model_counted(const struct gn_model *m);

/* How many were lost, for people: those that threads miss or those that were
 * counted, whichever are more. */
uint64_t gn_model_losses(const struct gn_model *m);

/* Whether something was lost: by a sequence number, by a loss counter, or
 * because the file has no end. */
bool gn_model_lossy(const struct gn_model *m);

/* What is wrong with a truncated file, as "has no end". */
const char *gn_model_truncation(const struct gn_model *m);

/* Whether a check that is an error is not 0. */
bool gn_model_broken(const struct gn_model *m);

/* Whether the kernel's account of the thread differs from ours by more than 1 %
 * and 1 ms, on CPUs or in the run queue. */
bool gn_kernel_differs(const struct gn_kernel_account *k);

/* Whether the records in doubt are more than 0.1 % of the calls. */
static inline bool gn_doubtful(uint64_t in_doubt, uint64_t calls)
{
	return in_doubt > calls / 1000;
}

/* The same for a thread. */
bool gn_model_thread_doubtful(const struct gn_model_thread *t);

/* The threads that a row stands for; those of a model. */
static inline uint64_t gn_model_row_threads(const struct gn_model_thread *t)
{
	return t->merged ? t->merged : 1;
}
uint64_t gn_model_threads(const struct gn_model *m);

/* Whether a thread with these times did nothing but wait. What is so of threads
 * is so of their sum, and likewise what is not. */
bool gn_time_is_idle(const uint64_t classes[GN_CLASS_COUNT], uint64_t elapsed);

/* 100 * part / whole, 0 when whole is 0. */
double gn_pct(uint64_t part, uint64_t whole);

#endif
