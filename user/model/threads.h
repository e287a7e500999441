/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads and processes of a session while records come in. Ids are reused,
 * so each life has its own entry. */
#ifndef GNOMON_MODEL_THREADS_H
#define GNOMON_MODEL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/roles.h>
#include "model/account.h"
#include "model/async.h"
#include "model/collecting.h"
#include "model/events.h"
#include "model/order.h"
#include "model/pipeline.h"
#include "model/live/live.h"
#include "model/live/shares.h"
#include "model/samples.h"
#include "model/syscalls.h"
#include "model/stack.h"
#include "model/starved.h"
#include "model/taken.h"
#include "model/suspend.h"
#include "model/waits.h"

/* What a waker reported about its wakeup, if it is traced. */
struct gn_wake {
	uint64_t time;
	uint32_t waker; /* tid; 0: none */
	uint32_t fn;	/* function on top of its stack, or GN_NONE */
	bool completes; /* that is an async method that has completed */
};

/* Whether a probe hit was a call or its end. NONE: neither. */
enum gn_way { GN_WAY_NONE = 0, GN_WAY_IN, GN_WAY_OUT };

struct gn_thread {
	uint32_t index;	 /* in threads */
	uint32_t number; /* of this life; unlike `index`, it never changes */
	uint32_t tid;
	uint32_t process; /* index in processes */
	const char *name;
	enum gn_role role;  /* derived from its name */
	uint32_t suspended; /* gn_async_take's */
	uint64_t awaited;   /* the number of its latest AWAITED */
	/* index + 1 in names: the async method that completed in its last
	 * record of one; 0: that did not complete. A method completes before it
	 * ends its task. */
	uint32_t completed;
	uint64_t start, end; /* start: may be the end of the last period */
	uint64_t last;	     /* time of its latest record of any kind */
	uint64_t sliced;     /* when its last slice ended; 0: no slice */
	uint64_t accepted;   /* how long it waited for connections */
	bool closed;
	bool stopped; /* closed at the end of the capture: no records follow */
	bool silent;  /* had no record in the last period */
	uint64_t gaps;
	uint64_t records;
	/* over all periods: enters, and records marked as in doubt */
	uint64_t entered, in_doubt;
	/*
	 * Leaves without a frame that only late probes of the process can
	 * explain, if such probes are reported: then none of them is in doubt,
	 * provided that all can be of calls from before. `unmatched_since`: the
	 * earliest time at which the latest of these calls can have been made.
	 */
	uint64_t unmatched, unmatched_since;
	uint32_t program; /* once it is closed: the program that it ended in */
	enum gn_way way;  /* direction of its last hit */
	/* probe cost of the events in its open interval, the possible error,
	 * and the cost of all its events */
	struct {
		uint64_t open, error, all;
	} events_cost;
	/* it runs native code that managed code called; the number of frames on
	 * that stack at the call */
	struct {
		bool is;
		uint32_t depth;
		uint64_t stack;
	} native;
	/* 0: a single thread. Else the row stands for this many ended threads
	 * (fold.c), whose time sums to `span`. */
	uint64_t merged, span;
	bool in_events; /* rows of events refer to it */
	bool ringed; /* its hooks are not probes, unless their records say so */
	bool joined; /* it ran before it was traced */
	bool lossy;  /* it had gaps in earlier periods */
	bool mounts; /* it has run virtual threads (GN_ROLE_MOUNTS) */
	/* what the observer was shown: `known`: the thread; `told`: its current
	 * state; `suspends_told`: that it suspends others */
	bool told, suspends_told, known;
	uint32_t nest_told;
	/* if known: process and tid as first shown */
	uint32_t told_process, told_tid;
	uint64_t seen; /* time of the last event */
	struct gn_order order;
	struct gn_account account;
	struct gn_stacks stacks;
	struct gn_wait_list open; /* slices of the open interval */
	struct gn_wake wake;	  /* the last wake of it */
	struct gn_syscall_open syscall;
	struct gn_kernel_account kernel;
	struct gn_live live;
	struct gn_events_open *events; /* NULL: none */
	struct gn_walk_held *held;     /* NULL: none so far */
};

