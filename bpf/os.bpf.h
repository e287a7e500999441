/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel does with and for traced threads. */
#ifndef GNOMON_OS_BPF_H
#define GNOMON_OS_BPF_H

/* The same, and the clocks of all CPUs are one. */
static __always_inline bool queue_told(void)
{
	return queue_known() && control.queue;
}

/*
 * For how long the task has been runnable since its last switch off a CPU.
 * What it was queued on other CPUs is in the kernel's sum already. `now` is by
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

static __always_inline void switched_in(struct gn_task *t, __u64 now)
{
	struct gn_slice s[2];
	__u64 since = t->os.since;
	int n = gn_os_switch_in(&t->os, now, s);

	if (n > 0) {
		t->sums.off += now - since;
		if (s[0].class == GN_CLASS_RUNQUEUE)
			t->sums.delay += s[0].end - s[0].start;
		if (n > 1)
			t->sums.delay += s[1].end - s[1].start;
	}
	emit_slices(t, s, n);
}

/* What our clock ran more than the scheduler's while the thread was runnable;
 * and the two at a switch onto a CPU. */
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
	if (t->os.state == GN_CPU_QUEUED && t->delay_skew)
		t->sums.delay_lag += skew - t->delay_skew;
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

/*
 * The thread runs, but it was not seen to be switched in: some kernels run no
 * program while certain tasks are current, and the switch from one of those to
 * this thread is theirs. When it was, the kernel knows.
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
		/* `now` can be the stop, and the switch after that */
		if (at > now)
			at = now;
		if (at < t->os.since)
			at = t->os.since;
		if (t->os.state == GN_CPU_QUEUED)
			t->sums.delay_lag += clock_skew() - t->delay_skew;
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

/* It came onto its CPU later than what was seen of it last. */
static __always_inline bool arrived_since(struct task_struct *p,
					  const struct gn_os *os)
{
	return p->sched_info.last_arrival + clock_skew() > os->since;
}

/* A thread that runs was not seen to be switched in: not since it was seen to
 * be switched off, or not since it was looked at first. */
static __always_inline bool came_unseen(struct task_struct *p,
					const struct gn_os *os)
{
	if (os->state != GN_CPU_UNKNOWN)
		return is_off(os);
	return queue_told() && arrived_since(p, os);
}

/* Before anything is made of a thread that runs. */
static __always_inline void ensure_on(struct task_struct *p, struct gn_task *t)
{
	__u64 now;

	if (!came_unseen(p, &t->os))
		return;
	now = bpf_ktime_get_ns();
	if (in_session(now))
		missed_in(p, t, now);
}

/* The part of a fault or a system call up to now becomes a slice. */
static __always_inline void close_work(struct gn_task *t, __u64 now)
{
	struct gn_slice s[2];

	emit_slices(t, s, gn_os_in_slice(&t->os, now, s));
}

/*
 * The same up to a moment that ends an interval within the work, so that each
 * interval has its own part. What came after the moment is not the moment's.
 */
static __always_inline void split_work(struct gn_task *t, struct gn_moment *m)
{
	struct gn_slice s[2];
	int n = gn_os_in_slice(&t->os, m->time, s);

	if (!n)
		return;
	m->os += s[0].end - s[0].start;
	m->events += 1;
	emit_slices(t, s, n);
}

/* Another thread has given it a name. */
static __noinline int tell_name(struct task_struct *p, struct gn_task *t,
				__u64 now)
{
	struct gn_moment m = {.time = now};

	if (!p || !t)
		return 0;
	t->renamed = 0;
	emit_thread(t, &m, GN_KIND_RENAME, p, 0, 0);
	return 0;
}

static __always_inline void
switched_out(struct task_struct *p, struct gn_task *t, __u64 now, bool runnable)
{
	enum gn_class class = GN_CLASS_OTHER;
	__u16 reason = GN_NO_SYSCALL;

	if (t->os.state == GN_CPU_DEAD)
		return;
	if (came_unseen(p, &t->os))
		missed_in(p, t, now);
	if (t->os.in_class != GN_CLASS_APP)
		close_work(t, now);
	/* not between a probe program's numbering and its record */
	if (t->renamed && !t->in_probe)
		tell_name(p, t, now);
	note_out(p, t, now);
	if (!runnable)
		class = wait_class(p, &reason);
	gn_os_switch_out(&t->os, now, runnable, class, reason);
	if (reason == GN_NR_futex)
		gn_os_deadline(&t->os, futex_deadline(p, now));
	else if (class == GN_CLASS_POLL)
		note_poll(p, t, now);
}

/* The caller is to find out where the thread was at the stop, and to say so by
 * GN_SETTLED. */
static __always_inline bool settles(struct gn_task *t)
{
	return __sync_val_compare_and_swap(&t->settled, GN_SETTLED_NOT,
					   GN_SETTLED_SOON) == GN_SETTLED_NOT;
}

/* The first that happens to a thread after the stop is that it leaves its CPU,
 * or ends something on it: it was there at the stop. */
static __noinline int settle_on(struct task_struct *p, struct gn_task *t)
{
	if (!p || !t || !settles(t))
		return 0;
	if (came_unseen(p, &t->os))
		missed_in(p, t, control.stop);
	else if (t->os.state == GN_CPU_UNKNOWN)
		t->os.state = GN_CPU_ON;
	close_work(t, control.stop);
	barrier();
	t->settled = GN_SETTLED;
	return 0;
}

