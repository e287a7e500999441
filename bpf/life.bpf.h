/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Life of threads and processes: which are traced, from when, until when. */
#ifndef GNOMON_LIFE_BPF_H
#define GNOMON_LIFE_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include <gnomon/control.h>
#include <gnomon/event.h>
#include <gnomon/time_class.h>

#include "check.bpf.h"
#include "clock.bpf.h"
#include "emit.bpf.h"
#include "interpreter.bpf.h"
#include "maps.bpf.h"
#include "settle.bpf.h"
#include "switch.bpf.h"
#include "values.bpf.h"
#include "wait.bpf.h"

/* Begins the account of a task at `now`. The iterator and the thread's parent
 * can both try to, on different CPUs; only one of them does. `lock` may be
 * NULL. */
static __always_inline void begin(struct task_struct *p, __u64 now,
				  enum gn_cpu_state state, __u32 parent,
				  const struct gn_lock *lock)
{
	struct gn_task *t = task_new(p);
	struct gn_moment m = {.time = now};

	if (!t || __sync_val_compare_and_swap(&t->live, GN_LIVE_NOT,
					      GN_LIVE_SOON) != GN_LIVE_NOT)
		return;
	t->os.since = now;
	t->os.state = state;
	t->os.wait_class = GN_CLASS_OTHER;
	t->os.reason = GN_NO_SYSCALL;
	/* needed if the thread turns out to be waiting */
	if (state == GN_CPU_UNKNOWN)
		t->os.polled = halt_of(p, p->__state);
	if (state == GN_CPU_UNKNOWN && !t->os.polled)
		t->os.wait_class = wait_class(p, false, &t->os.reason);
	if (queue_known())
		t->run_delay = p->sched_info.run_delay;
	if (lock)
		t->lock = *lock;
	emit_thread(t, &m, GN_KIND_THREAD, p, parent, 0);
	barrier();
	t->live = GN_LIVE;
	__sync_fetch_and_add(&control.begun, 1);
}

/* Whether a new thread or child is traced. While the iterator runs, a thread
 * can create a child before the iterator has reached it. */
static __always_inline bool inherits(struct task_struct *parent,
				     const struct gn_lock **lock)
{
	struct gn_task *t;
	__u32 tgid;

	if (!control.follow)
		return false;
	t = task_of(parent);
	if (t) {
		*lock = &t->lock;
		return true;
	}
	if (!control.scanning)
		return false;
	tgid = tgid_of(parent);
	*lock = bpf_map_lookup_elem(&targets, &tgid);
	return *lock;
}

/* A forked child has its parent's memory, and so its interpreter. */
static __always_inline void inherit_interpreter(struct task_struct *parent,
						struct task_struct *child)
{
	struct gn_task *from = task_of(parent), *to = task_of(child);

	if (!from || !to || !interpreter_of(from, tgid_of(parent)))
		return;
	to->interpreter = from->interpreter;
	to->interpreter_turn = from->interpreter_turn;
	to->named_in = from->named_in ?: process_of(parent);
}

/* A new child has not been woken yet: from its birth it waits for its first
 * run. */
SEC("tp_btf/sched_process_fork")
int GN_HELD_PROG(on_fork, struct task_struct *parent, struct task_struct *child)
{
	const struct gn_lock *lock = 0;
	__u64 now;

	if (!parent || !child || !inherits(parent, &lock))
		return 0;
	now = bpf_ktime_get_ns();
	if (!in_session(now))
		return 0;
	begin(child, now, GN_CPU_QUEUED, tid_of(parent), lock);
	if (control.interpreters)
		inherit_interpreter(parent, child);
	return 0;
}

/* linux/sched/signal.h: exit_group(), or a signal that kills */
#define GN_SIGNAL_GROUP_EXIT 4

/* Whether this is the last thread of its process. */
static __always_inline bool is_last(struct task_struct *p)
{
	return !untrusted(p)->signal->live.counter;
}

