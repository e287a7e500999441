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
	/* All futexes in [at, at + size) are of the lock. If `at` is 0, each
	 * thread has a condition variable of its own, which serves other waits,
	 * too; the thread's place in the list of those that wait for the lock
	 * begins `size` bytes before it. */
	__u64 at;
	__u32 size; /* 0: no such lock is known */
	__u32 pad;
};

/* A place in a list. It is not in the list if it points to itself. */
struct gn_lock_place {
	__u64 next, prev;
};

/* In Ruby a thread's place in the list comes right before its condition
 * variable. */
#define GN_LOCK_RUBY_BEFORE 16

/* Where the two futexes of 4 bytes are in a pthread_cond_t of glibc, from 2.25
 * on. */
#define GN_LOCK_COND_FUTEX 40

#endif
