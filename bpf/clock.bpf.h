/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Two clocks: ours, which is CLOCK_MONOTONIC, and the scheduler's (struct rq),
 * by which the kernel keeps its own account of each thread. */
#ifndef GNOMON_CLOCK_BPF_H
#define GNOMON_CLOCK_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "maps.bpf.h"

/*
 * Whether this kernel's structures have the scheduler's clock of a task's CPU.
 */
static __always_inline bool clock_known(void)
{
	return bpf_core_field_exists(((struct sched_entity *)0)->cfs_rq) &&
	       bpf_core_field_exists(((struct cfs_rq *)0)->rq);
}

static __always_inline bool queue_known(void)
{
	return clock_known() &&
	       bpf_core_field_exists(((struct sched_info *)0)->last_queued);
}

/* The run queue of the CPU that the task is on or queued on. */
static __always_inline struct rq *rq_of(struct task_struct *p)
{
	return untrusted(p)->se.cfs_rq->rq;
}

/* Our clock can be corrected by 1/2000 of the time (NTP). The difference
 * between the clocks cannot grow by more than this part of it. */
#define SKEW_PART 1024

/*
 * Samples the difference between the clocks again. Called when gnomon's own
 * thread goes to sleep. A host can take the CPU right before our clock is read,
 * also twice in a row. Then the sample is too large by more than the clocks can
 * differ.
 */
static __always_inline void renew_skew(struct task_struct *self)
{
	__s64 before = control.skew[1], seen, most;
	__u64 now;

	if (!queue_known())
		return;
	now = bpf_ktime_get_ns();
	seen = now - rq_of(self)->clock;
	most = before + (now - control.skew_time) / SKEW_PART;
	control.skew[0] = before;
	control.skew[1] = before && seen > most ? most : seen;
	control.skew_time = now;
}

static __always_inline __s64 clock_skew(void)
{
	__s64 a = control.skew[0], b = control.skew[1];

	return a < b ? a : b;
}

static __always_inline __u64 irq_time(struct rq *rq)
{
	return bpf_core_field_exists(rq->prev_irq_time) ? rq->prev_irq_time : 0;
}

/* The time on this CPU that the kernel has not charged to tasks so far. At a
 * switch the run queue is locked, so both clocks are from the same moment. */
static __always_inline __u64 taken_at_switch(struct task_struct *p)
{
	struct rq *rq = rq_of(p);

	return rq->clock - rq->clock_task;
}

/* queue_known(), and all CPUs have the same clock. */
static __always_inline bool queue_told(void)
{
	return queue_known() && control.queue;
}

/*
 * How long the task has been runnable since its last switch off a CPU. The
 * kernel's sum already has the time on the queues of other CPUs. `now` is from
 * a clock that is `skew` ahead of the scheduler's.
 */
static __always_inline __u64 queued_for(struct task_struct *p,
					const struct gn_task *t, __u64 now,
					__s64 skew)
{
	__u64 queued = p->sched_info.run_delay - t->run_delay;
	__u64 last = p->sched_info.last_queued;

	if (!last)
		return queued;
	last += skew;
	return now > last ? queued + (now - last) : queued;
}

#endif
