/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The threads and processes of a session while records come in. Thread and
 * process ids can come again: each life is its own entry.
 */
#ifndef GNOMON_MODEL_THREADS_H
#define GNOMON_MODEL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/account.h"
#include "model/order.h"
#include "model/pipeline.h"
#include "model/live/live.h"
#include "model/live/shares.h"
#include "model/stack.h"
#include "model/suspend.h"
#include "model/waits.h"

/* What a traced thread that woke another said of it. */
struct gn_wake {
	uint64_t time;
	uint32_t waker; /* tid, 0: nothing was said */
	uint32_t fn;	/* on top of its stack, GN_NONE: none */
};

/* What a probe was hit for; NONE: neither a call nor its end. */
enum gn_way { GN_WAY_NONE = 0, GN_WAY_IN, GN_WAY_OUT };

struct gn_thread {
	uint32_t index; /* in threads */
	uint32_t tid;
	uint32_t process; /* index in processes */
	const char *name;
	uint64_t start, end; /* start: or the last period's end */
	uint64_t last;	     /* time of its latest record of any kind */
	bool closed;
	bool stopped; /* by the end of the capture: nothing can follow */
	bool silent;  /* nothing told of it in the last period */
	uint64_t gaps;
	uint64_t records;
	/* of all periods: enters, and records that say that they are in doubt
	 * or are leaves of no frame; not what losses explain, and a beginning
	 * within calls */
	uint64_t entered, in_doubt;
	enum gn_way way; /* of its last hit */
	bool joined;	 /* it ran before it was traced */
	bool lossy;	 /* there were gaps in earlier periods */
	/* what an observer was told: of it as it is now, of its activities */
	bool told, suspends_told, known;
	uint32_t nest_told;
	uint32_t told_process, told_tid; /* known: the first ones */
	uint64_t seen;			 /* time of the last event */
	struct gn_order order;
	struct gn_account account;
	struct gn_stacks stacks;
	struct gn_wait_list open; /* slices of the open interval */
	struct gn_wake wake;	  /* the last one of it */
	struct gn_kernel_account kernel;
	struct gn_live live;
};

struct gn_process {
	uint32_t pid;
	const char *name;
	bool name_is_leaders;
	uint32_t program; /* for names; another one after an exec */
	uint32_t node;
	uint32_t threads, live;
	uint64_t owed;	   /* probe cost, by time outside of functions */
	uint32_t moves_to; /* its index once the ended ones are forgotten */
	struct gn_windows windows;
};

/* Over the hits of a class, what each was taken to cost. */
struct gn_cost_sums {
	uint64_t before, after, error;
};

struct gn_pipeline {
	struct gn_pipeline_opts opts;
	struct gn_stage stage;
	struct gn_waits waits;
	struct gn_thread **threads;
	uint32_t nthreads, threads_cap;
	struct gn_table by_tid; /* the thread that has the tid now, or had */
	struct gn_ghosts ghosts;
	struct gn_sweep_due sweep;
	struct gn_load load;
	struct gn_shares shares;
	uint32_t last_tid, last_thread; /* the last answer of by_tid */
	struct gn_process *processes;
	uint32_t nprocesses, processes_cap;
	struct gn_table by_pid;
	struct gn_model_info *info;
	uint32_t ninfo, info_cap;
	uint64_t counters[GN_COUNTER_COUNT];
	uint64_t lost;
	uint64_t records;
	uint64_t inherited; /* frames that forks copied */
	struct gn_model_cost costs[GN_PROBE_CLASS_COUNT]; /* as measured last */
	int32_t turns[GN_PROBE_CLASS_COUNT]; /* gn_rec_cost's turn_ns */
	/* ns that one measurement of a class and the next lately differed by */
	uint32_t drifts[GN_PROBE_CLASS_COUNT];
	uint64_t hits[GN_PROBE_CLASS_COUNT];
	struct gn_cost_sums cost_sums[GN_PROBE_CLASS_COUNT];
	uint64_t owed;	      /* probe cost, of all functions and processes */
	uint64_t owed_before; /* of that, when the period began */
	struct gn_model_code code; /* its counts */
	bool costed;		   /* at least one was measured */
	bool lost_before;	   /* something was, in an earlier period */
	bool periods; /* there was an earlier period; it ended at `start` */
	bool has_session;
	uint64_t start, end; /* of the session; end 0 = not known */
	uint64_t last;	     /* latest time of any thread's record */
};

