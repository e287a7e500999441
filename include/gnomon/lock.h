/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The lock of an interpreter: only the thread that holds it runs the program's
 * code. Threads wait for it by condition variables, so to the kernel it looks
 * like a wait for an event. Where the condition variables are tells them from
 * others.
 */
#ifndef GNOMON_LOCK_H
#define GNOMON_LOCK_H

#include <gnomon/types.h>

struct gn_lock {
	/*
	 * All futexes in [at, at + size) are of the lock. If `at` is 0, each
	 * thread has a condition variable of its own, which serves other waits,
	 * too; the thread's place in the list of those that wait for the lock
	 * begins `size` bytes before it.
	 *
	 * With `context`, `at` and `context` say where the thread has the
	 * address of its context of execution (local_word()), by which its
	 * condition variable and its place are found; `size` says where both
	 * are (GN_LOCK_RUBY()).
	 */
	__u64 at;
	__u32 size; /* 0: no such lock is known */
	__s32 context;
};

/* A place in a list. It is not in the list if it points to itself. */
struct gn_lock_place {
	__u64 next, prev;
};

/* In Ruby a thread's place in the list comes right before its condition
 * variable. */
#define GN_LOCK_RUBY_BEFORE 16

/* From 3.2 on, the place is in the thread, and the condition variable in what
 * the thread refers to. */
#define GN_LOCK_RUBY(place, cond) ((cond) << 16 | (place))
#define GN_LOCK_PLACE(size)	  ((size)&0xffff)
#define GN_LOCK_COND(size)	  ((size) >> 16)

#define GN_LOCK_THREAD 48 /* in a context of execution */
#define GN_LOCK_NATIVE 40 /* in a thread */

/* How the lock of a version is found. */
static inline __u32 gn_lock_of_ruby(__s32 major, __s32 minor)
{
	if (major == 3 && minor == 2)
		return GN_LOCK_RUBY(56, 32);
	if (major == 3 && minor == 3)
		return GN_LOCK_RUBY(72, 40);
	return GN_LOCK_RUBY_BEFORE;
}

/* Where the two futexes of 4 bytes are in a pthread_cond_t of glibc, from 2.25
 * on. */
#define GN_LOCK_COND_FUTEX 40
#define GN_LOCK_COND_SIZE  48

#endif
