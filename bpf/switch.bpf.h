/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Switches of traced threads, and who wakes them. */
#ifndef GNOMON_SWITCH_BPF_H
#define GNOMON_SWITCH_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include <gnomon/event.h>
#include <gnomon/syscalls.h>
#include <gnomon/time_class.h>

#include "check.bpf.h"
#include "clock.bpf.h"
#include "context.bpf.h"
#include "emit.bpf.h"
#include "maps.bpf.h"
#include "poll.bpf.h"
#include "settle.bpf.h"
#include "wait.bpf.h"

/*
 * The thread is switched onto a CPU. Reads from the kernel how long it was
 * runnable, and starts the check of its time on this CPU. The two clocks
 * advance at slightly different rates, so `delay_lag` collects how much more
 * our clock advanced than the scheduler's while the thread was runnable.
 */
static __always_inline void note_in(struct task_struct *p, struct gn_task *t,
				    __u64 now)
{
	bool waited = t->os.state == GN_CPU_WAITING;
	__u64 clock;
	__s64 skew;

	if (!clock_known())
		return;
	clock = rq_of(p)->clock;
	skew = now - clock;
	if (queue_known())
		note_queued(p, t, now, skew, queued_for(p, t, clock, 0));
	if (queue_told()) {
		if (skew < control.skew[1])
			control.skew[1] = skew;
		gn_os_queued(&t->os, now, queued_for(p, t, now, clock_skew()));
		if (waited)
			t->sums.delay_lag +=
				now - t->os.woken - queued_for(p, t, clock, 0);
	}
	count_from(p, t, now - p->se.exec_start, taken_at_switch(p));
}

/* Emits the thread's name, which another thread has changed. */
static __noinline int tell_name(struct task_struct *p, struct gn_task *t,
				__u64 now)
{
	struct gn_moment m = {.time = now};

	if (!p || !t)
		return 0;
	t->renamed = 0;
	tell_thread(t, &m, GN_KIND_RENAME, p, 0, 0);
	return 0;
}

/*
 * The current thread is switched out. If a signal was pending when it was about
 * to wait, the kernel leaves it runnable, but still reports the wait state in
 * `state`.
 */
__noinline int switched_out(struct gn_task *t, __u64 now, int preempt,
			    unsigned int state)
{
	struct task_struct *p = bpf_get_current_task_btf();
	bool runnable = preempt || !state || !p->__state;
	enum gn_class class = GN_CLASS_OTHER;
	__u16 reason = GN_NO_SYSCALL;
	enum gn_halt halt;
	int wait;

	if (!t || t->os.state == GN_CPU_DEAD)
		return 0;
	if (came_unseen(p, &t->os))
		missed_in(p, t, now);
	close_fault(p, t);
	if (t->os.in_class != GN_CLASS_APP)
		close_work(t, now);
	/* not while a probe program is between numbering its record and sending
	 * it */
	if (t->renamed && !t->in_probe)
		tell_name(p, t, now);
	note_out(p, t, now, preempt && state);
	halt = runnable ? GN_HALT_NONE : halt_of(p, state);
	if (!runnable && !halt) {
		wait = own_wait();
		class = (enum gn_class)(wait >> 16);
		reason = (__u16)wait;
	}
	gn_os_switch_out(&t->os, now, runnable, class, reason);
	t->os.polled = halt;
	if (t->lock.size && reason == GN_NR_futex && waits_for_interpreter(t))
		gn_os_interpreter(&t->os);
	if (reason == GN_NR_futex || reason == GN_NR_futex_waitv ||
	    reason == GN_NR_futex_wait)
		gn_os_deadline(&t->os, futex_deadline(p, reason, now));
	else if (reason == GN_NR_io_getevents || reason == GN_NR_io_pgetevents)
		gn_os_deadline(&t->os, events_deadline(p, now));
	else if (class == GN_CLASS_POLL)
		note_poll(t, now);
	return 0;
}

/*
 * Some kernels (Ubuntu's 6.8) take every pointer that a tracepoint passes for
 * one that can be NULL, so programs test their arguments.
 *
 * `prev` is still the current task, `next` is not yet, and interrupts are off:
 * nothing else changes the two states now.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	struct gn_task *out, *in;
	__u64 now;

	if (!prev || !next)
		return 0;
	out = task_with_storage(prev);
	in = task_with_storage(next);
	if (!out) {
		/* Without the barrier some compilers merge the two pointers
		 * into one number, which the verifier rejects. */
		barrier();
		if (!in) {
			if ((__u32)prev->pid == control.self && !preempt &&
			    prev_state)
				renew_skew(prev);
			return 0;
		}
	}
	now = bpf_ktime_get_ns();
	if (!in_session(now)) {
		if (out && stopped(now))
			settle_on(prev, out);
		if (in && stopped(now))
			settle_off(next, in);
		return 0;
	}
	if (out)
		switched_out(out, now, preempt, prev_state);
	if (in) {
		note_signal(next, in);
		note_in(next, in, now);
		switched_in(in, now);
		if (clock_known())
			check_from(next, in, now, next->se.sum_exec_runtime);
	}
	return 0;
}

