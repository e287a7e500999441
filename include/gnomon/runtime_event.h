/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events that runtimes report about themselves, in families that can be
 * selected. Trace files store the numbers, so lists are append only and values
 * are never used again.
 */
#ifndef GNOMON_RUNTIME_EVENT_H
#define GNOMON_RUNTIME_EVENT_H

#include <gnomon/types.h>

/* X(enumerator, bit, text, is it recorded by default, meaning). Families that
 * are off by default are costly for a program that produces many such
 * events. */
#define GN_FAMILY_LIST(X)                                                      \
	X(LIFE, 0, "life", 1, "a runtime starts and shuts down")               \
	X(LOADS, 1, "loads", 1, "application domains, assemblies, modules")    \
	X(CLASSES, 2, "classes", 0, "classes are loaded and unloaded")         \
	X(JIT, 3, "jit", 0, "what is compiled, and code that is given back")   \
	X(SEARCHES, 4, "searches", 0, "searches for precompiled code")         \
	X(INLINING, 5, "inlining", 0, "the compiler wants to copy a function") \
	X(THREADS, 6, "threads", 1, "threads begin, end and get names")        \
	X(EXCEPTIONS, 7, "exceptions", 1, "exceptions are thrown and caught")  \
	X(HANDLERS, 8, "handlers", 0,                                          \
	  "exceptions and their way: searches, filters, unwinds, finally")     \
	X(TRANSITIONS, 9, "transitions", 0,                                    \
	  "calls between managed and native code")                             \
	X(SUSPENSION, 10, "suspension", 1, "all threads stop and go on")       \
	X(GC, 11, "gc", 1, "garbage collections")                              \
	X(HANDLES, 12, "handles", 0,                                           \
	  "finalizers and handles; turns concurrent collection off")           \
	X(ALLOCATIONS, 13, "allocations", 0, "each new object")                \
	X(CODE, 14, "code", 0, "where the code of functions is, as for samples")

enum gn_family {
#define GN_FAMILY_ENUM(name, bit, text, usual, meaning) \
	GN_FAMILY_##name = 1 << (bit),
	GN_FAMILY_LIST(GN_FAMILY_ENUM)
#undef GN_FAMILY_ENUM
};

/* In a set of families: the user named an exception family, so exceptions are
 * watched even in a runtime that this can crash. */
#define GN_FAMILIES_RISKED (1u << 31)

#define GN_FAMILY_USUAL(name, bit, text, usual, meaning) | (usual) << (bit)
#define GN_FAMILIES_USUAL				 (0 GN_FAMILY_LIST(GN_FAMILY_USUAL))
#define GN_FAMILY_ANY(name, bit, text, usual, meaning)	 | 1 << (bit)
#define GN_FAMILIES_ALL					 (0 GN_FAMILY_LIST(GN_FAMILY_ANY))
#define GN_FAMILY_ONE(name, bit, text, usual, meaning)	 +1
#define GN_FAMILY_COUNT					 (0 GN_FAMILY_LIST(GN_FAMILY_ONE))

/*
 * X(enumerator, value, family, text, phase, what the first value is, the
 * second). BEGIN is even and its END is the next number; together they are one
 * stretch of a thread. The record's function is what the event is about: a
 * function, class, module or anything else that has a name.
 */