/* It is switched onto one, or woken: the kernel still tells for how long it was
 * runnable. When the threads are closed, it may have run and be asleep again.
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

/*
 * The task switched out is still current, the next one is not yet, and
 * interrupts are off: nothing else touches the two states now.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	struct gn_task *out = task_with_storage(prev);
	struct gn_task *in = task_with_storage(next);
	__u64 now;

	if (!out) {
		/* else some compilers make one number of the two pointers,
		 * which the verifier does not let pass */
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
		switched_out(prev, out, now, preempt || !prev_state);
	if (in) {
		note_signal(next, in);
		note_in(next, in, now);
		switched_in(in, now);
		if (clock_known())
			check_from(next, in, now, next->se.sum_exec_runtime);
	}
	return 0;
}

/*
 * Whether the current thread itself can be the waker: a timer or a device
 * wakes on top of whatever thread it interrupts, which most of the time is in
 * no system call, or in one that wakes nobody.
 */
static __always_inline bool wakes(struct task_struct *self,
				  const struct gn_os *os)
{
	__u16 nr = syscall_of(self);
	int rule = syscall_rule(nr);

	/* of a futex or a lock of files; exit and exit_group wake joiners */
	if (syscall_rule(os->reason) == GN_RULE_FUTEX ||
	    os->wait_class == GN_CLASS_LOCK)
		return rule == GN_RULE_FUTEX || rule == GN_CLASS_LOCK ||
		       nr == GN_SYSCALL_EXIT || nr == GN_SYSCALL_EXIT_GROUP;
	return nr != GN_NO_SYSCALL;
}

/*
 * Where no function is traced, this is also who the waker is told by: one
 * program less at each wakeup of the machine. It can run on the CPU of the
 * woken, by an interrupt; then the waker is not known.
 */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *p)
{
	struct gn_task *t = task_with_storage(p);
	struct task_struct *self;
	__u64 now;

	if (!t)
		return 0;
	now = bpf_ktime_get_ns();
	if (stopped(now))
		settle_off(p, t);
	if (!in_session(now))
		return 0;
	if (!control.wakers) {
		self = bpf_get_current_task_btf();
		gn_os_waking(&t->os, wakes(self, &t->os) ? tid_of(self) : 0);
	}
	gn_os_wakeup(&t->os, now);
	return 0;
}

/*
 * Runs in the waker, where sched_wakeup can run on the CPU of the woken. A
 * waker that is traced says so in its own stream, so that the model knows what
 * it was doing.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct *p)
{
	struct gn_task *t = task_with_storage(p);
	struct task_struct *self;
	struct gn_task *waker;
	__u8 class;

	if (!t)
		return 0;
	class = t->os.wait_class;
	self = bpf_get_current_task_btf();
	if (!wakes(self, &t->os)) {
		gn_os_waking(&t->os, 0);
		return 0;
	}
	gn_os_waking(&t->os, tid_of(self));
	if (class != GN_CLASS_LOCK && class != GN_CLASS_EVENT &&
	    class != GN_CLASS_POLL && class != GN_CLASS_IPC)
		return 0;
	waker = task_of(self);
	if (waker && waker != t && !waker->in_probe &&
	    t->os.state == GN_CPU_WAITING)
		emit_wake(waker, bpf_ktime_get_ns(), t->tid);
	return 0;
}

/* A fault of user mode begins. The last one's end was not seen: it ended some
 * time ago, nobody knows when. */
SEC("tp_btf/page_fault_user")
int BPF_PROG(on_fault, unsigned long address, struct pt_regs *regs,
	     unsigned long error_code)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_of(self);
	__u64 now;

	if (!t)
		return 0;
	ensure_on(self, t);
	now = bpf_ktime_get_ns();
	if (!in_session(now))
		return 0;
	if (t->os.in_class == GN_CLASS_FAULT)
		count(GN_COUNTER_FAULT_END);
	gn_os_in(&t->os, now, GN_CLASS_FAULT, GN_NO_SYSCALL);
	return 0;
}

static __always_inline int work_ended(enum gn_class class)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_of(self);
	struct gn_slice s[2];
	__u64 now;

	if (!t || t->os.in_class != class)
		return 0;
	ensure_on(self, t);
	now = bpf_ktime_get_ns();
	if (in_session(now))
		emit_slices(t, s, gn_os_out(&t->os, now, class, s));
	else if (stopped(now))
		settle_on(self, t);
	else
		t->os.in_class = GN_CLASS_APP;
	return 0;
}

/* The kernel's own counters of faults: software events, at a fault's end. */
SEC("perf_event")
int on_fault_end(void *ctx)
{
	return work_ended(GN_CLASS_FAULT);
}

/* A fault that no memory ends: it ends in a signal. */
SEC("tp_btf/signal_deliver")
int BPF_PROG(on_signal, int sig)
{
	return work_ended(GN_CLASS_FAULT);
}

/* Opt-in: these run at every system call of the machine. */
SEC("tp_btf/sys_enter")
int BPF_PROG(on_sys_enter, struct pt_regs *regs, long nr)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_of(self);
	__u16 reason;
	__u64 now;

	if (!t)
		return 0;
	reason = syscall_nr(self, nr);
	if (gn_syscall_is_probe(reason))
		return 0;
	ensure_on(self, t);
	now = bpf_ktime_get_ns();
	if (in_session(now))
		gn_os_in(&t->os, now, GN_CLASS_SYSCALL, reason);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	return work_ended(GN_CLASS_SYSCALL);
}

#endif
