/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * System calls of x86-64 in which a thread can wait, and what it waits for.
 * Numbers: arch/x86/entry/syscalls/syscall_64.tbl of Linux. A call that is not
 * in the list waits for GN_CLASS_OTHER. A wait that the kernel marks as an I/O
 * wait is GN_CLASS_DISK in any call.
 *
 * X(number, name, rule). Rules: a class; FD: by the kind of the file that the
 * first argument names; FUTEX: by the operation and the expected word;
 * POLL_FDS, POLL_SETS: a sleep if the second or the first argument says that
 * nothing is polled; OPEN: a FIFO's other end, if a signal can end the wait;
 * SPLICE: FD, but the pipe if a file is spliced into one.
 */
#ifndef GNOMON_SYSCALLS_H
#define GNOMON_SYSCALLS_H

#include <gnomon/time_class.h>

#define GN_SYSCALL_LIST(X)             \
	X(0, read, FD)                 \
	X(1, write, FD)                \
	X(2, open, OPEN)               \
	X(4, stat, DISK)               \
	X(5, fstat, DISK)              \
	X(6, lstat, DISK)              \
	X(7, poll, POLL_FDS)           \
	X(16, ioctl, FD)               \
	X(17, pread64, FD)             \
	X(18, pwrite64, FD)            \
	X(19, readv, FD)               \
	X(20, writev, FD)              \
	X(21, access, DISK)            \
	X(23, select, POLL_SETS)       \
	X(26, msync, DISK)             \
	X(34, pause, EVENT)            \
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
	X(85, creat, OPEN)             \
	X(87, unlink, DISK)            \
	X(128, rt_sigtimedwait, EVENT) \
	X(130, rt_sigsuspend, EVENT)   \
	X(162, sync, DISK)             \
	X(187, readahead, DISK)        \
	X(202, futex, FUTEX)           \
	X(208, io_getevents, DISK)     \
	X(217, getdents64, DISK)       \
	X(220, semtimedop, IPC)        \
	X(230, clock_nanosleep, SLEEP) \
	X(232, epoll_wait, POLL)       \
	X(242, mq_timedsend, IPC)      \
	X(243, mq_timedreceive, IPC)   \
	X(247, waitid, CHILD)          \
	X(257, openat, OPEN)           \
	X(258, mkdirat, DISK)          \
	X(262, newfstatat, DISK)       \
	X(263, unlinkat, DISK)         \
	X(264, renameat, DISK)         \
	X(270, pselect6, POLL_SETS)    \
	X(271, ppoll, POLL_FDS)        \
	X(275, splice, SPLICE)         \
	X(276, tee, FD)                \
	X(277, sync_file_range, DISK)  \
	X(278, vmsplice, FD)           \
	X(281, epoll_pwait, POLL)      \
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
	X(426, io_uring_enter, POLL)   \
	X(435, clone3, CHILD)          \
	X(437, openat2, OPEN)          \
	X(441, epoll_pwait2, POLL)     \
	X(449, futex_waitv, EVENT)     \
	X(455, futex_wait, FUTEX)

enum gn_syscall {
#define GN_SYSCALL_ENUM(number, name, rule) GN_NR_##name = (number),
	GN_SYSCALL_LIST(GN_SYSCALL_ENUM)
#undef GN_SYSCALL_ENUM
};

/*
 * The same calls as made by 32-bit programs, and by 64-bit ones with int 0x80:
 * arch/x86/entry/syscalls/syscall_32.tbl. X(number, name, 64-bit number). exit
 * and exit_group are in the list because they wake threads. socketcall and ipc
 * are many calls each, which are not distinguished.
 */
