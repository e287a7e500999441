/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls of x86-64 in which a thread can wait, and what it then waits
 * for. Numbers: arch/x86/entry/syscalls/syscall_64.tbl of Linux. A call that
 * is not in the list waits for GN_CLASS_OTHER. A wait that the kernel itself
 * marks as one for I/O is GN_CLASS_DISK in any call; so an open that waits
 * otherwise (the other end of a FIFO, a lease) is not.
 *
 * X(number, name, rule). Rules: a class, or FD: by the kind of the file that
 * the first argument names.
 */
#ifndef GNOMON_SYSCALLS_H
#define GNOMON_SYSCALLS_H

#include <gnomon/time_class.h>

#define GN_SYSCALL_LIST(X)             \
	X(0, read, FD)                 \
	X(1, write, FD)                \
	X(2, open, OTHER)              \
	X(4, stat, DISK)               \
	X(5, fstat, DISK)              \
	X(6, lstat, DISK)              \
	X(7, poll, OTHER)              \
	X(16, ioctl, FD)               \
	X(17, pread64, FD)             \
	X(18, pwrite64, FD)            \
	X(19, readv, FD)               \
	X(20, writev, FD)              \
	X(21, access, DISK)            \
	X(23, select, OTHER)           \
	X(26, msync, DISK)             \
	X(34, pause, OTHER)            \
	X(35, nanosleep, SLEEP)        \
	X(40, sendfile, FD)            \
	X(42, connect, FD)             \
	X(43, accept, FD)              \
	X(44, sendto, FD)              \
	X(45, recvfrom, FD)            \
	X(46, sendmsg, FD)             \
	X(47, recvmsg, FD)             \
	X(48, shutdown, FD)            \
	X(56, clone, CHILD)            \
	X(58, vfork, CHILD)            \
	X(59, execve, DISK)            \
	X(61, wait4, CHILD)            \
	X(65, semop, IPC)              \
	X(69, msgsnd, IPC)             \
	X(70, msgrcv, IPC)             \
	X(72, fcntl, LOCK)             \
	X(73, flock, LOCK)             \
	X(74, fsync, DISK)             \
	X(75, fdatasync, DISK)         \
	X(76, truncate, DISK)          \
	X(77, ftruncate, DISK)         \
	X(78, getdents, DISK)          \
	X(82, rename, DISK)            \
	X(83, mkdir, DISK)             \
	X(84, rmdir, DISK)             \
	X(85, creat, OTHER)            \
	X(87, unlink, DISK)            \
	X(128, rt_sigtimedwait, OTHER) \
	X(130, rt_sigsuspend, OTHER)   \
	X(162, sync, DISK)             \
	X(187, readahead, DISK)        \
	X(202, futex, LOCK)            \
	X(208, io_getevents, DISK)     \
	X(217, getdents64, DISK)       \
	X(220, semtimedop, IPC)        \
	X(230, clock_nanosleep, SLEEP) \
	X(232, epoll_wait, OTHER)      \
	X(242, mq_timedsend, IPC)      \
	X(243, mq_timedreceive, IPC)   \
	X(247, waitid, CHILD)          \
	X(257, openat, OTHER)          \
	X(258, mkdirat, DISK)          \
	X(262, newfstatat, DISK)       \
	X(263, unlinkat, DISK)         \
	X(264, renameat, DISK)         \
	X(270, pselect6, OTHER)        \
	X(271, ppoll, OTHER)           \
	X(275, splice, FD)             \
	X(277, sync_file_range, DISK)  \
	X(281, epoll_pwait, OTHER)     \
	X(285, fallocate, DISK)        \
	X(288, accept4, FD)            \
	X(295, preadv, FD)             \
	X(296, pwritev, FD)            \
	X(299, recvmmsg, FD)           \
	X(306, syncfs, DISK)           \
	X(307, sendmmsg, FD)           \
	X(316, renameat2, DISK)        \
	X(322, execveat, DISK)         \
	X(326, copy_file_range, DISK)  \
	X(327, preadv2, FD)            \
	X(328, pwritev2, FD)           \
	X(332, statx, DISK)            \
	X(333, io_pgetevents, DISK)    \
	X(426, io_uring_enter, OTHER)  \
	X(435, clone3, CHILD)          \
	X(437, openat2, OTHER)         \
	X(441, epoll_pwait2, OTHER)    \
	X(449, futex_waitv, LOCK)      \
	X(455, futex_wait, LOCK)

/* A rule beyond the classes. */
#define GN_RULE_FD GN_CLASS_COUNT

/* One load at each switch of a thread that waits, where a tree of comparisons
 * would be a dozen branches. Rules are one more than they are: 0 = none. */
#define GN_CLASS_FD			    GN_RULE_FD
#define GN_SYSCALL_RULE(number, name, rule) [number] = GN_CLASS_##rule + 1,
static const __u8 gn_syscall_rules[] = {GN_SYSCALL_LIST(GN_SYSCALL_RULE)};
#undef GN_SYSCALL_RULE
#undef GN_CLASS_FD

/* The rule of a system call: an enum gn_class, or GN_RULE_FD. */
static inline int gn_syscall_rule(__u32 nr)
{
	if (nr >= sizeof(gn_syscall_rules) || !gn_syscall_rules[nr])
		return GN_CLASS_OTHER;
	return gn_syscall_rules[nr] - 1;
}

/* The calls by which a probe site enters the kernel (uretprobe, uprobe): what
 * they take is the probe's cost, not a system call of the program. */
static inline int gn_syscall_is_probe(long nr)
{
	return nr == 335 || nr == 336;
}

/* Its name, or NULL when it is not in the list. */
static inline const char *gn_syscall_name(__u32 nr)
{
	switch (nr) {
#define GN_SYSCALL_NAME(number, name, rule) \
	case number:                        \
		return #name;
		GN_SYSCALL_LIST(GN_SYSCALL_NAME)
#undef GN_SYSCALL_NAME
	default:
		return (const char *)0;
	}
}

#endif