/* The thread that has `tid`, closed or not; NULL: none yet. */
struct gn_thread *gn_thread_find(struct gn_pipeline *p, uint32_t tid);

/* A thread that is first seen at `time`. `pid` 0: not known. NULL: no memory.
 * `parent` 0: not known. */
struct gn_thread *gn_thread_new(struct gn_pipeline *p, uint32_t tid,
				uint32_t pid, uint32_t parent, uint64_t time);

/* From now on `t` has the tid, and no thread has its old one. */
int gn_thread_renumber(struct gn_pipeline *p, struct gn_thread *t,
		       uint32_t tid);

/* A thread whose process was not known belongs to `pid`. */
int gn_thread_set_pid(struct gn_pipeline *p, struct gn_thread *t, uint32_t pid);

/* Its comm: `comm` may lack the NUL. `program`: it is the name of what its
 * process runs, too. */
int gn_thread_set_name(struct gn_pipeline *p, struct gn_thread *t,
		       const char comm[16], bool program);

/* The thread's account is closed and its frames are ended: `how`. */
void gn_thread_close(struct gn_pipeline *p, struct gn_thread *t, uint64_t end,
		     enum gn_frame_end how);

/* Charges a closed interval to whom it belongs; `open`: what was told of one
 * that goes on. */
int gn_thread_charge(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_interval *iv, bool open);

void gn_thread_free(struct gn_thread *t);

/* A record that tells of a function's code (code.c). 0, -ENOMEM. */
int gn_code_take(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_func *r);

/* The thread has ended, and what told so was lost. 0 or -ENOMEM. */
int gn_thread_lose_end(struct gn_pipeline *p, struct gn_thread *t);

/* -ENOSPC, there was no room for what a record of it tells, makes the record
 * one that was lost: 0. Any other `err` is what it is. */
int gn_thread_no_room(struct gn_pipeline *p, struct gn_thread *t, int err);

/* A slice, when it has come to its place in the thread's order; and those that
 * waited for it and start before `before`. 0 or -ENOMEM (slices.c). */
int gn_slice_put(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_slice *s);
int gn_slices_release(struct gn_pipeline *p, struct gn_thread *t,
		      uint64_t before);
/* One that is held back is told for now, and put later; and of one that goes
 * on, what there was up to h.time. */
int gn_slice_put_held(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_slice *s);
int gn_slice_put_open(struct gn_pipeline *p, struct gn_thread *t,
		      const struct gn_rec_slice *s);
/* What a wait of that class and system call is where the thread is now. */
enum gn_class gn_slice_class(const struct gn_pipeline *p,
			     const struct gn_thread *t, enum gn_class class,
			     uint16_t reason);
/* Whether a wait that goes on seems to be one for the end of a suspension: who
 * ends it is not known yet. */
bool gn_slice_suspended(const struct gn_pipeline *p, const struct gn_thread *t,
			const struct gn_rec_slice *s);

/* The thread wakes another (slices.c). */
void gn_slices_wake(struct gn_pipeline *p, const struct gn_thread *waker,
		    uint64_t time, uint64_t woken);

/* A COST record (probecost.c). */
void gn_cost_take(struct gn_pipeline *p, const struct gn_rec_cost *r);

/* What the record's probe cost and can be wrong by; counts it (probecost.c). */
void gn_cost_note(struct gn_pipeline *p, struct gn_thread *t,
		  const struct gn_rec_func *r, struct gn_ending *e);

/* What a class cost in the period, for the model (probecost.c). */
struct gn_model_cost gn_cost_mean(const struct gn_pipeline *p, int class);

/* KERNEL records, and those of old files (kernel.c). */
void gn_kernel_take(struct gn_thread *t, const struct gn_rec_kernel *r);
void gn_kernel_take_old(struct gn_thread *t, const struct gn_rec_sched *r);

/* A MUTE record (mute.c). 0 or -ENOMEM. */
int gn_mute_take(struct gn_pipeline *p, const struct gn_rec_mute *r);

/* Whether anything was lost so far. */
bool gn_pipeline_lossy(const struct gn_pipeline *p);

/* Makes the model of all that was fed since the last one; frees `tree`, whose
 * sums they are (build.c). 0 or -ENOMEM. */
int gn_build(struct gn_pipeline *p, struct gn_tree *tree,
	     struct gn_model **out);

#endif
