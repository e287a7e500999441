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
#include "model/stack.h"
#include "model/suspend.h"
#include "model/waits.h"

/* What a traced thread that woke another said of it. */
struct gn_wake {
	uint64_t time;
	uint32_t waker; /* tid, 0: nothing was said */
	uint32_t fn;	/* on top of its stack, GN_NONE: none */
};

/* Sums of SCHED records; kernel_delay UINT64_MAX: not told. */
struct gn_sched_sums {
	bool known;
	uint64_t kernel_cpu, kernel_delay;
	uint64_t cpu, delay;
};

struct gn_thread {
	uint32_t tid;
	uint32_t process; /* index in processes */
	const char *name;
	uint64_t start, end;
	uint64_t last; /* time of its latest record of any kind */
	bool closed;
	bool stopped; /* by the end of the capture: nothing can follow */
	uint64_t gaps;
	uint64_t records;
	struct gn_order order;
	struct gn_account account;
	struct gn_stacks stacks;
	struct gn_wait_list open; /* slices of the open interval */
	struct gn_wake wake;	  /* the last one of it */
	struct gn_sched_sums sched;
};

struct gn_process {
	uint32_t pid;
	const char *name;
	bool name_is_leaders;
	uint32_t program; /* for names; another one after an exec */
	uint32_t node;
	uint32_t threads, live;
	struct gn_windows windows;
};

struct gn_pipeline {
	struct gn_pipeline_opts opts;
	struct gn_stage stage;
	struct gn_waits waits;
	struct gn_thread **threads;
	uint32_t nthreads, threads_cap;
	struct gn_table by_tid; /* the thread that has the tid now, or had */
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
	struct gn_model_cost costs[GN_PROBE_CLASS_COUNT];
	bool costed; /* at least one was measured */
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

/* Charges a closed interval to whom it belongs. */
int gn_thread_charge(struct gn_pipeline *p, struct gn_thread *t,
		     const struct gn_interval *iv);

void gn_thread_free(struct gn_thread *t);

/* A slice, when it has come to its place in the thread's order; and those that
 * waited for it and start before `before`. 0 or -ENOMEM (slices.c). */
int gn_slice_put(struct gn_pipeline *p, struct gn_thread *t,
		 const struct gn_rec_slice *s);
int gn_slices_release(struct gn_pipeline *p, struct gn_thread *t,
		      uint64_t before);

/* The thread wakes another (slices.c). */
void gn_slices_wake(struct gn_pipeline *p, const struct gn_thread *waker,
		    uint64_t time, uint64_t woken);

/* A COST record (probecost.c). */
void gn_cost_take(struct gn_pipeline *p, const struct gn_rec_cost *r);

/* The probe that a collect record comes from (probecost.c). */
enum gn_probe_class gn_cost_class(const struct gn_pipeline *p,
				  const struct gn_rec_func *r);

/* A SCHED record; and whether the two accounts differ (sched.c). */
void gn_sched_take(struct gn_thread *t, const struct gn_rec_sched *r);
bool gn_sched_differs(const struct gn_thread *t);

/* Makes the model of all that was fed; all threads are closed (build.c). */
int gn_build(struct gn_pipeline *p, struct gn_model **out);

#endif
