/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds out where a thread is when no switch has shown it: a thread that runs
 * although its switch onto the CPU was not seen, or any thread when the capture
 * stops.
 */
#ifndef GNOMON_SETTLE_BPF_H
#define GNOMON_SETTLE_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>
#include <gnomon/time_class.h>

#include "check.bpf.h"
#include "clock.bpf.h"
#include "emit.bpf.h"
#include "maps.bpf.h"
#include "poll.bpf.h"
#include "wait.bpf.h"

__noinline int switched_in(struct gn_task *t, __u64 now)
{
	struct gn_slices slices = {};
	__u64 since;
	int n;

	if (!t)
		return 0;
	since = t->os.since;
	n = gn_os_switch_in(&t->os, now, slices.s);
	if (n > 0) {
		t->sums.off += now - since;
		if (slices.s[0].class == GN_CLASS_RUNQUEUE)
			t->sums.delay += slices.s[0].end - slices.s[0].start;
		if (n > 1)
			t->sums.delay += slices.s[1].end - slices.s[1].start;
	}
	emit_slices(t, &slices, n);
	return 0;
}

/*
 * The thread runs, but no program saw its switch onto the CPU: some kernels run
 * no program while certain tasks are current, so a switch from such a task is
 * not seen. The kernel's own account says when it happened.
 */
static __noinline int missed_in(struct task_struct *p, struct gn_task *t,
				__u64 now)
{
	__u64 at = now, runnable, taken;

	if (!p || !t)
		return 0;
	if (queue_told()) {
		at = p->sched_info.last_arrival + clock_skew();
		runnable = at - (p->sched_info.run_delay - t->run_delay);
		/* `now` can be the stop of the capture, and the switch can come
		 * after that */
		if (at > now)
			at = now;
		if (at < t->os.since)
			at = t->os.since;
		note_queued(p, t, at, clock_skew(),
			    p->sched_info.run_delay - t->run_delay);
		gn_os_queued(&t->os, at, at > runnable ? at - runnable : 0);
		/* the signal may have been delivered since */
		if (t->os.end == GN_END_BY_READY)
			t->os.end = GN_END_BY_UNKNOWN;
		note_signal(p, t);
		taken = taken_at_switch(p);
		count_from(p, t, clock_skew() + taken, taken);
	} else {
		count(GN_COUNTER_MISSED);
		t->os.state = GN_CPU_WAITING;
		t->os.wait_class = GN_CLASS_UNCLASSIFIED;
		t->os.reason = GN_NO_SYSCALL;
	}
	switched_in(t, at);
	return 0;
}

/* Whether the thread came onto its CPU after its last event that was seen. */
static __always_inline bool arrived_since(struct task_struct *p,
					  const struct gn_os *os)
{
	return p->sched_info.last_arrival + clock_skew() > os->since;
}

/* Whether a running thread was switched in without being seen, since its last
 * switch off a CPU, or since it was first looked at. */
static __always_inline bool came_unseen(struct task_struct *p,
					const struct gn_os *os)
{
	if (os->state != GN_CPU_UNKNOWN)
		return is_off(os);
	return queue_told() && arrived_since(p, os);
}

/* Call this before any record of a running thread: it makes up for a switch
 * that was not seen. */
static __always_inline void ensure_on(struct task_struct *p, struct gn_task *t)
{
	__u64 now;

	if (!came_unseen(p, &t->os))
		return;
	/* over_cpu() can interrupt this, and has then done it before the mark,
	 * or does nothing after it */
	if (__sync_lock_test_and_set(&t->missing, 1))
		return;
	now = bpf_ktime_get_ns();
	if (in_session(now) && came_unseen(p, &t->os))
		missed_in(p, t, now);
	barrier();
	t->missing = 0;
}

/* The current thread's state, if the thread is traced. */
static __always_inline struct gn_task *task_here(struct task_struct *self)
{
	struct gn_task *t = task_of(self);

	if (t)
		ensure_on(self, t);
	return t;
}

/* A fault is over when the program has moved on from where it was, even if its
 * end was missed. The end's time is then unknown, so none of it counts as
 * fault. */
static __always_inline void close_fault(struct task_struct *p,
					struct gn_task *t)
{
	const struct pt_regs *regs;

	if (t->os.in_class != GN_CLASS_FAULT)
		return;
	regs = entry_regs(p);
	if (regs->ip == t->fault_ip && regs->sp == t->fault_sp)
		return;
	count(GN_COUNTER_FAULT_END);
	t->os.in_class = GN_CLASS_APP;
}

/* Emits a slice for the part of a fault or a system call up to now. */
__noinline int close_work(struct gn_task *t, __u64 now)
{
	struct gn_slices slices = {};

	if (t)
		emit_slices(t, &slices, gn_os_in_slice(&t->os, now, slices.s));
	return 0;
}

/* The same when an interval ends in the middle of the work: the part up to the
 * moment goes to this interval, the rest to the next. */
static __always_inline void split_work(struct task_struct *p, struct gn_task *t,
				       struct gn_moment *m)
{
	struct gn_slices slices = {};
	int n;

	close_fault(p, t);
	n = gn_os_in_slice(&t->os, m->time, slices.s);
	if (!n)
		return;
	m->os += slices.s[0].end - slices.s[0].start;
	m->events += 1;
	emit_slices(t, &slices, n);
}

/* Returns true for exactly one caller, which then finds out where the thread
 * was at the stop, and sets GN_SETTLED when it has. */
static __always_inline bool settles(struct gn_task *t)
{
	return __sync_val_compare_and_swap(&t->settled, GN_SETTLED_NOT,
					   GN_SETTLED_SOON) == GN_SETTLED_NOT;
}

/* The thread's first event after the stop happens on its CPU, so the thread was
 * on that CPU at the stop. */
static __noinline int settle_on(struct task_struct *p, struct gn_task *t)
{
	if (!p || !t || !settles(t))
		return 0;
	if (came_unseen(p, &t->os))
		missed_in(p, t, control.stop);
	else if (t->os.state == GN_CPU_UNKNOWN)
		t->os.state = GN_CPU_ON;
	close_fault(p, t);
	close_work(t, control.stop);
	barrier();
	t->settled = GN_SETTLED;
	return 0;
}

/*
 * The thread's first event after the stop is a wakeup, or a switch onto a CPU.
 * The kernel still knows how long the thread was runnable. Later it no longer
 * does: the thread can run and sleep again before it is closed.
 */
static __noinline int settle_off(struct task_struct *p, struct gn_task *t)
{
	__u64 stop = control.stop;

	if (!p || !t || !settles(t))
		return 0;
	if (queue_told())
		gn_os_queued(&t->os, stop,
			     queued_for(p, t, stop, clock_skew()));
	else if (t->os.state == GN_CPU_UNKNOWN && !p->on_cpu)
		t->os.state = GN_CPU_WAITING;
	barrier();
	t->settled = GN_SETTLED;
	return 0;
}

#endif
