/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a fragment of a random program has: a function of its own, whose result
 * is the same in every run, and functions that count their calls.
 *
 *   HARMLESS: WORD...     a line in the fragment's first comment:
 *     static=no           it cannot be linked statically
 *     lib=no              it must be in the program itself
 *     lib=dl              it must be in a library that is loaded late
 *     once                its result differs in a second round
 *     flags=A,B           what it is compiled with, whatever else is chosen
 *     avoid=A,B           what it must not be compiled with
 *     libs=A,B            what it is linked with
 */
#ifndef FRAGMENT_H
#define FRAGMENT_H

#include <stddef.h>

#ifdef __cplusplus
#define FRAGMENT_C extern "C"
#else
#define FRAGMENT_C
#endif

/* The fragment's function. `how` chooses among its ways. */
#define FRAGMENT(name)             \
	FRAGMENT_C __attribute__(( \
		visibility("default"))) long fragment_##name(unsigned int how)

/* A function that stays one, whatever the compiler knows of its callers. */
#if defined(__clang__)
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noipa, used))
#endif

/* Keeps a call from becoming a jump, and a value from being foreseen. */
#define OPAQUE(value) __asm__ volatile("" : "+r"(value) : : "memory")

/* The calls of a function. In a child that was forked they count on. */
struct counter {
	const char *name;
	unsigned long *calls;
	int loose; /* it may be interrupted before it has counted */
};

#define COUNTED_AS(f, loose)                                                \
	static struct counter counter_##f = {#f, NULL, loose};              \
	static struct counter *counter_at_##f                               \
		__attribute__((section("counters"), used)) = &counter_##f;  \
	static inline void count_##f(void)                                  \
	{                                                                   \
		__atomic_fetch_add(counter_##f.calls, 1, __ATOMIC_RELAXED); \
	}
/* Before the function: it counts by COUNT(). */
#define COUNTED(f) COUNTED_AS(f, 0)
/* Its number is not compared: a signal may come between entry and count, or
 * their number depends on the machine. */
#define COUNTED_LOOSE(f) COUNTED_AS(f, 1)
#define COUNT(f)	 count_##f()

/* module.c: what a program and each library of fragments have. */
struct step {
	const char *name;
	long (*run)(unsigned int how);
	unsigned int how;
	const char *library; /* dlopen()ed for this step; NULL: linked */
	int keep;	     /* it is not closed afterwards */
};

#endif
