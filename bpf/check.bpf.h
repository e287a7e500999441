/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's own account of a thread, against which gnomon checks its own.
 * The kernel counts by the scheduler's clock (struct rq); gnomon reads another
 * clock, a little later. Both readings are kept at each switch.
 */
#ifndef GNOMON_CHECK_BPF_H
#define GNOMON_CHECK_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>

#include <gnomon/event.h>

#include "clock.bpf.h"
#include "emit.bpf.h"
#include "maps.bpf.h"

/*
 * The thread is on its CPU from now on. `skew`: our clock minus the clock of
 * the kernel's account. `taken`: the time that the account has left out so far.
 */
static __always_inline void count_from(struct task_struct *p, struct gn_task *t,
				       __u64 skew, __u64 taken)
{
	t->skew = skew;
	t->taken_in = taken;
	t->irq_in = irq_time(rq_of(p));
}

/* The thread leaves its CPU: adds the differences since count_from(). */
static __always_inline void count_to(struct task_struct *p, struct gn_task *t,
				     __u64 skew, __u64 taken_out)
{
	__s64 taken, irq;

	if (!t->skew)
		return;
	taken = taken_out - t->taken_in;
	irq = irq_time(rq_of(p)) - t->irq_in;
	/* The kernel can update its clocks between two readings. Then the
	 * difference means nothing, and the next switch corrects it. */
	if (taken < 0)
		taken = 0;
	if (irq > taken)
		irq = taken;
	t->sums.cpu_lag += skew - t->skew;
	t->sums.taken += taken;
	t->sums.irq += irq;
}

static __always_inline void put_sums(struct gn_sums *s, struct task_struct *p,
				     const struct gn_task *t, __u64 now,
				     __u64 kernel_cpu)
{
	s->time = now;
	s->kernel_cpu = kernel_cpu;
	s->switches = p->nvcsw + p->nivcsw;
	s->off = t->sums.off;
	s->cpu_lag = t->sums.cpu_lag;
	s->taken = t->sums.taken;
	s->irq = t->sums.irq;
}

static __always_inline void check_from(struct task_struct *p, struct gn_task *t,
				       __u64 now, __u64 kernel_cpu)
{
	if (t->first.time)
		return;
	t->first_skew = clock_skew();
	put_sums(&t->first, p, t, now, kernel_cpu);
}

static __always_inline void put_queue(struct gn_sums *s,
				      const struct gn_task *t)
{
	s->kernel_delay = control.queue ? t->run_delay : ~0ull;
	s->delay = t->sums.delay;
	s->delay_lag = t->sums.delay_lag;
}

/* How often the kernel moved the thread to another CPU. */
static __always_inline __u64 moves_of(struct task_struct *p)
{
	return bpf_core_field_exists(p->se.nr_migrations) ? p->se.nr_migrations
							  : 0;
}

/*
 * At a switch off a CPU the kernel has just updated its own sums, by the clock
 * value in exec_start. It can have read its clock once more since then, to
 * choose the next thread. A thread that is preempted when it is about to wait
 * stays runnable, but the kernel counts that only of threads that are not about
 * to (sched_info_depart).
 */
static __always_inline void note_out(struct task_struct *p, struct gn_task *t,
				     __u64 now, bool about_to_wait)
{
	t->uncounted = about_to_wait;
	if (!clock_known())
		return; /* nothing to compare with */
	count_to(p, t, now - p->se.exec_start, taken_at_switch(p));
	t->delay_skew = now - rq_of(p)->clock;
	t->moves = moves_of(p);
	if (queue_known())
		t->run_delay = p->sched_info.run_delay;
	check_from(p, t, now, p->se.sum_exec_runtime);
	put_sums(&t->last, p, t, now, p->se.sum_exec_runtime);
	put_queue(&t->last, t);
	if (!t->queued) {
		t->queued = 1;
		put_queue(&t->first, t);
	}
}

/*
 * A thread that was switched off while it was runnable is on a CPU again at
 * `now`. `skew`: our clock minus the scheduler's. `counted`: for how long the
 * kernel says that it was runnable. Adds what is known of the difference.
 *
 * While the kernel moves a thread it is on no run queue, which the kernel does
 * not count either (sched_info_dequeue, set_task_cpu). That is short, unless a
 * host takes the CPU that moves it. How long it was is not known, so such a
 * time on the run queue is not checked.
 */
static __always_inline void note_queued(struct task_struct *p,
					struct gn_task *t, __u64 now,
					__s64 skew, __u64 counted)
{
	if (t->os.state != GN_CPU_QUEUED || !t->delay_skew)
		return;
	if (t->uncounted || t->moves != moves_of(p))
		t->sums.delay_lag += now - t->os.since - counted;
	else
		t->sums.delay_lag += skew - t->delay_skew;
}