#define GN_RT_LIST(X)                                                         \
	X(STARTED, 1, LIFE, "started", AT, NONE, NONE)                        \
	X(SHUTDOWN, 2, LIFE, "shutdown", AT, NONE, NONE)                      \
	X(DOMAIN_LOAD, 4, LOADS, "domain-load", BEGIN, NONE, NONE)            \
	X(DOMAIN_LOADED, 5, LOADS, "domain-load", END, STATUS, NONE)          \
	X(DOMAIN_UNLOAD, 6, LOADS, "domain-unload", BEGIN, NONE, NONE)        \
	X(DOMAIN_UNLOADED, 7, LOADS, "domain-unload", END, STATUS, NONE)      \
	X(ASSEMBLY_LOAD, 8, LOADS, "assembly-load", BEGIN, NONE, NONE)        \
	X(ASSEMBLY_LOADED, 9, LOADS, "assembly-load", END, STATUS, NONE)      \
	X(ASSEMBLY_UNLOAD, 10, LOADS, "assembly-unload", BEGIN, NONE, NONE)   \
	X(ASSEMBLY_UNLOADED, 11, LOADS, "assembly-unload", END, STATUS, NONE) \
	X(MODULE_LOAD, 12, LOADS, "module-load", BEGIN, NONE, NONE)           \
	X(MODULE_LOADED, 13, LOADS, "module-load", END, STATUS, NONE)         \
	X(MODULE_UNLOAD, 14, LOADS, "module-unload", BEGIN, NONE, NONE)       \
	X(MODULE_UNLOADED, 15, LOADS, "module-unload", END, STATUS, NONE)     \
	X(CLASS_LOAD, 16, CLASSES, "class-load", BEGIN, NONE, NONE)           \
	X(CLASS_LOADED, 17, CLASSES, "class-load", END, STATUS, NONE)         \
	X(CLASS_UNLOAD, 18, CLASSES, "class-unload", BEGIN, NONE, NONE)       \
	X(CLASS_UNLOADED, 19, CLASSES, "class-unload", END, STATUS, NONE)     \
	/* JIT_BEGIN and JIT_END */                                           \
	X(COMPILE, 20, JIT, "compile", BEGIN, SIZE, COUNT)                    \
	X(COMPILED, 21, JIT, "compile", END, SIZE, COUNT)                     \
	X(REJIT, 22, JIT, "rejit", BEGIN, NONE, NONE)                         \
	X(REJITTED, 23, JIT, "rejit", END, STATUS, NONE)                      \
	/* the method being compiled has no metadata */                       \
	X(DYNAMIC, 24, JIT, "dynamic-method", AT, NONE, NONE)                 \
	X(FUNCTION_UNLOAD, 25, JIT, "function-unload", AT, NONE, NONE)        \
	X(DYNAMIC_UNLOAD, 26, JIT, "dynamic-unload", AT, NONE, NONE)          \
	X(SEARCH, 28, SEARCHES, "code-search", BEGIN, NONE, NONE)             \
	X(SEARCHED, 29, SEARCHES, "code-search", END, RESULT, NONE)           \
	/* about the callee; the value is the caller's index */               \
	X(INLINE, 30, INLINING, "inline", AT, NAME, NONE)                     \
	X(THREAD_CREATE, 32, THREADS, "thread-create", AT, ID, NONE)          \
	X(THREAD_DESTROY, 33, THREADS, "thread-destroy", AT, ID, NONE)        \
	X(THREAD_BIND, 34, THREADS, "thread-bind", AT, ID, TID)               \
	X(THREAD_NAME, 35, THREADS, "thread-name", AT, ID, NONE)              \
	X(THROW, 40, EXCEPTIONS, "throw", AT, NONE, NONE)                     \
	/* the function that threw: the last of several THROWN_IN */          \
	X(THROWN_IN, 41, EXCEPTIONS, "thrown-in", AT, NONE, NONE)             \
	/* about the catching function; the value: exception's class */       \
	X(CATCH, 42, EXCEPTIONS, "catch", BEGIN, NAME, NONE)                  \
	X(CAUGHT, 43, EXCEPTIONS, "catch", END, NONE, NONE)                   \
	X(LOOK, 44, HANDLERS, "search-function", BEGIN, NONE, NONE)           \
	X(LOOKED, 45, HANDLERS, "search-function", END, NONE, NONE)           \
	X(FILTER, 46, HANDLERS, "filter", BEGIN, NONE, NONE)                  \
	X(FILTERED, 47, HANDLERS, "filter", END, NONE, NONE)                  \
	X(FOUND, 48, HANDLERS, "catcher-found", AT, NONE, NONE)               \
	X(UNWIND, 50, HANDLERS, "unwind", BEGIN, NONE, NONE)                  \
	X(UNWOUND, 51, HANDLERS, "unwind", END, NONE, NONE)                   \
	X(FINALLY, 52, HANDLERS, "finally", BEGIN, NONE, NONE)                \
	X(FINALLY_END, 53, HANDLERS, "finally", END, NONE, NONE)              \
	/* the value is 0 for a call, 1 for its return */                     \
	X(TO_MANAGED, 56, TRANSITIONS, "to-managed", AT, RETURN, NONE)        \
	X(TO_NATIVE, 57, TRANSITIONS, "to-native", AT, RETURN, NONE)          \
	/* SUSPEND_BEGIN and SUSPEND_END */                                   \
	X(SUSPEND, 60, SUSPENSION, "suspend", BEGIN, REASON, NONE)            \
	X(SUSPENDED, 61, SUSPENSION, "suspend", END, REASON, NONE)            \
	X(STOPPED, 62, SUSPENSION, "all-stopped", AT, NONE, NONE)             \
	X(RESUME, 63, SUSPENSION, "resume", AT, NONE, NONE)                   \
	/* a thread waits for a suspension's end; the model emits it */       \
	X(STOP, 64, SUSPENSION, "thread-stopped", BEGIN, NONE, NONE)          \
	/* GC_BEGIN and GC_END */                                             \
	X(COLLECT, 70, GC, "collect", BEGIN, GENERATION, INDUCED)             \
	X(COLLECTED, 71, GC, "collect", END, GENERATION, INDUCED)             \
	X(FINALIZE, 72, HANDLES, "finalizer-queued", AT, NONE, NONE)          \
	X(HANDLE_CREATE, 73, HANDLES, "handle-create", AT, ID, NONE)          \
	X(HANDLE_DESTROY, 74, HANDLES, "handle-destroy", AT, ID, NONE)        \
	X(ALLOCATE, 80, ALLOCATIONS, "allocate", AT, SIZE, NONE)              \
	/* as CLASS_LOADED, CLASS_UNLOADED, but without a BEGIN */            \
	X(CLASS_DEFINED, 84, CLASSES, "class-loaded", AT, NONE, NONE)         \
	X(CLASS_FREED, 85, CLASSES, "class-unloaded", AT, NONE, NONE)