struct gn_process {
	uint32_t pid;
	const char *name;
	bool name_is_leaders;
	uint32_t program; /* to resolve names; changes at an exec */
	uint32_t execs;	  /* number of execs so far */
	bool collected;	  /* its program has rows of collections */
	uint32_t node;
	uint32_t threads, live;
	uint32_t exit; /* GN_EXIT_TOLD and how it ended; 0: not known */
	uint64_t ended_at;
	bool lost; /* records of threads in its program were lost */
	/* of its program, as a thread's name shows: enum gn_runtime_id; 0: not
	 * known */
	uint32_t runtime;
	/* probe cost owed by the time outside of functions */
	uint64_t owed;
	/* rows of its ended threads: [0] those that worked, [1] idle ones */
	struct gn_thread *ended[2];
	uint32_t moves_to; /* its index after ended threads are dropped */
	struct gn_windows windows;
	struct gn_collecting *collecting; /* NULL: not observed */
	struct gn_collectors_sum collectors;
};

/* Sums of the assumed cost over the hits of a class. */
struct gn_cost_sums {
	uint64_t before, after, error;
};

/* What a hit of a class costs before its record, and the possible error of the
 * part after it, in ns. [1]: the thread's last hit was in the other
 * direction. */
struct gn_hit_cost {
	uint32_t before[2], error_after[2];
	uint32_t error; /* possible error of both parts */
};

struct gn_pipeline {
	struct gn_pipeline_opts opts;
	struct gn_stage stage;
	struct gn_waits waits;
	struct gn_asyncs asyncs; /* not live */
	struct gn_thread **threads;
	uint32_t nthreads, threads_cap;
	uint32_t lives;	  /* number of threads so far */
	uint32_t fold_at; /* fold when more threads than this have ended */
	/* tid -> the thread that has it, or had it last */
	struct gn_table by_tid;
	struct gn_ghosts ghosts;
	struct gn_sweep_due sweep;
	struct gn_load load;
	struct gn_shares shares;
	struct gn_events events;
	struct gn_samples samples;
	struct gn_syscalls syscalls; /* not live */
	struct gn_starved starved;
	struct gn_taken taken;
	uint32_t last_tid, last_thread; /* the last look-up in by_tid */
	struct gn_process *processes;
	uint32_t nprocesses, processes_cap;
	struct gn_table by_pid;
	struct gn_model_info *info;
	uint32_t ninfo, info_cap;
	uint64_t counters[GN_COUNTER_COUNT];
	const char *by_path; /* see struct gn_model; NULL: none */
	uint64_t lost;
	uint64_t records;
	uint64_t inherited; /* frames that forks have copied */
	/* the last measurement */
	struct gn_model_cost costs[GN_PROBE_CLASS_COUNT];
	struct gn_hit_cost hit[GN_PROBE_CLASS_COUNT]; /* derived from `costs` */
	/* ns: recent differences between measurements of a class */
	uint32_t drifts[GN_PROBE_CLASS_COUNT];
	/* hits that are not in the sums yet; [1]: the direction changed */
	uint64_t unsettled[GN_PROBE_CLASS_COUNT][2];
	uint64_t hits[GN_PROBE_CLASS_COUNT];
	struct gn_model_events_cost family_costs[GN_FAMILY_COUNT];
	struct gn_cost_sums cost_sums[GN_PROBE_CLASS_COUNT];
	/* probe cost owed by all functions and processes */
	uint64_t owed;
	uint64_t mute_steps;	   /* steps of all MUTE records so far */
	uint64_t owed_before;	   /* `owed` when the period began */
	struct gn_model_code code; /* only the counts */
	bool costed;		   /* some class was measured */
	bool lost_before;	   /* something was lost in an earlier period */
	bool periods;		   /* an earlier period ended at `start` */
	bool has_session;
	uint64_t start, end; /* of the session; end 0: not known */
	uint64_t attached;   /* until then gnomon attached; 0: it did not, or it
				still does */
	uint64_t last;	     /* latest time of any thread's record */
};

/* The last thread with `tid`, closed or not; NULL: there was none. */
struct gn_thread *gn_thread_find(struct gn_pipeline *p, uint32_t tid);

/* The name of a thread, which may have ended; NULL: it was not traced. */
const char *gn_thread_name(struct gn_pipeline *p, uint32_t tid);

/* Adds a thread that is first seen at `time`. `pid`, `parent`: 0: not known.
 * NULL: no memory. */
struct gn_thread *gn_thread_new(struct gn_pipeline *p, uint32_t tid,
				uint32_t pid, uint32_t parent, uint64_t time);