#define GN_SYSCALL_IA32_LIST(X)             \
	X(1, exit, 60)                      \
	X(3, read, 0)                       \
	X(4, write, 1)                      \
	X(5, open, 2)                       \
	X(7, waitpid, 61)                   \
	X(8, creat, 85)                     \
	X(10, unlink, 87)                   \
	X(11, execve, 59)                   \
	X(29, pause, 34)                    \
	X(33, access, 21)                   \
	X(36, sync, 162)                    \
	X(38, rename, 82)                   \
	X(39, mkdir, 83)                    \
	X(40, rmdir, 84)                    \
	X(54, ioctl, 16)                    \
	X(55, fcntl, 72)                    \
	X(82, select, 23)                   \
	X(92, truncate, 76)                 \
	X(93, ftruncate, 77)                \
	X(106, stat, 4)                     \
	X(107, lstat, 6)                    \
	X(108, fstat, 5)                    \
	X(114, wait4, 61)                   \
	X(118, fsync, 74)                   \
	X(120, clone, 56)                   \
	X(141, getdents, 78)                \
	X(142, _newselect, 23)              \
	X(143, flock, 73)                   \
	X(144, msync, 26)                   \
	X(145, readv, 19)                   \
	X(146, writev, 20)                  \
	X(148, fdatasync, 75)               \
	X(162, nanosleep, 35)               \
	X(168, poll, 7)                     \
	X(177, rt_sigtimedwait, 128)        \
	X(179, rt_sigsuspend, 130)          \
	X(180, pread64, 17)                 \
	X(181, pwrite64, 18)                \
	X(187, sendfile, 40)                \
	X(190, vfork, 58)                   \
	X(193, truncate64, 76)              \
	X(194, ftruncate64, 77)             \
	X(195, stat64, 4)                   \
	X(196, lstat64, 6)                  \
	X(197, fstat64, 5)                  \
	X(220, getdents64, 217)             \
	X(221, fcntl64, 72)                 \
	X(225, readahead, 187)              \
	X(239, sendfile64, 40)              \
	X(240, futex, 202)                  \
	X(247, io_getevents, 208)           \
	X(252, exit_group, 231)             \
	X(256, epoll_wait, 232)             \
	X(267, clock_nanosleep, 230)        \
	X(279, mq_timedsend, 242)           \
	X(280, mq_timedreceive, 243)        \
	X(284, waitid, 247)                 \
	X(295, openat, 257)                 \
	X(296, mkdirat, 258)                \
	X(300, fstatat64, 262)              \
	X(301, unlinkat, 263)               \
	X(302, renameat, 264)               \
	X(308, pselect6, 270)               \
	X(309, ppoll, 271)                  \
	X(313, splice, 275)                 \
	X(315, tee, 276)                    \
	X(316, vmsplice, 278)               \
	X(314, sync_file_range, 277)        \
	X(319, epoll_pwait, 281)            \
	X(324, fallocate, 285)              \
	X(333, preadv, 295)                 \
	X(334, pwritev, 296)                \
	X(337, recvmmsg, 299)               \
	X(344, syncfs, 306)                 \
	X(345, sendmmsg, 307)               \
	X(353, renameat2, 316)              \
	X(358, execveat, 322)               \
	X(362, connect, 42)                 \
	X(364, accept4, 288)                \
	X(369, sendto, 44)                  \
	X(370, sendmsg, 46)                 \
	X(371, recvfrom, 45)                \
	X(372, recvmsg, 47)                 \
	X(373, shutdown, 48)                \
	X(377, copy_file_range, 326)        \
	X(378, preadv2, 327)                \
	X(379, pwritev2, 328)               \
	X(383, statx, 332)                  \
	X(385, io_pgetevents, 333)          \
	X(400, msgsnd, 69)                  \
	X(401, msgrcv, 70)                  \
	X(407, clock_nanosleep_time64, 230) \
	X(413, pselect6_time64, 270)        \
	X(414, ppoll_time64, 271)           \
	X(416, io_pgetevents_time64, 333)   \
	X(417, recvmmsg_time64, 299)        \
	X(418, mq_timedsend_time64, 242)    \
	X(419, mq_timedreceive_time64, 243) \
	X(420, semtimedop_time64, 220)      \
	X(421, rt_sigtimedwait_time64, 128) \
	X(422, futex_time64, 202)           \
	X(426, io_uring_enter, 426)         \
	X(435, clone3, 435)                 \
	X(437, openat2, 437)                \
	X(441, epoll_pwait2, 441)           \
	X(449, futex_waitv, 449)

