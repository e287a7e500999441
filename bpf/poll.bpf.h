/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Finds what a thread polls, if that is a single file, and when the call times
 * out. Both come from the arguments of the call. The kernel has just read them,
 * and they are read here while the thread is still current.
 */
#ifndef GNOMON_POLL_BPF_H
#define GNOMON_POLL_BPF_H

#include "gnomon_vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <gnomon/syscalls.h>
#include <gnomon/time_class.h>

#include "maps.bpf.h"
#include "wait.bpf.h"

#define GN_SELECT_IA32_OLD 82 /* its arguments are in memory */

#define GN_SELECT_WORDS 4 /* larger sets of descriptors are not read */
#define GN_SELECT_MAX	(64 * GN_SELECT_WORDS)

/* The number of the lowest set bit, computed as the number of bits below it.
 * Without branches: the verifier would follow every path through them. The
 * barrier keeps clang 18 from seeing an operation that it has no code for. */
static __always_inline __u32 lowest_bit(__u64 word)
{
	__u64 below = ~word & (word - 1);

	barrier_var(below);
	below -= below >> 1 & 0x5555555555555555;
	below = (below & 0x3333333333333333) +
		(below >> 2 & 0x3333333333333333);
	below = (below + (below >> 4)) & 0x0f0f0f0f0f0f0f0f;
	return below * 0x0101010101010101 >> 56;
}

/* Adds a set of select() to `sum`. */
static __always_inline bool add_set(__u64 sum[GN_SELECT_WORDS], __u64 at)
{
	__u64 set[GN_SELECT_WORDS];
	int i;

	if (!at)
		return true;
	if (bpf_probe_read_user(set, sizeof(set), (const void *)at))
		return false;
	for (i = 0; i < GN_SELECT_WORDS; i++)
		sum[i] |= set[i];
	return true;
}

/* The bits of a word of a set, without those of descriptors from `n` on, which
 * are undefined. */
static __always_inline __u64 of_set(__u64 word, __u32 n, __u32 first)
{
	if (n <= first)
		return 0;
	return n - first < 64 ? word & ((1ull << (n - first)) - 1) : word;
}

static __noinline int kind_of_sets(struct task_struct *p)
{
	const struct pt_regs *regs;
	__u64 sum[GN_SELECT_WORDS] = {}, word;
	__u32 n, fd = GN_SELECT_MAX;
	int i;

	if (!p)
		return GN_POLLED_UNKNOWN;
	regs = entry_regs(p);
	n = ARG0(p, regs);
	if (n > GN_SELECT_MAX || !add_set(sum, ARG1(p, regs)) ||
	    !add_set(sum, ARG2(p, regs)) || !add_set(sum, ARG3(p, regs)))
		return GN_POLLED_UNKNOWN;
	for (i = 0; i < GN_SELECT_WORDS; i++) {
		word = of_set(sum[i], n, 64 * i);
		if (!word)
			continue;
		if (fd < GN_SELECT_MAX || word & (word - 1))
			return GN_POLLED_SEVERAL;
		fd = 64 * i + lowest_bit(word);
	}
	return fd < GN_SELECT_MAX ? kind_of_fd(fd) : GN_POLLED_NOTHING;
}

static __noinline int kind_of_pollfds(struct task_struct *p)
{
	const struct pt_regs *regs;
	__s32 fd;
	int kind;

	if (!p)
		return GN_POLLED_UNKNOWN;
	regs = entry_regs(p);
	if (bpf_probe_read_user(&fd, sizeof(fd), (const void *)ARG0(p, regs)))
		return GN_POLLED_UNKNOWN;
	kind = fd < 0 ? GN_POLLED_NOTHING : kind_of_fd(fd);
	/* who waits for gnomon polls signals, too */
	return (__u32)ARG1(p, regs) > 1 && kind != GN_POLLED_GNOMON
		       ? GN_POLLED_SEVERAL
		       : kind;
}

/* The operations of epoll instances: they are the same for all, and quicker to
 * compare than names. 0: none was seen so far. */
static volatile __u64 epoll_ops;

static __always_inline bool is_epoll(struct file *f)
{
	__u64 ops = (__u64)GN_FOLLOW(file, f, f_op, f_op);

	if (ops && ops == epoll_ops)
		return true;
	if (kind_of_file(f) != GN_POLLED_EPOLL)
		return false;
	epoll_ops = ops;
	return true;
}

/* The kind of the file that an epoll instance watches, if it watches only
 * one. */
static __noinline int kind_of_epoll(struct task_struct *p)
{
	struct eventpoll *ep;
	struct rb_node *root;
	struct epitem *item;
	struct file *f;

	if (!p || !bpf_core_field_exists(((struct eventpoll *)0)->rbr) ||
	    !bpf_core_field_exists(((struct epitem *)0)->rbn) ||
	    !bpf_core_field_exists(((struct epitem *)0)->ffd.file))
		return GN_POLLED_UNKNOWN;
	f = file_of_fd(p, ARG0(p, entry_regs(p)));
	/* another thread can have put another file there since */
	if (!f || !is_epoll(f))
		return GN_POLLED_UNKNOWN;
	ep = GN_FOLLOW(file, f, private_data, private_data);
	root = GN_FOLLOW(eventpoll, ep, rbr.rb_root.rb_node,
			 rbr.rb_root.rb_node);
	if (!root)
		return GN_POLLED_NOTHING;
	if (GN_FOLLOW(rb_node, root, rb_left, rb_left) ||
	    GN_FOLLOW(rb_node, root, rb_right, rb_right))
		return GN_POLLED_SEVERAL;
	item = (void *)root - bpf_core_field_offset(((struct epitem *)0)->rbn);
	f = GN_FOLLOW(epitem, item, ffd.file, ffd.file);
	return f ? kind_of_file(f) : GN_POLLED_UNKNOWN;
}

