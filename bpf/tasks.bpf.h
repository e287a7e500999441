/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The programs that user space runs: over all tasks, and on each CPU. */
#ifndef GNOMON_TASKS_BPF_H
#define GNOMON_TASKS_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/control.h>
#include <gnomon/event.h>

#include "clock.bpf.h"
#include "emit.bpf.h"
#include "life.bpf.h"
#include "maps.bpf.h"
#include "settle.bpf.h"
#include "switch.bpf.h"

/* Copies what a thread does now. The thread runs on meanwhile, so the copy is
 * repeated until the state did not change while the time was read. */
static __always_inline bool copy_now(const struct gn_task *t, struct gn_os *os,
				     __u64 *now)
{
	const volatile struct gn_os *from = &t->os;
	int i;

	for (i = 0; i < 4; i++) {
		os->events = from->events;
		os->in_since = from->in_since;
		os->since = from->since;
		os->woken = from->woken;
		os->slept = from->slept;
		os->state = from->state;
		os->wait_class = from->wait_class;
		os->polled = from->polled;
		os->interpreter = from->interpreter;
		os->in_class = from->in_class;
		os->reason = from->reason;
		os->deadline = from->deadline;
		os->early = from->early;
		os->in_reason = from->in_reason;
		*now = bpf_ktime_get_ns();
		if (from->events == os->events && from->since == os->since &&
		    from->in_since == os->in_since &&
		    from->state == os->state && from->woken == os->woken)
			return true;
	}
	return false;
}

/*
 * Whether the thread runs and its switch onto the CPU was not seen. A thread
 * that is just being switched off its CPU still counts as on it, but it arrived
 * there earlier.
 */
static __always_inline bool missed(struct task_struct *p,
				   const struct gn_os *os)
{
	return p->on_cpu && came_unseen(p, os) &&
	       (!queue_told() || arrived_since(p, os));
}

static __always_inline void emit_now(struct task_struct *p, struct gn_task *t)
{
	struct gn_os os = {};
	struct gn_rec_now *r;
	bool on;
	__u64 now;

	/* a thread that changes so often emits its own records */
	if (!copy_now(t, &os, &now) || os.state == GN_CPU_DEAD)
		return;
	/* its next event shows when it began to run */
	if (missed(p, &os))
		return;
	look(p, t, &os, now);
	on = os.state == GN_CPU_ON || os.state == GN_CPU_UNKNOWN;
	r = reserve(sizeof(*r));
	if (!r) {
		lost();
		return;
	}
	fill(&r->h, now, t, 0, GN_KIND_NOW, 0, 0);
	r->since = on ? os.in_since : os.since;
	r->woken = os.woken;
	r->reason = on ? os.in_reason : os.reason;
	r->state = on ? GN_CPU_ON : os.state;
	r->class = on ? os.in_class : gn_os_waited(&os, os.woken);
	r->detail = on ? 0 : gn_os_detail(&os, 0);
	__builtin_memset(r->pad, 0, sizeof(r->pad));
	submit(r);
}

/* Records what gnomon's own thread shows: the iterator runs in it. */
static __always_inline void know_self(void)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct pid *id = BPF_CORE_READ(self, thread_pid);
	__u32 level = BPF_CORE_READ(id, level);
	volatile __u64 *at = &control.entry_regs;

	/* as numbers: verifiers reject the difference of two pointers */
	*at = (__u64)bpf_task_pt_regs(self);
	*at -= (__u64)self->stack;
	control.self = self->pid;
	control.pid_ns = (__u64)BPF_CORE_READ(upid_at(id, level), ns);
	control.pid_level = level;
}

/*
 * User space runs this over all tasks: at the start to begin the threads of the
 * targets, at the end to close all that are traced, and in between for the live
 * view.
 */
SEC("iter/task")
int over_tasks(struct bpf_iter__task *ctx)
{
	struct task_struct *p = ctx->task;
	const struct gn_lock *lock;
	struct gn_task *t;
	__u32 tgid;

	if (!p)
		return 0;
	if (control.finishing || control.ticking) {
		t = task_of(p);
		if (t && control.finishing)
			finish(p, t);
		else if (t)
			emit_now(p, t);
		return 0;
	}
	if (control.scanning == GN_SCAN_SELF) {
		if (!control.self)
			know_self();
		return 0;
	}
	/* when gnomon measures itself: only the thread that measures */
	tgid = control.scanning == GN_SCAN_THREAD ? tid_of(p) : tgid_of(p);
	lock = control.scanning ? bpf_map_lookup_elem(&targets, &tgid) : 0;
	if (lock)
		begin(p, bpf_ktime_get_ns(), GN_CPU_UNKNOWN, 0, lock);
	return 0;
}

/*
 * User space runs this on each CPU before it reads the records that threads
 * write themselves (gnomon/fast.h). If the switch of the CPU's thread onto it
 * was not seen, nothing else shows that before the thread's own records. It
 * interrupts what runs there.
 */
SEC("raw_tp")
int over_cpu(void *ctx)
{
	task_here(bpf_get_current_task_btf());
	return 0;
}

#endif
