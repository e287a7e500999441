/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Waits for a futex: until when, and for what. */
#ifndef GNOMON_FUTEX_BPF_H
#define GNOMON_FUTEX_BPF_H

#include "gnomon_vmlinux.h"

#include <stddef.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/syscalls.h>
#include <gnomon/time_class.h>

#include "maps.bpf.h"
#include "syscall.bpf.h"

/* Where the timeout of a wait for a futex is, if it has one. */
static __always_inline __u64 futex_timeout(struct task_struct *task, __u16 nr,
					   __u32 op)
{
	const struct pt_regs *regs = entry_regs(task);

	if (nr == GN_NR_futex_wait)
		return ARG4(task, regs);
	if (nr == GN_NR_futex && op != GN_FUTEX_WAIT &&
	    op != GN_FUTEX_WAIT_BITSET)
		return 0;
	return ARG3(task, regs);
}

/* Whether that timeout is by CLOCK_REALTIME. */
static __always_inline bool futex_real(struct task_struct *task, __u16 nr)
{
	const struct pt_regs *regs = entry_regs(task);

	if (nr == GN_NR_futex)
		return ARG1(task, regs) & GN_FUTEX_REALTIME;
	return !(__u32)(nr == GN_NR_futex_waitv ? ARG4(task, regs)
						: ARG5(task, regs));
}

/* When a wait for a futex times out. 0: never. The timeout is read from the
 * program while the thread is still current; the kernel has just read it. */
static __always_inline __u64 futex_deadline(struct task_struct *task, __u16 nr,
					    __u64 now)
{
	const struct pt_regs *regs = entry_regs(task);
	__u32 op = ARG1(task, regs) & GN_FUTEX_OP;
	bool real = futex_real(task, nr);
	__u64 at;
	__s64 ts[2];

	if (in_restart(task))
		return BPF_CORE_READ(task, restart_block.futex.time) -
		       (real ? control.real_ahead : 0);
	at = futex_timeout(task, nr, op);
	if (!at || !read_time(task, regs, at, ts))
		return 0;
	/* more than a clock can reach: never */
	if (ts[0] < 0 || ts[0] > GN_TIME_SECONDS)
		return 0;
	at = ts[0] * 1000000000ull + ts[1];
	if (nr == GN_NR_futex && op == GN_FUTEX_WAIT)
		return span_end(now, at);
	return at - (real ? control.real_ahead : clock_ahead(task));
}

static __always_inline bool can_be_musl(struct task_struct *task)
{
	return bpf_core_field_exists(task->robust_list) &&
	       !BPF_CORE_READ(task, robust_list);
}

/* Whether the task's C library is musl, shared or linked statically. With glibc
 * every thread has a robust list from its start, and in Go a thread has no
 * pointer to itself. */
static __always_inline bool in_musl(struct task_struct *task)
{
	__u64 at, self;

	if (!can_be_musl(task))
		return false;
	at = BPF_CORE_READ(task, thread.fsbase);
	return at && !bpf_probe_read_user(&self, sizeof(self), (void *)at) &&
	       self == at;
}

/* How a pthread_rwlock_t of glibc begins, from 2.25 on. */
struct gn_rwlock {
	__u32 readers, writers, phase, next; /* threads wait for the last two */
	__u32 none[2];
};

#define GN_RWLOCK_WRITES  1u /* in `readers`: it is the turn of writers */
#define GN_RWLOCK_CLAIMED 2u /* a writer has it, or is the next to get it */
#define GN_RWLOCK_READER  8u
#define GN_RWLOCK_COUNT	  0x7fffffffu /* in `writers`: how many threads wait */

/*
 * Whether a thread that waits for a word to change from GN_FUTEX_WRITER waits
 * for a read-write lock. The word of a condition variable can have the same
 * value, because it is a counter.
 */
static __always_inline bool in_rwlock(__u64 word)
{
	struct gn_rwlock l;

	if (!bpf_probe_read_user(
		    &l, sizeof(l),
		    (void *)(word - offsetof(struct gn_rwlock, phase))) &&
	    l.readers & GN_RWLOCK_WRITES && l.readers >= GN_RWLOCK_READER &&
	    l.next <= GN_FUTEX_WRITER && !l.none[0] && !l.none[1])
		return true;
	return !bpf_probe_read_user(
		       &l, sizeof(l),
		       (void *)(word - offsetof(struct gn_rwlock, next))) &&
	       l.readers & GN_RWLOCK_CLAIMED &&
	       (l.writers & GN_RWLOCK_COUNT) <= GN_FUTEX_OWNER_MAX &&
	       l.phase <= GN_FUTEX_WRITER && !l.none[0] && !l.none[1];
}

/* A pthread_barrier_t of glibc, from 2.25 on. */
struct gn_barrier {
	__u32 in, round, count, shared, out; /* threads wait for the second */
};

/* Whether a thread that waits for a word to change from GN_FUTEX_HELD waits in
 * a barrier of two threads, for the second time. */
static __always_inline bool in_barrier(__u64 word)
{
	struct gn_barrier b;

	return !bpf_probe_read_user(
		       &b, sizeof(b),
		       (void *)(word - offsetof(struct gn_barrier, round))) &&
	       b.count == 2 && b.in - GN_FUTEX_HELD <= b.count &&
	       b.in > GN_FUTEX_HELD && b.out <= b.in && !(b.shared & ~0x80u);
}

/* The class in a program with glibc, where the memory around the word decides
 * some cases. */
static __always_inline enum gn_class
futex_class_near(const struct pt_regs *regs)
{
	__u64 word = regs->di;
	__u32 op = regs->si & GN_FUTEX_OP, expected = regs->dx;

	if (op == GN_FUTEX_WAIT_BITSET && expected == GN_FUTEX_WRITER &&
	    in_rwlock(word))
		return GN_CLASS_LOCK;
	if (op == GN_FUTEX_WAIT && expected == GN_FUTEX_HELD &&
	    in_barrier(word))
		return GN_CLASS_EVENT;
	return gn_futex_class(op, expected);
}

/*
 * The class for a thread that is not the current one, whose memory cannot be
 * read. A mutex's word counts as a mutex, although a barrier of two threads can
 * have the same word.
 */
static __always_inline enum gn_class
futex_class_unread(struct task_struct *task, const struct pt_regs *regs)
{
	__u32 op = regs->si & GN_FUTEX_OP, expected = regs->dx;

	if ((op == GN_FUTEX_WAIT_BITSET && expected == GN_FUTEX_WRITER) ||
	    (gn_futex_differs(op, expected) && can_be_musl(task)))
		return GN_CLASS_UNCLASSIFIED;
	return gn_futex_class(op, expected);
}

static __always_inline enum gn_class futex_class(struct task_struct *task,
						 const struct pt_regs *regs,
						 __u16 nr, bool own)
{
	if (nr != GN_NR_futex) /* futex_wait: the word comes second */
		return gn_futex_class(GN_FUTEX_WAIT, regs->si);
	if (in_ia32(task))
		return gn_futex_class(regs->cx, regs->dx);
	if (!own)
		return futex_class_unread(task, regs);
	if (gn_futex_differs(regs->si, regs->dx) && in_musl(task))
		return gn_futex_class_musl(regs->si, regs->dx);
	return futex_class_near(regs);
}

#endif