/* The kernel's account of a task that runs. */
struct gn_account_now {
	__u64 clock;
	__u64 clock_task;
	__u64 exec_start;
	__u64 sum;
};

static __always_inline void read_account(struct task_struct *p,
					 struct gn_account_now *a)
{
	const volatile struct sched_entity *se = &p->se;
	const volatile struct rq *rq = rq_of(p);

	a->clock = rq->clock;
	a->clock_task = rq->clock_task;
	a->exec_start = se->exec_start;
	a->sum = se->sum_exec_runtime;
}

/*
 * Returns the current task's account as of the kernel's last reading of its
 * clock, and that moment by our clock; 0 if it cannot be read. Ticks and other
 * CPUs can update the account at any time, so it is read until two readings
 * agree.
 */
static __always_inline __u64 running_account(struct task_struct *self,
					     __u64 *kernel_cpu, __u64 *skew,
					     __u64 *taken)
{
	struct gn_account_now a, b;
	int i;

	if (!queue_known() || !control.one_clock)
		return 0;
	read_account(self, &a);
	for (i = 0; i < 4; i++) {
		read_account(self, &b);
		if (a.clock == b.clock && a.clock_task == b.clock_task &&
		    a.exec_start == b.exec_start && a.sum == b.sum) {
			*kernel_cpu = a.sum + a.clock_task - a.exec_start;
			*taken = a.clock - a.clock_task;
			*skew = clock_skew() + *taken;
			return a.clock + clock_skew();
		}
		a = b;
	}
	return 0;
}

/* Starts the check of the current thread, which already runs. */
static __always_inline void check_begins(struct task_struct *self,
					 struct gn_task *t)
{
	__u64 kernel_cpu, skew, taken;
	__u64 now = running_account(self, &kernel_cpu, &skew, &taken);

	if (!now)
		return;
	count_from(self, t, skew, taken);
	check_from(self, t, now, kernel_cpu);
}

/* Ends the check of the current thread, which exits. */
static __always_inline void check_ends(struct task_struct *self,
				       struct gn_task *t)
{
	__u64 kernel_cpu, skew, taken;
	__u64 now = running_account(self, &kernel_cpu, &skew, &taken);

	if (!now || !t->skew || !t->first.time || is_off(&t->os))
		return;
	count_to(self, t, skew, taken);
	put_sums(&t->last, self, t, now, kernel_cpu);
}

/*
 * Fills in how long the thread was on a CPU between the two sums. If it hardly
 * ran, the kernel's last reading of its clock can be older than ours at the
 * switch onto the CPU. Then the time is 0, and `cpu_apart` gets the difference.
 */
static __always_inline void tell_cpu(struct gn_rec_kernel *r,
				     const struct gn_sums *a,
				     const struct gn_sums *b)
{
	__s64 ran = b->time - a->time - (b->off - a->off);

	r->cpu = ran < 0 ? 0 : ran;
	r->cpu_apart = b->cpu_lag - a->cpu_lag;
	if (ran < 0)
		r->cpu_apart -= ran;
}

/* Emits both accounts. Must come before the record that ends the thread. */
static __always_inline void emit_kernel(struct gn_task *t, __u64 time)
{
	const struct gn_sums *a = &t->first, *b = &t->last;
	struct gn_rec_kernel *r;

	if (!a->time || b->time <= a->time)
		return;
	r = reserve(sizeof(*r));
	t->seq++;
	if (!r) {
		lost();
		return;
	}
	fill(&r->h, time, t, t->seq, GN_KIND_KERNEL, 0, 0);
	r->kernel_cpu = b->kernel_cpu - a->kernel_cpu;
	tell_cpu(r, a, b);
	r->irq = b->irq - a->irq;
	r->stolen = b->taken - a->taken - r->irq;
	r->switches = b->switches - a->switches;
	r->kernel_delay = ~0ull;
	r->delay = r->delay_apart = 0;
	if (t->queued) {
		if (b->kernel_delay != ~0ull)
			r->kernel_delay = b->kernel_delay - a->kernel_delay;
		r->delay = b->delay - a->delay;
		r->delay_apart = b->delay_lag - a->delay_lag;
	}
	r->drift = r->span = 0;
	if (control.one_clock) {
		r->drift = clock_skew() - t->first_skew;
		r->span = bpf_ktime_get_ns() - a->time;
	}
	submit(r);
}

#endif
