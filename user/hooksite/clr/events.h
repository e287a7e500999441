/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the library asks the runtime to tell and to do: one row an event of its
 * mask, and whose wants ask for it. Values are those of corprof.idl, the high
 * word in the upper half.
 */
#ifndef GNOMON_CLR_EVENTS_H
#define GNOMON_CLR_EVENTS_H

#include <stdint.h>

enum gn_want {
	GN_WANT_START = 1 << 0,	     /* classes of time, from the start on */
	GN_WANT_ATTACHED = 1 << 1,   /* the same, in a process that runs */
	GN_WANT_HOOKED = 1 << 2,     /* functions, by the runtime's own hooks */
	GN_WANT_HOOKS = 1 << 3,	     /* one of them is compiled just now */
	GN_WANT_IL = 1 << 4,	     /* functions, by their IL */
	GN_WANT_STARTED_IL = 1 << 5, /* the same, from the start on */
	GN_WANT_BETWEEN = 1 << 6,    /* nothing, but a session may come */
};

/* A process that runs: only what the runtime takes there
 * (COR_PRF_ALLOWABLE_AFTER_ATTACH), and what can be turned off again.
 * X(name, value, wants) */
#define GN_EVENT_LIST(X)                                                   \
	X(FUNCTION_UNLOADS, 0x1, START)                                    \
	X(MODULE_LOADS, 0x4, START | ATTACHED | IL | BETWEEN)              \
	X(JIT_COMPILATION, 0x20, START | ATTACHED)                         \
	X(EXCEPTIONS, 0x40, HOOKED)                                        \
	/* as long as it is set, no precompiled code is taken from modules \
	 * that are loaded */                                              \
	X(ENTERLEAVE, 0x1000, HOOKS)                                       \
	X(SUSPENDS, 0x10000, START | ATTACHED)                             \
	X(CACHE_SEARCHES, 0x20000, HOOKED | STARTED_IL)                    \
	/* can only be set when a profiler is loaded, and then for good */ \
	X(REJIT, 0x40000, ATTACHED | IL | BETWEEN)                         \
	X(DYNAMIC_UNLOADS, 0x4ull << 32, START)                            \
	/* beginnings and ends of collections; the older GC event turns    \
	 * concurrent collection off */                                    \
	X(BASIC_GC, 0x10ull << 32, START | ATTACHED)

/* The mask that these wants (enum gn_want) make. */
uint64_t gn_events_mask(uint32_t wants);

#endif