static long forget_name(void *map, struct gn_unsent_key *key,
			struct gn_unsent *name, __u32 *tgid)
{
	struct gn_unsent_key k = *key;

	if (k.tgid != *tgid || bpf_map_delete_elem(&unsent, &k))
		return 0;
	__sync_fetch_and_sub(&control.unsent, 1);
	count(GN_COUNTER_RING_FULL);
	return 0;
}

/* The process's memory is gone, so its unsent names are lost. */
static __noinline int forget_names(struct task_struct *p)
{
	__u32 tgid;

	if (!p)
		return 0;
	tgid = tgid_of(p);
	bpf_for_each_map_elem(&unsent, forget_name, &tgid, 0);
	return 0;
}

/* exec frees the ring of a lost claim, so this is the last chance to emit
 * it. */
static __always_inline void end_claim(struct gn_task *t,
				      const struct gn_moment *m)
{
	t->in_probe = 1; /* see tell_thread() */
	barrier();
	claim_again(t, m);
	barrier();
	t->in_probe = 0;
	t->claimed = 0;
}

/* Whether the program gets privileges, or its user is not who it acts for. */
static __always_inline bool is_secure(struct linux_binprm *bprm)
{
	return bpf_core_field_exists(bprm->secureexec) &&
	       BPF_CORE_READ_BITFIELD(bprm, secureexec);
}

/* The thread that calls exec takes the id of its process's leader. */
SEC("tp_btf/sched_process_exec")
int GN_HELD_PROG(on_exec, struct task_struct *p, int old_pid,
		 struct linux_binprm *bprm)
{
	struct gn_moment m;
	struct gn_task *t;

	if (!p || !bprm)
		return 0;
	t = task_here(p);
	if (control.unsent)
		forget_names(p);
	if (t) {
		m = moment(t);
		if (!in_session(m.time))
			return 0;
		split_work(p, t, &m);
		t->stack_lo = 0;
		t->stack_hi = 0;
		t->has_page = 0;
		t->sleds = 0;
		t->lock.size = 0;
		t->interpreter = 0;
		t->named_in = 0;
		if (t->claimed)
			end_claim(t, &m);
		if (is_secure(bprm))
			m.flags |= GN_F_SECURE;
		tell_thread(t, &m, GN_KIND_EXEC, p, t->tid, 0);
		return 0;
	}
	if (!control.launch || control.launch != tgid_of(p))
		return 0;
	m.time = bpf_ktime_get_ns();
	/* The command's first program: the capture begins here. */
	if (__sync_val_compare_and_swap(&control.start, 0, m.time))
		return 0;
	begin(p, m.time, GN_CPU_ON, tid_of(untrusted(p)->real_parent), 0);
	t = task_of(p);
	if (t)
		check_begins(p, t);
	return 0;
}

SEC("tp_btf/task_rename")
int GN_HELD_PROG(on_rename, struct task_struct *p, const char *comm)
{
	struct gn_moment m;
	struct gn_task *t;

	if (!p)
		return 0;
	t = task_of(p);
	if (!t)
		return 0;
	/* Only the thread itself may number its records, so it emits its new
	 * name later. */
	if (p != bpf_get_current_task_btf()) {
		t->renamed = 1;
		return 0;
	}
	ensure_on(p, t);
	m = moment(t);
	if (in_session(m.time))
		tell_thread(t, &m, GN_KIND_RENAME, p, 0, comm);
	return 0;
}

/* Another thread reads this one's state: sets in `os` where the thread has been
 * since its last recorded event. */
static __always_inline void look(struct task_struct *p, const struct gn_task *t,
				 struct gn_os *os, __u64 now)
{
	if (os->state == GN_CPU_UNKNOWN && p->on_cpu)
		return; /* no event yet: it has been running */
	if (p->__state) {
		if (os->state == GN_CPU_UNKNOWN)
			os->state = GN_CPU_WAITING;
	} else if (queue_told()) {
		gn_os_queued(os, now, queued_for(p, t, now, clock_skew()));
	} else if (os->state == GN_CPU_UNKNOWN) {
		os->state = GN_CPU_QUEUED;
	}
}

