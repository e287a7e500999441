/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The scheduler's events of traced threads. */
#ifndef GNOMON_OS_BPF_H
#define GNOMON_OS_BPF_H

static __always_inline void switched_in(struct gn_task *t, __u64 now)
{
	struct gn_slice s[2];

	emit_slices(t, s, gn_os_switch_in(&t->os, now, s));
}

/*
 * The task switched out is still current, the next one is not yet, and
 * interrupts are off: nothing else touches the two states now.
 */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	struct gn_task *out = task_of(prev);
	struct gn_task *in = task_of(next);
	__u64 now;

	if (!out && !in)
		return 0;
	now = bpf_ktime_get_ns();
	if (!in_session(now))
		return 0;
	if (out)
		gn_os_switch_out(&out->os, now, preempt || !prev_state,
				 GN_CLASS_OTHER, GN_NO_SYSCALL);
	if (in)
		switched_in(in, now);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *p)
{
	struct gn_task *t = task_of(p);
	__u64 now;

	if (!t)
		return 0;
	now = bpf_ktime_get_ns();
	if (in_session(now))
		gn_os_wakeup(&t->os, now, (__u32)bpf_get_current_pid_tgid());
	return 0;
}

#endif