/* Whether it is a kernel thread (PF_KTHREAD of linux/sched.h). Its `mm` shows
 * the same, but the verifier of 6.18 looks up names for each pointer that is
 * read from a task, which added 90 ms to the start of a capture. */
static __always_inline bool is_kernels(struct task_struct *self)
{
	return self->flags & 0x00200000;
}

/*
 * Guesses whether the current thread is the waker, when the context is not
 * known. A timer or a device interrupts any thread, which then has nothing to
 * do with the wakeup. Such a thread is mostly in no system call, or in one that
 * wakes no one.
 */
static __always_inline bool can_wake(struct task_struct *self,
				     const struct gn_os *os)
{
	__u16 nr = syscall_of(self);
	int rule = syscall_rule(nr);

	/* a kernel thread makes no calls; a thread at a probe makes none
	 * either, and one of its records may be half done */
	if (is_kernels(self) || gn_syscall_is_probe(nr))
		return false;
	/* a sleep ends by its timer, or by a signal */
	if (os->wait_class == GN_CLASS_SLEEP)
		return gn_syscall_signals(nr);
	/* A waiter for a futex or a file lock is woken by a call of the same
	 * kind, or by the end of a thread that it joins. */
	if (syscall_rule(os->reason) == GN_RULE_FUTEX ||
	    os->wait_class == GN_CLASS_LOCK)
		return rule == GN_RULE_FUTEX || rule == GN_CLASS_LOCK ||
		       nr == GN_SYSCALL_EXIT || nr == GN_SYSCALL_EXIT_GROUP;
	return nr != GN_NO_SYSCALL;
}

static __always_inline bool
wakes(struct task_struct *self, const struct gn_os *os, enum gn_context context)
{
	if (context == GN_CONTEXT_PACKETS && os->wait_class != GN_CLASS_NET &&
	    os->wait_class != GN_CLASS_POLL)
		return false;
	if (context == GN_CONTEXT_THREAD || context == GN_CONTEXT_INTERRUPT)
		return context == GN_CONTEXT_THREAD;
	return can_wake(self, os);
}

/* Notes who wakes a thread. Returns false if no thread does, or if it is not
 * known. With PREEMPT_RT the wakers can be the kernel's timer threads. */
static __always_inline bool note_waker(struct task_struct *self,
				       struct gn_os *os)
{
	enum gn_context context = context_now(self);
	bool woke = wakes(self, os, context);

	gn_os_waking(os, woke ? tid_of(self) : 0,
		     context == GN_CONTEXT_THREAD && !is_kernels(self));
	return woke;
}

/*
 * If no function is traced, this program also records the waker, which saves a
 * program at each wakeup on the machine. It can run in an interrupt on the
 * woken thread's CPU; then the waker is not known.
 */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *p)
{
	struct gn_task *t;
	__u64 now;

	if (!p)
		return 0;
	t = task_with_storage(p);
	if (!t)
		return 0;
	now = bpf_ktime_get_ns();
	if (stopped(now))
		settle_off(p, t);
	if (!in_session(now))
		return 0;
	if (!control.wakers)
		note_waker(bpf_get_current_task_btf(), &t->os);
	gn_os_wakeup(&t->os, now);
	return 0;
}

/*
 * Runs in the waker; sched_wakeup can run on the CPU of the woken thread
 * instead. A waker that is traced emits a record in its own stream, so that the
 * model can tell what it was doing.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *p)
{
	struct gn_task *waker, *t;
	struct task_struct *self;
	__u64 now;
	__u8 class;

	if (!p)
		return 0;
	t = task_with_storage(p);
	if (!t)
		return 0;
	class = t->os.wait_class;
	now = bpf_ktime_get_ns();
	gn_os_slept(&t->os, now);
	self = bpf_get_current_task_btf();
	if (!note_waker(self, &t->os))
		return 0;
	if (class != GN_CLASS_LOCK && class != GN_CLASS_EVENT &&
	    class != GN_CLASS_POLL && class != GN_CLASS_IPC)
		return 0;
	waker = task_of(self);
	if (waker && waker != t && !waker->in_probe &&
	    t->os.state == GN_CPU_WAITING) {
		ensure_on(self, waker);
		emit_wake(waker, now, t->tid);
	}
	return 0;
}

#endif