/* Finds out where the thread was at the stop, if it has not been switched
 * since. */
static __always_inline void settle(struct task_struct *p, struct gn_task *t)
{
	volatile __u32 *settled = &t->settled;
	int i;

	if (settles(t)) {
		if (p->on_cpu && came_unseen(p, &t->os))
			missed_in(p, t, control.stop);
		look(p, t, &t->os, control.stop);
		return;
	}
	/* a switch on another CPU is finding it out right now */
	for (i = 0; i < 50 && *settled != GN_SETTLED; i++)
		bpf_ktime_get_ns();
}

/* Closes a thread that outlives the capture, as of control.stop. Called by the
 * iterator, or by the thread if it exits before the iterator reaches it. */
static __noinline int finish(struct task_struct *p, struct gn_task *t)
{
	struct gn_moment m = {.time = control.stop};
	bool off;

	if (!p || !t || !__sync_lock_test_and_set(&t->live, GN_LIVE_NOT))
		return 0;
	settle(p, t);
	be_prompt(t);
	off = is_off(&t->os);

	t->in_probe = 0;
	close_fault(p, t);
	if (off)
		switched_in(t, control.stop);
	else
		close_work(t, control.stop);
	m.os = t->os.total;
	m.events = t->os.events;
	emit_kernel(t, m.time);
	emit_func(t, &m, GN_KIND_STOP, 0, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int GN_HELD_PROG(on_exit, struct task_struct *p)
{
	struct gn_moment m;
	struct gn_task *t;
	__u32 code = 0;

	if (!p)
		return 0;
	t = task_here(p);
	if (control.unsent && is_last(p))
		forget_names(p);
	if (!t)
		return 0;
	be_prompt(t);
	m = moment(t);
	if (stopped(m.time))
		return finish(p, t);
	if (!in_session(m.time))
		return 0;
	if (t->renamed)
		tell_name(p, t, m.time);
	split_work(p, t, &m);
	check_ends(p, t);
	t->in_probe = 1; /* see tell_thread() */
	barrier();
	emit_kernel(t, m.time);
	/* not a thread that exited by itself before the others were killed */
	if (untrusted(p)->signal->flags & GN_SIGNAL_GROUP_EXIT &&
	    syscall_of(p) != GN_SYSCALL_EXIT) {
		m.flags |= GN_F_PROCESS_ENDS;
		code = GN_EXIT_TOLD |
		       (__u16)untrusted(p)->signal->group_exit_code;
		if (untrusted(p)->signal->oom_mm)
			code |= GN_EXIT_MEMORY;
	}
	if (t->claimed)
		claim_again(t, &m);
	emit_func(t, &m, GN_KIND_EXIT, code, 0);
	t->os.state = GN_CPU_DEAD;
	t->live = GN_LIVE_NOT;
	return 0;
}

/* Nothing sees this task any more, and another one can get its address. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct *p)
{
	__u64 address = (__u64)p;

	bpf_map_delete_elem(&addressed, &address);
	return 0;
}

/* gnomon forwards signals to the command, but not one that the command already
 * got from elsewhere. So record when a signal was sent to the command, and when
 * to gnomon, which can read it late. */
SEC("tp_btf/signal_generate")
int BPF_PROG(on_signal_sent, int sig, void *info, struct task_struct *p)
{
	__u32 n = sig;

	/* the verifier tracks registers: test the one that is used */
	barrier_var(n);
	if (!p || n >= GN_SIGNALS || !control.command)
		return 0;
	if ((__u32)p->tgid == control.self)
		control.sent[n] = bpf_ktime_get_ns();
	else if (tgid_of(p) == control.command &&
		 (bpf_get_current_pid_tgid() >> 32) != control.self)
		control.signalled[n] = bpf_ktime_get_ns();
	return 0;
}

#endif