/* Rules beyond the classes. */
#define GN_RULE_FD	  GN_CLASS_COUNT
#define GN_RULE_FUTEX	  (GN_CLASS_COUNT + 1)
#define GN_RULE_POLL_FDS  (GN_CLASS_COUNT + 2)
#define GN_RULE_POLL_SETS (GN_CLASS_COUNT + 3)
#define GN_RULE_OPEN	  (GN_CLASS_COUNT + 4)
#define GN_RULE_SPLICE	  (GN_CLASS_COUNT + 5)

/* A table, because it costs one load at each switch of a thread that waits; a
 * tree of comparisons would cost a dozen branches. Values are the rule plus 1;
 * 0 = no rule. */
#define GN_CLASS_FD			    GN_RULE_FD
#define GN_CLASS_FUTEX			    GN_RULE_FUTEX
#define GN_CLASS_POLL_FDS		    GN_RULE_POLL_FDS
#define GN_CLASS_POLL_SETS		    GN_RULE_POLL_SETS
#define GN_CLASS_OPEN			    GN_RULE_OPEN
#define GN_CLASS_SPLICE			    GN_RULE_SPLICE
#define GN_SYSCALL_RULE(number, name, rule) [number] = GN_CLASS_##rule + 1,
static const __u8 gn_syscall_rules[] = {GN_SYSCALL_LIST(GN_SYSCALL_RULE)};
#undef GN_SYSCALL_RULE
#undef GN_CLASS_FD
#undef GN_CLASS_FUTEX
#undef GN_CLASS_POLL_FDS
#undef GN_CLASS_POLL_SETS
#undef GN_CLASS_OPEN
#undef GN_CLASS_SPLICE

/* The rule of a system call: an enum gn_class, or GN_RULE_*. */
static inline int gn_syscall_rule(__u32 nr)
{
	if (nr >= sizeof(gn_syscall_rules) || !gn_syscall_rules[nr])
		return GN_CLASS_OTHER;
	return gn_syscall_rules[nr] - 1;
}

#define GN_SYSCALL_IA32(number, name, known_as) [number] = known_as + 1,
static const __u16 gn_syscalls_ia32[] = {GN_SYSCALL_IA32_LIST(GN_SYSCALL_IA32)};
#undef GN_SYSCALL_IA32

#define GN_SYSCALL_X32	   0x40000000 /* asm/unistd.h: __X32_SYSCALL_BIT */
#define GN_SYSCALL_X32_OWN 512	      /* from here on x32 has its own numbers */

/* The 64-bit number of a 32-bit call, or GN_NO_SYSCALL if it is not in the
 * list. */
static inline __u16 gn_syscall_of_ia32(__u32 nr)
{
	if (nr >= sizeof(gn_syscalls_ia32) / sizeof(gn_syscalls_ia32[0]) ||
	    !gn_syscalls_ia32[nr])
		return GN_NO_SYSCALL;
	return gn_syscalls_ia32[nr] - 1;
}

/* The number of a 64-bit or x32 call as used everywhere else here. */
static inline __u16 gn_syscall_of_64(__u64 nr)
{
	if (nr & GN_SYSCALL_X32)
		return (nr & ~(__u64)GN_SYSCALL_X32) < GN_SYSCALL_X32_OWN
			       ? nr & ~(__u64)GN_SYSCALL_X32
			       : GN_NO_SYSCALL;
	return nr < GN_NO_SYSCALL ? nr : GN_NO_SYSCALL;
}

/* These two wait for nothing. */
#define GN_SYSCALL_EXIT	      60 /* of one thread */
#define GN_SYSCALL_EXIT_GROUP 231
#define GN_SYSCALL_RESTART    219 /* continues another call */

