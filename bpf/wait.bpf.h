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

#include "maps.bpf.h"

#define GN_IFMT	  0170000
#define GN_IFSOCK 0140000
#define GN_IFREG  0100000
#define GN_IFBLK  0060000
#define GN_IFDIR  0040000
#define GN_IFCHR  0020000
#define GN_IFIFO  0010000

#define GN_AF_UNIX 1
/* linux/magic.h */
#define GN_ANON_INODE_MAGIC 0x09041934
#define GN_PIDFS_MAGIC	    0x50494446

/* Follows `path` from a struct `type`; the further arguments are the same path
 * for BPF_CORE_READ(). Plain loads take a tenth of the helper calls' time. */
#define GN_FOLLOW(type, p, path, ...) \
	(can_cast ? GN_CAST_TO(type, p)->path : BPF_CORE_READ(p, __VA_ARGS__))

static __always_inline struct file *file_at(struct file **at)
{
	struct file *f = 0;

	if (can_cast)
		return (struct file *)GN_CAST_TO(list_head, at)->next;
	return bpf_probe_read_kernel(&f, sizeof(f), at) ? 0 : f;
}

static __always_inline __u16 mode_of(struct file *f)
{
	return GN_FOLLOW(file, f, f_inode->i_mode, f_inode, i_mode);
}

static __always_inline enum gn_polled kind_of_socket(struct file *f)
{
	struct socket *sock = GN_FOLLOW(file, f, private_data, private_data);
	__u16 family = GN_FOLLOW(socket, sock, sk->__sk_common.skc_family, sk,
				 __sk_common.skc_family);

	return family == GN_AF_UNIX ? GN_POLLED_UNIX : GN_POLLED_SOCKET;
}

/* The kind of a file without an inode of its own, by its name: "[eventfd]". */
static __always_inline enum gn_polled kind_of_anon(struct file *f)
{
	char name[8] = {};

	bpf_probe_read_kernel(name, sizeof(name),
			      GN_FOLLOW(file, f, f_path.dentry->d_name.name,
					f_path.dentry, d_name.name));
	if (name[0] == 'i' && name[1] == 'n' && name[2] == 'o')
		return GN_POLLED_INOTIFY; /* inotify */
	if (name[0] != '[')
		return GN_POLLED_UNKNOWN;
	if (name[1] == 'e' && name[2] == 'v' && name[6] == 'f')
		return GN_POLLED_EVENTFD; /* [eventfd] */
	if (name[1] == 'e' && name[2] == 'v' && name[6] == 'p')
		return GN_POLLED_EPOLL; /* [eventpoll] */
	if (name[1] == 't' && name[2] == 'i')
		return GN_POLLED_TIMERFD; /* [timerfd] */
	if (name[1] == 'p' && name[2] == 'i')
		return GN_POLLED_PIDFD; /* [pidfd] */
	if (name[1] == 's' && name[2] == 'i')
		return GN_POLLED_SIGNALFD; /* [signalfd] */
	return GN_POLLED_UNKNOWN;
}

static __always_inline enum gn_polled kind_of_file(struct file *f)
{
	__u16 mode = mode_of(f) & GN_IFMT;
	unsigned long magic;

	if (mode == GN_IFIFO)
		return GN_POLLED_PIPE;
	if (mode == GN_IFSOCK)
		return kind_of_socket(f);
	magic = GN_FOLLOW(file, f, f_inode->i_sb->s_magic, f_inode, i_sb,
			  s_magic);
	/* anonymous inodes have no type, or since 6.16 that of a file */
	if (magic == GN_ANON_INODE_MAGIC)
		return kind_of_anon(f);
	if (magic == GN_PIDFS_MAGIC)
		return GN_POLLED_PIDFD;
	if (mode == GN_IFREG || mode == GN_IFBLK || mode == GN_IFDIR)
		return GN_POLLED_FILE;
	return mode == GN_IFCHR ? GN_POLLED_DEVICE : GN_POLLED_UNKNOWN;
}

static __always_inline enum gn_class class_of_kind(enum gn_polled kind)
{
	switch (kind) {
	case GN_POLLED_PIPE:
	case GN_POLLED_UNIX:
	case GN_POLLED_EVENTFD:
		return GN_CLASS_IPC;
	case GN_POLLED_SOCKET:
		return GN_CLASS_NET;
	case GN_POLLED_TIMERFD:
		return GN_CLASS_SLEEP;
	case GN_POLLED_PIDFD:
		return GN_CLASS_CHILD;
	case GN_POLLED_FILE:
		return GN_CLASS_DISK;
	case GN_POLLED_SIGNALFD:
		return GN_CLASS_EVENT;
	default:
		return GN_CLASS_OTHER;
	}
}

/* The task is an argument of the program, so plain loads can follow its
 * pointers. They cost a tenth of a helper call. */
static __always_inline struct file *file_of_fd(struct task_struct *p, __u32 fd)
{
	struct fdtable *fdt = untrusted(p)->files->fdt;

	return fd < fdt->max_fds ? file_at(&fdt->fd[fd]) : 0;
}

static __always_inline enum gn_class class_of_fd(struct task_struct *p,
						 __u32 fd)
{
	struct file *f = file_of_fd(p, fd);

	return f ? class_of_kind(kind_of_file(f)) : GN_CLASS_OTHER;
}

/* The kind of a file of the current thread. Not static: see emit_slices(). A
 * function that is not static accepts no kernel pointers. */
__noinline int kind_of_fd(__u32 fd)
{
	struct file *f = file_of_fd(bpf_get_current_task_btf(), fd);

	return f ? kind_of_file(f) : GN_POLLED_UNKNOWN;
}

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

/* Whether the thread's place in the list of those that wait for its
 * interpreter's lock is taken. */
static __always_inline bool is_listed(const struct gn_lock *lock, __u64 word)
{
	__u64 at = (word & ~7ull) - GN_LOCK_COND_FUTEX - lock->size, back = 0;
	struct gn_lock_place place;

	return !bpf_probe_read_user(&place, sizeof(place), (void *)at) &&
	       place.next != at &&
	       !bpf_probe_read_user(
		       &back, sizeof(back),
		       (void *)(place.next +
				offsetof(struct gn_lock_place, prev))) &&
	       back == at;
}

/* Whether the current thread, which waits for a futex, waits for its
 * interpreter's lock. */
__noinline int waits_for_interpreter(struct gn_task *t)
{
	struct task_struct *p = bpf_get_current_task_btf();
	__u64 word = entry_regs(p)->di;

	if (!t || !t->lock.size || in_ia32(p))
		return false;
	if (t->lock.at)
		return word - t->lock.at < t->lock.size;
	return is_listed(&t->lock, word);
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