/* The kind of file that the call polls. -1: the call is no poll. */
static __always_inline int kind_polled(struct task_struct *p, __u16 nr)
{
	switch (nr) {
	case GN_NR_poll:
	case GN_NR_ppoll:
		return kind_of_pollfds(p);
	case GN_NR_select:
	case GN_NR_pselect6:
		return kind_of_sets(p);
	case GN_NR_epoll_wait:
	case GN_NR_epoll_pwait:
	case GN_NR_epoll_pwait2:
		return kind_of_epoll(p);
	default:
		return -1;
	}
}

static __always_inline __u64 timeout_of(struct task_struct *p, __u16 nr)
{
	const struct pt_regs *regs = entry_regs(p);

	switch (nr) {
	case GN_NR_poll:
	case GN_NR_ppoll:
		return ARG2(p, regs);
	case GN_NR_select:
	case GN_NR_pselect6:
		return ARG4(p, regs);
	default:
		return ARG3(p, regs);
	}
}

#define GN_DEADLINE_UNKNOWN (~0ull)

/* When a poll that a stop interrupted times out. 0: never. */
static __always_inline __u64 restart_deadline(struct task_struct *p)
{
	__u64 s, ns;

	if (!BPF_CORE_READ(p, restart_block.poll.has_timeout))
		return 0;
	if (bpf_core_field_exists(p->restart_block.poll.tv_sec)) {
		s = BPF_CORE_READ(p, restart_block.poll.tv_sec);
		ns = BPF_CORE_READ(p, restart_block.poll.tv_nsec);
	} else {
		s = BPF_CORE_READ(p, restart_block.poll.end_time.tv_sec);
		ns = BPF_CORE_READ(p, restart_block.poll.end_time.tv_nsec);
	}
	return s * 1000000000ull + ns;
}

/* When the call times out. 0: never. */
static __always_inline __u64 poll_deadline(struct task_struct *p, __u16 nr,
					   __u64 now)
{
	__u64 at = timeout_of(p, nr);
	__s64 time[2];

	if (in_restart(p))
		return restart_deadline(p);
	if (nr == GN_NR_poll || nr == GN_NR_epoll_wait ||
	    nr == GN_NR_epoll_pwait)
		return (__s32)at < 0 ? 0
				     : span_end(now, (__u32)at * 1000000ull);
	if (!at)
		return 0;
	if (!read_time(p, entry_regs(p), at, time))
		return GN_DEADLINE_UNKNOWN;
	if (time[0] < 0 || time[0] > GN_TIME_SECONDS)
		return 0;
	if (nr == GN_NR_select)
		time[1] *= 1000;
	return span_end(now, time[0] * 1000000000ull + time[1]);
}

/* When a wait for the completion of asynchronous I/O times out. 0: never. */
static __always_inline __u64 events_deadline(struct task_struct *task,
					     __u64 now)
{
	const struct pt_regs *regs = entry_regs(task);
	__u64 at = ARG4(task, regs);
	__s64 ts[2];

	if (!at || !read_time(task, regs, at, ts) || ts[0] < 0 ||
	    ts[0] > GN_TIME_SECONDS)
		return 0;
	return span_end(now, ts[0] * 1000000000ull + ts[1]);
}

/* The current thread has just begun to wait in a poll. */
__noinline int note_poll(struct gn_task *t, __u64 now)
{
	struct task_struct *p = bpf_get_current_task_btf();
	__u64 deadline;
	int kind;

	if (!t)
		return 0;
	/* this call has its arguments in memory, not in registers */
	if (in_ia32(p) && entry_regs(p)->orig_ax == GN_SELECT_IA32_OLD)
		return 0;
	kind = kind_polled(p, t->os.reason);
	if (kind < 0)
		return 0;
	t->os.polled = kind;
	deadline = poll_deadline(p, t->os.reason, now);
	if (deadline == GN_DEADLINE_UNKNOWN)
		return 0;
	t->os.end = GN_END_BY_READY;
	gn_os_deadline(&t->os, deadline);
	return 0;
}

/* Whether signals are pending that the thread does not block. */
static __always_inline bool has_signals(struct task_struct *p)
{
	__u64 sent = p->pending.signal.sig[0] |
		     untrusted(p)->signal->shared_pending.signal.sig[0];

	return sent & ~p->blocked.sig[0];
}

/* The thread runs again: if a signal is pending, that ended the poll. */
static __always_inline void note_signal(struct task_struct *p,
					struct gn_task *t)
{
	if (t->os.wait_class == GN_CLASS_POLL && has_signals(p))
		t->os.end = GN_END_BY_SIGNAL;
}

#endif
