/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the library asks the runtime to report and to do: one row per event of
 * the runtime's mask, with the wants and families that need it. Values are
 * those of corprof.idl, with the high word in the upper half.
 */
#ifndef GNOMON_CLR_EVENTS_H
#define GNOMON_CLR_EVENTS_H

#include <stdint.h>

#include <gnomon/runtime_event.h>

enum gn_want {
	GN_WANT_START = 1 << 0,	     /* time classes, from the start on */
	GN_WANT_ATTACHED = 1 << 1,   /* the same, in a running process */
	GN_WANT_HOOKED = 1 << 2,     /* functions, by the runtime's own hooks */
	GN_WANT_HOOKS = 1 << 3,	     /* one of these is being compiled */
	GN_WANT_IL = 1 << 4,	     /* functions, by their IL */
	GN_WANT_STARTED_IL = 1 << 5, /* the same, from the start on */
	GN_WANT_BETWEEN = 1 << 6,    /* no session, but one may come */
	GN_WANT_BESIDE = 1 << 7,     /* as ATTACHED, beside another profiler */
	GN_WANT_UNLOADS = 1 << 8,    /* as BETWEEN, beside another profiler */
};

#define GN_EVENT_EXCEPTIONS 0x40

/*
 * In a running process: only what the runtime allows there
 * (COR_PRF_ALLOWABLE_AFTER_ATTACH), and what can be turned off again. Families
 * are those that the user asks for (gnomon/runtime_event.h).
 * X(name, value, wants, families)
 */
#define GN_EVENT_LIST(X)                                                     \
	X(FUNCTION_UNLOADS, 0x1, START, 0)                                   \
	X(CLASS_LOADS, 0x2, 0, CLASSES)                                      \
	X(MODULE_LOADS, 0x4,                                                 \
	  START | ATTACHED | IL | BETWEEN | BESIDE | UNLOADS, LOADS)         \
	X(ASSEMBLY_LOADS, 0x8, 0, LOADS)                                     \
	X(APPDOMAIN_LOADS, 0x10, 0, LOADS)                                   \
	X(JIT_COMPILATION, 0x20, START | ATTACHED | BESIDE, JIT | INLINING)  \
	X(EXCEPTIONS, GN_EVENT_EXCEPTIONS, HOOKED, EXCEPTIONS | HANDLERS)    \
	/* all events of the GC, also those of finalizers and handles; while \
	 * it is set, no collection is concurrent */                         \
	X(GC, 0x80, 0, HANDLES)                                              \
	X(OBJECT_ALLOCATED, 0x100, 0, ALLOCATIONS)                           \
	X(THREADS, 0x200, 0, THREADS)                                        \
	/* precompiled code is not used with it */                           \
	X(CODE_TRANSITIONS, 0x800, 0, TRANSITIONS)                           \
	/* modules that are loaded while it is set use no precompiled        \
	 * code */                                                           \
	X(ENTERLEAVE, 0x1000, HOOKS, 0)                                      \
	X(SUSPENDS, 0x10000, START | ATTACHED | BESIDE, SUSPENSION)          \
	X(CACHE_SEARCHES, 0x20000, HOOKED | STARTED_IL, SEARCHES)            \
	/* can only be set when a profiler is loaded, and then for good */   \
	X(REJIT, 0x40000, ATTACHED | IL | BETWEEN, 0)                        \
	/* without it no allocation is reported; with it each object is      \
	 * allocated the slow way */                                         \
	X(OBJECTS_ARE_TOLD, 0x800000, 0, ALLOCATIONS)                        \
	X(DYNAMIC_UNLOADS, 0x4ull << 32, START, 0)                           \
	/* beginnings and ends of collections */                             \
	X(BASIC_GC, 0x10ull << 32, START | ATTACHED | BESIDE, GC)

/* Families that a running process can no longer have: with an event of one, the
 * runtime refuses the whole mask. */
#define GN_FAMILIES_AT_START                                              \
	(GN_FAMILY_SEARCHES | GN_FAMILY_TRANSITIONS | GN_FAMILY_HANDLES | \
	 GN_FAMILY_ALLOCATIONS)

/* The mask for these wants (enum gn_want) and families. */
uint64_t gn_events_mask(uint32_t wants, uint32_t families);

#endif