/* Whether the call can send a signal to another thread. An exit sends one to
 * the parent. */
static inline int gn_syscall_signals(__u32 nr)
{
	switch (nr) {
	case 62:  /* kill */
	case 129: /* rt_sigqueueinfo */
	case 200: /* tkill */
	case 234: /* tgkill */
	case 297: /* rt_tgsigqueueinfo */
	case 424: /* pidfd_send_signal */
	case GN_SYSCALL_EXIT:
	case GN_SYSCALL_EXIT_GROUP:
		return 1;
	default:
		return 0;
	}
}

/* From here on 32-bit calls take 64-bit times. */
#define GN_SYSCALL_IA32_TIME64 403

/* linux/futex.h */
#define GN_FUTEX_OP	     0x7f
#define GN_FUTEX_REALTIME    0x100
#define GN_FUTEX_WAIT	     0
#define GN_FUTEX_LOCK_PI     6
#define GN_FUTEX_WAIT_BITSET 9
#define GN_FUTEX_LOCK_PI2    13
/* The word of a lock that is held and has waiters: glibc's mutexes and
 * read-write locks, Rust's and Go's mutexes. */
#define GN_FUTEX_HELD 2
/* The word of a glibc read-write lock that a writer holds. */
#define GN_FUTEX_WRITER 3
/* A word whose format the kernel defines, as of a robust mutex: it contains the
 * owner's thread id. */
#define GN_FUTEX_WAITERS   0x80000000u
#define GN_FUTEX_OWNER(w)  ((w)&0x3fffffffu)
#define GN_FUTEX_OWNER_MAX 0x400000u /* no thread has a larger number */

/* The class of a futex wait, by its operation and the word that it expects. */
static inline enum gn_class gn_futex_class(__u32 op, __u32 expected)
{
	op &= GN_FUTEX_OP;
	if (op == GN_FUTEX_LOCK_PI || op == GN_FUTEX_LOCK_PI2)
		return GN_CLASS_LOCK;
	if (op != GN_FUTEX_WAIT && op != GN_FUTEX_WAIT_BITSET)
		return GN_CLASS_EVENT;
	if (expected & GN_FUTEX_WAITERS && GN_FUTEX_OWNER(expected) &&
	    GN_FUTEX_OWNER(expected) <= GN_FUTEX_OWNER_MAX)
		return GN_CLASS_LOCK;
	return expected == GN_FUTEX_HELD ? GN_CLASS_LOCK : GN_CLASS_EVENT;
}

/* musl sets one of these bits in a word that has waiters: the first in mutexes,
 * read-write locks and its own locks, the second in the locks of streams. Its
 * condition variables wait with GN_FUTEX_HELD. */
#define GN_FUTEX_MUSL_WAITED  0x80000000u
#define GN_FUTEX_MUSL_WAITED2 0x40000000u

/* The same for a program with musl. */
static inline enum gn_class gn_futex_class_musl(__u32 op, __u32 expected)
{
	if ((op & GN_FUTEX_OP) != GN_FUTEX_WAIT)
		return gn_futex_class(op, expected);
	/* a semaphore has only this bit, from musl 1.2.4 on */
	if (expected == GN_FUTEX_MUSL_WAITED)
		return GN_CLASS_EVENT;
	return expected & (GN_FUTEX_MUSL_WAITED | GN_FUTEX_MUSL_WAITED2)
		       ? GN_CLASS_LOCK
		       : GN_CLASS_EVENT;
}

/* Whether the word means different things in glibc and musl. */
static inline int gn_futex_differs(__u32 op, __u32 expected)
{
	return gn_futex_class(op, expected) !=
	       gn_futex_class_musl(op, expected);
}

/* The calls by which a probe site enters the kernel (uretprobe, uprobe). Their
 * time is the probe's cost, not a system call of the program. */
static inline int gn_syscall_is_probe(long nr)
{
	return nr == 335 || nr == 336;
}

/* The call's name, or NULL if it is not in the list. */
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