enum gn_rt {
#define GN_RT_ENUM(name, value, ...) GN_RT_##name = (value),
	GN_RT_LIST(GN_RT_ENUM)
#undef GN_RT_ENUM
};

#define GN_RT_LIMIT 128

enum gn_rt_phase { GN_RT_AT = 1, GN_RT_BEGIN, GN_RT_END };

/* What the values of an event are. NAME: the index of a function or of anything
 * else that has a name; RESULT: 0 is none; STATUS: a negative value is a
 * failure. */
enum gn_rt_value {
	GN_RT_NONE = 0,
	GN_RT_NAME,
	GN_RT_STATUS,
	GN_RT_RESULT,
	GN_RT_ID,
	GN_RT_TID,
	GN_RT_SIZE,
	GN_RT_COUNT,
	GN_RT_RETURN,
	GN_RT_REASON,
	GN_RT_GENERATION,
	GN_RT_INDUCED,
};

#define GN_RT_VALUES 2

/* The key of a JIT_END whose compilation threw: the runtime reports no end of
 * it, so gnomon emits it at the thread's next event. */
#define GN_JIT_GONE 0xffffffffu

/*
 * The key of a GC_BEGIN: the low byte is the oldest generation collected plus 1
 * (0: unknown); the next bits say whether the program induced it.
 */
#define GN_GC_KEY(generation, induced) \
	(((__u64)(generation) + 1) | (induced ? 0x100 : 0) | 0x200)
#define GN_GC_KEY_GENERATION(key) ((__u32)(key)&0xff)
#define GN_GC_KEY_INDUCED(key)	  ((__u32)(key) >> 8 & 3)

/* Whether a SUSPEND_BEGIN's key says that the suspension is for a collection or
 * its preparation (COR_PRF_SUSPEND_REASON). */
#define GN_SUSPEND_KEY_COLLECTS(key) ((key) == 1 || (key) == 7)

#endif