/* Gives `t` a new tid. Then no thread has the old one. */
int gn_thread_renumber(struct gn_pipeline *p, struct gn_thread *t,
		       uint32_t tid);

/* Sets the process of a thread whose process was not known. */
int gn_thread_set_pid(struct gn_pipeline *p, struct gn_thread *t, uint32_t pid);

/* Sets the name of the thread; `comm` may lack a NUL. `program`: it is also the
 * name of the program that its process runs. */
int gn_thread_set_name(struct gn_pipeline *p, struct gn_thread *t,
		       const char comm[16], bool program);

/* Closes the thread's account and ends its frames as `how` says. */
void gn_thread_close(struct gn_pipeline *p, struct gn_thread *t, uint64_t end,
		     enum gn_frame_end how);

/* Merges ended threads beyond the limit into rows of their processes (fold.c).
 * 0 or -ENOMEM. */
int gn_threads_fold(struct gn_pipeline *p);

/* The number of its records that nothing explains. */
uint64_t gn_thread_in_doubt(const struct gn_pipeline *p,
			    const struct gn_thread *t);

/* The thread's program ends at `time`: late probes of the next one do not
 * explain its leaves. If those of the next one were already reported, returns
 * when they were attached; else 0. */
uint64_t gn_thread_settle_program(struct gn_pipeline *p, struct gn_thread *t,
				  uint64_t time);

/* Counts the records in doubt of an ended thread, when all that can explain
 * them was reported. */
void gn_thread_settle(struct gn_pipeline *p, const struct gn_thread *t);

/* The program of process `pid` ran before all its probes were attached, at
 * `time`. */
void gn_process_late(struct gn_pipeline *p, uint32_t pid, uint64_t time);

/* Adds a closed interval to the node that owns it. `open`: it is the reported
 * part of an open interval. */
int gn_thread_charge(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_interval *iv, bool open);

void gn_thread_free(struct gn_thread *t);

/* Takes a record about the code of a function (code.c). 0, -ENOMEM. */
int gn_code_take(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r);

/* The thread has ended, but the record of its end was lost. 0 or -ENOMEM. */
int gn_thread_lose_end(struct gn_pipeline *p, struct gn_thread *t);

/* If `err` is -ENOSPC (a limit left no room), counts the record as lost and
 * returns 0. Returns other errors unchanged. */
int gn_thread_no_room(struct gn_pipeline *p, struct gn_thread *t, int err);

/* Adds a slice to the account, when it is next in the thread's order.
 * gn_slices_release(): does so for held slices that start before `before`. 0 or
 * -ENOMEM (slices.c). */
int gn_slice_put(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_slice *s);
/* The thread ran on a CPU from its last slice to `to`. */
void gn_slices_ran(struct gn_pipeline *p, struct gn_thread *t, uint64_t to);
int gn_slices_release(struct gn_pipeline *p, struct gn_thread *t,
		      uint64_t before);
/* Add a slice only for the report at the end of a period: a held slice that
 * will be added later, or the part up to h.time of an open one. */
int gn_slice_put_held(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_slice *s);
int gn_slice_put_open(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_slice *s);
/* The class of a wait, given the kernel's and where the thread is. */
enum gn_class gn_slice_class(const struct gn_pipeline *p,
			     const struct gn_thread *t, enum gn_class class,
			     uint16_t reason);
/* Whether an open wait looks like a suspension: its waker is not known yet. */
bool gn_slice_suspended(const struct gn_pipeline *p, const struct gn_thread *t,
			const struct gn_rec_slice *s);

/* The thread wakes another thread (slices.c). */
void gn_slices_wake(struct gn_pipeline *p, const struct gn_thread *waker,
		    uint64_t time, uint64_t woken);

/* Take a KERNEL record, and its form in old files (kernel.c). */
void gn_kernel_take(struct gn_thread *t, const struct gn_rec_kernel *r);
void gn_kernel_take_old(struct gn_thread *t, const struct gn_rec_sched *r);

/* Takes a MUTE record (mute.c). 0 or -ENOMEM. */
int gn_mute_take(struct gn_pipeline *p, const struct gn_rec_mute *r);

/* Whether anything was lost so far. */
bool gn_pipeline_lossy(const struct gn_pipeline *p);

/* Makes the model of all records since the last one. `tree` has their sums and
 * is freed (build.c). 0 or -ENOMEM. */
int gn_build(struct gn_pipeline *p, struct gn_tree *tree,
	     struct gn_model **out);

#endif
