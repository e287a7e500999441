/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel does for a thread that is on a CPU: faults, system calls. */
#ifndef GNOMON_FAULT_BPF_H
#define GNOMON_FAULT_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include <gnomon/event.h>
#include <gnomon/syscalls.h>
#include <gnomon/time_class.h>

#include "emit.bpf.h"
#include "maps.bpf.h"
#include "settle.bpf.h"
#include "wait.bpf.h"

/* asm/vsyscall.h: a call into this page is a fault that the kernel handles as a
 * system call. No event shows its end. */
#define GN_VSYSCALL_PAGE 0xffffffffff600000

/* A page fault in user mode begins. If the last fault is still open, its end
 * was missed and its time is unknown. */
SEC("tp_btf/page_fault_user")
int GN_HELD_PROG(on_fault, unsigned long address, struct pt_regs *regs,
		 unsigned long error_code)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_here(self);
	__u64 now;

	if (!t || (address & ~0xfffull) == GN_VSYSCALL_PAGE)
		return 0;
	now = bpf_ktime_get_ns();
	if (!in_session(now))
		return 0;
	if (t->os.in_class == GN_CLASS_FAULT)
		count(GN_COUNTER_FAULT_END);
	t->fault_ip = regs->ip;
	t->fault_sp = regs->sp;
	gn_os_in(&t->os, now, GN_CLASS_FAULT, GN_NO_SYSCALL);
	return 0;
}

static __always_inline void end_work(struct gn_task *t, __u64 now,
				     enum gn_class class, __u8 detail)
{
	struct gn_slices slices = {};
	int n = gn_os_out(&t->os, now, class, slices.s);

	slices.s[0].detail = detail;
	emit_slices(t, &slices, n);
}

static __always_inline int work_ended(enum gn_class class, __u8 detail)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_here(self);
	__u64 now;

	if (!t)
		return 0;
	close_fault(self, t);
	if (t->os.in_class != class)
		return 0;
	now = bpf_ktime_get_ns();
	if (in_session(now))
		end_work(t, now, class, detail);
	else if (stopped(now))
		settle_on(self, t);
	else
		t->os.in_class = GN_CLASS_APP;
	return 0;
}

/* The kernel's software events for faults fire at the end of a fault. */
SEC("perf_event")
int on_fault_end(void *ctx)
{
	return work_ended(GN_CLASS_FAULT, 0);
}

/* A fault that cannot be resolved ends with a signal. */
SEC("tp_btf/signal_deliver")
int GN_HELD_PROG(on_signal, int sig)
{
	return work_ended(GN_CLASS_FAULT, 0);
}

/* Only with --syscalls: these run at every system call on the machine. */
SEC("tp_btf/sys_enter")
int GN_HELD_PROG(on_sys_enter, struct pt_regs *regs, long nr)
{
	struct task_struct *self = bpf_get_current_task_btf();
	struct gn_task *t = task_here(self);
	__u16 reason;
	__u64 now;

	if (!t)
		return 0;
	reason = syscall_nr(self, nr);
	if (gn_syscall_is_probe(reason))
		return 0;
	now = bpf_ktime_get_ns();
	if (in_session(now))
		gn_os_in(&t->os, now, GN_CLASS_SYSCALL, reason);
	return 0;
}

SEC("tp_btf/sys_exit")
int GN_HELD_PROG(on_sys_exit, struct pt_regs *regs, long ret)
{
	/* the kernel's error range; it includes the restart of a call */
	bool failed = (unsigned long)ret >= (unsigned long)-4095;

	return work_ended(GN_CLASS_SYSCALL,
			  GN_F_RETURNED | (failed ? GN_F_FAILED : 0));
}

#endif
