/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Classifies a wait when the thread is switched out, by its system call and by
 * the file that the call uses. This needs no program on system calls.
 */
#ifndef GNOMON_WAIT_BPF_H
#define GNOMON_WAIT_BPF_H

#include "gnomon_vmlinux.h"

#include <stddef.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include <gnomon/syscalls.h>
#include <gnomon/time_class.h>

#include "file_kind.bpf.h"
#include "futex.bpf.h"
#include "local.bpf.h"
#include "maps.bpf.h"
#include "syscall.bpf.h"

/* A bit of a task's state: a signal can end the wait. */
#define GN_INTERRUPTIBLE 0x1

/*
 * Whether the thread waits for block I/O, also in a page fault. In
 * io_uring_enter the kernel sets this mark for any request, even of sockets.
 * There only a wait for the call's own I/O is not interruptible.
 */
static __always_inline bool in_block_io(struct task_struct *task, __u16 nr)
{
	return BPF_CORE_READ_BITFIELD(task, in_iowait) &&
	       !(nr == GN_NR_io_uring_enter &&
		 task->__state & GN_INTERRUPTIBLE);
}

/* Whether it is frozen with its cgroup v2, as in a paused container. The kernel
 * sets the same bit while a thread waits for its vfork(), but that wait is not
 * interruptible. */
static __always_inline bool is_frozen(struct task_struct *task,
				      unsigned int state)
{
	return state & GN_INTERRUPTIBLE &&
	       bpf_core_field_exists(task->frozen) &&
	       BPF_CORE_READ_BITFIELD(task, frozen);
}

/* The kernel's __TASK_STOPPED, __TASK_TRACED, and TASK_FROZEN: with its control
 * group of v1, or with the machine. */
#define GN_STATE_STOPPED 0x0004
#define GN_STATE_TRACED	 0x0008
#define GN_STATE_FROZEN	 0x8000

/* What halts the task, which then does not wait for what its system call waits
 * for. */
static __always_inline enum gn_halt halt_of(struct task_struct *task,
					    unsigned int state)
{
	if (state & GN_STATE_STOPPED)
		return GN_HALT_SIGNAL;
	if (state & GN_STATE_TRACED)
		return GN_HALT_DEBUGGER;
	return state & GN_STATE_FROZEN || is_frozen(task, state)
		       ? GN_HALT_FREEZER
		       : GN_HALT_NONE;
}

/* `own`: the task is the current one. */
static __always_inline enum gn_class wait_class(struct task_struct *task,
						bool own, __u16 *reason)
{
	const struct pt_regs *regs = entry_regs(task);
	enum gn_class class;
	int rule;

	*reason = syscall_nr(task, regs->orig_ax);
	if (*reason == GN_SYSCALL_RESTART)
		*reason = restarted(task);
	if (in_block_io(task, *reason))
		return GN_CLASS_DISK;
	if (*reason == GN_NO_SYSCALL)
		return GN_CLASS_OTHER;
	rule = syscall_rule(*reason);
	switch (rule) {
	case GN_RULE_FD:
	case GN_RULE_SPLICE:
		class = class_of_fd(task, ARG0(task, regs));
		/* a wait for a file is block I/O and was handled above */
		return rule == GN_RULE_SPLICE && class == GN_CLASS_DISK
			       ? GN_CLASS_IPC
			       : class;
	case GN_RULE_FUTEX:
		return futex_class(task, regs, *reason, own);
	case GN_RULE_POLL_FDS:
		return (in_ia32(task) ? (__u32)regs->cx : regs->si)
			       ? GN_CLASS_POLL
			       : GN_CLASS_SLEEP;
	case GN_RULE_POLL_SETS:
		return (in_ia32(task) ? (__u32)regs->bx : (__u32)regs->di)
			       ? GN_CLASS_POLL
			       : GN_CLASS_SLEEP;
	case GN_RULE_OPEN:
		return task->__state & GN_INTERRUPTIBLE ? GN_CLASS_IPC
							: GN_CLASS_OTHER;
	default:
		return (enum gn_class)rule;
	}
}

/* Whether a place is in a list. */
static __always_inline bool is_listed(__u64 at)
{
	struct gn_lock_place place;
	__u64 back = 0;

	return !bpf_probe_read_user(&place, sizeof(place), (void *)at) &&
	       place.next != at &&
	       !bpf_probe_read_user(
		       &back, sizeof(back),
		       (void *)(place.next +
				offsetof(struct gn_lock_place, prev))) &&
	       back == at;
}

/* Where the current thread has its place in the list of those that wait for
 * their interpreter's lock; 0: it waits for something else. */
static __always_inline __u64 place_in_ruby(const struct gn_lock *lock,
					   __u64 word)
{
	struct task_struct *p = bpf_get_current_task_btf();
	__u64 context, thread, native;

	if (!lock->context)
		return (word & ~7ull) - GN_LOCK_COND_FUTEX - lock->size;
	if (local_word(&context, BPF_CORE_READ(p, thread.fsbase), lock->at,
		       lock->context) != LOCAL_FOUND ||
	    bpf_probe_read_user(&thread, sizeof(thread),
				(void *)(context + GN_LOCK_THREAD)) ||
	    bpf_probe_read_user(&native, sizeof(native),
				(void *)(thread + GN_LOCK_NATIVE)) ||
	    word - native - GN_LOCK_COND(lock->size) >= GN_LOCK_COND_SIZE)
		return 0;
	return thread + GN_LOCK_PLACE(lock->size);
}

/* Whether the current thread, which waits for a futex, waits for its
 * interpreter's lock. */
__noinline int waits_for_interpreter(struct gn_task *t)
{
	struct task_struct *p = bpf_get_current_task_btf();
	__u64 word = entry_regs(p)->di, place;

	if (!t || !t->lock.size || in_ia32(p))
		return false;
	if (t->lock.at && !t->lock.context)
		return word - t->lock.at < t->lock.size;
	place = place_in_ruby(&t->lock, word);
	return place && is_listed(place);
}

/* For the current thread: the class in the upper half, the reason in the
 * lower. */
__noinline int own_wait(void)
{
	__u16 reason = GN_NO_SYSCALL;
	enum gn_class class =
		wait_class(bpf_get_current_task_btf(), true, &reason);

	return class << 16 | reason;
}

#endif
