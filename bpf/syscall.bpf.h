/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The system call that a thread is in: its number, its arguments, and times
 * that it points to. */
#ifndef GNOMON_SYSCALL_BPF_H
#define GNOMON_SYSCALL_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include <gnomon/syscalls.h>

#include "maps.bpf.h"

/* The barrier makes the compiler compare and index with the same register.
 * Otherwise the verifier does not know the index's bounds. */
static __always_inline int syscall_rule(__u32 nr)
{
	barrier_var(nr);
	return gn_syscall_rule(nr);
}

/* The registers with which the thread entered the kernel. They are at the same
 * offset in every kernel stack; know_self() has read it from gnomon's own. */
static __always_inline struct pt_regs *entry_regs(struct task_struct *p)
{
	if (can_cast)
		return GN_CAST_TO(pt_regs,
				  (char *)p->stack + control.entry_regs);
	return (struct pt_regs *)bpf_task_pt_regs(p);
}

/* asm/thread_info.h: the thread is in a 32-bit system call. A 64-bit program
 * can make such a call, too, by int 0x80. */
#define GN_TS_COMPAT 2

static __always_inline bool in_ia32(struct task_struct *task)
{
	return task->thread_info.status & GN_TS_COMPAT;
}

/* The arguments of a call, from 0. */
#define ARG(task, regs, ia32_reg, reg) \
	(in_ia32(task) ? (__u32)(regs)->ia32_reg : (regs)->reg)
#define ARG0(task, regs) ARG(task, regs, bx, di)
#define ARG1(task, regs) ARG(task, regs, cx, si)
#define ARG2(task, regs) ARG(task, regs, dx, dx)
#define ARG3(task, regs) ARG(task, regs, si, r10)
#define ARG4(task, regs) ARG(task, regs, di, r8)
#define ARG5(task, regs) ARG(task, regs, bp, r9)

/* The 64-bit number of the thread's system call `nr`, or GN_NO_SYSCALL. */
static __always_inline __u16 syscall_nr(struct task_struct *task, __u64 nr)
{
	if (!in_ia32(task))
		return gn_syscall_of_64(nr);
	barrier_var(nr);
	return gn_syscall_of_ia32(nr);
}

/* The system call that a thread is in, or GN_NO_SYSCALL. */
static __always_inline __u16 syscall_of(struct task_struct *task)
{
	return syscall_nr(task, entry_regs(task)->orig_ax);
}

#define GN_TIME_SECONDS 4000000000ll
#define GN_TIME_BEGUN	200000

/* How far the clock of the thread's time namespace is ahead of the machine's,
 * as in a container that was moved here from another machine. */
static __always_inline __u64 clock_ahead(struct task_struct *task)
{
	struct timespec64 *by;

	if (!bpf_core_field_exists(((struct nsproxy *)0)->time_ns) ||
	    !bpf_core_field_exists(((struct time_namespace *)0)->offsets))
		return 0;
	by = &untrusted(task)->nsproxy->time_ns->offsets.monotonic;
	return by->tv_sec * 1000000000ull + by->tv_nsec;
}

/* Reads two numbers at `at` in the traced process: a struct timespec or
 * timeval. */
static __always_inline bool read_time(struct task_struct *task,
				      const struct pt_regs *regs, __u64 at,
				      __s64 time[2])
{
	__s32 narrow[2];

	if (!in_ia32(task) || regs->orig_ax >= GN_SYSCALL_IA32_TIME64)
		return !bpf_probe_read_user(time, 2 * sizeof(*time),
					    (const void *)at);
	if (bpf_probe_read_user(narrow, sizeof(narrow), (const void *)at))
		return false;
	time[0] = narrow[0];
	time[1] = narrow[1];
	return true;
}

/* The end of a span of time that the kernel started a little before `now`. */
static __always_inline __u64 span_end(__u64 now, __u64 span)
{
	return now + span -
	       (span / 64 < GN_TIME_BEGUN ? span / 64 : GN_TIME_BEGUN);
}

/* A stop interrupted the call, and the thread resumes it. */
static __always_inline bool in_restart(struct task_struct *task)
{
	return syscall_of(task) == GN_SYSCALL_RESTART;
}

/* The lowest address that a program can have. */
#define GN_LOWEST 4096

/*
 * The call that restart_syscall resumes. The thread's registers still have its
 * arguments, and its restart_block says how to resume, but not which call:
 * - futex, poll: it starts with their first argument, an address. Next is
 *   has_timeout of a poll (0 or 1), or the flags of a futex (more than 1);
 * - nanosleep, clock_nanosleep: it starts with the clock;
 * - a poll of nothing has no address. Its seconds are where a sleep has its
 *   nanoseconds, and are fewer.
 */
static __always_inline __u16 restarted(struct task_struct *task)
{
	const struct pt_regs *regs = entry_regs(task);
	__u64 first = in_ia32(task) ? (__u32)regs->bx : regs->di;
	__u64 kept = (__u64)BPF_CORE_READ(task, restart_block.futex.uaddr);

	if (!kept && !first &&
	    BPF_CORE_READ(task, restart_block.nanosleep.expires) <
		    GN_TIME_SECONDS)
		return GN_NR_poll;
	if (kept < GN_LOWEST || kept != first)
		return first < GN_LOWEST || (__u32)first == (__u32)kept
			       ? GN_NR_clock_nanosleep
			       : GN_NR_nanosleep;
	return (__u32)BPF_CORE_READ(task, restart_block.poll.has_timeout) > 1
		       ? GN_NR_futex
		       : GN_NR_poll;
}

#endif
