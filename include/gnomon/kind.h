/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kinds of records (event.h), which stream each is in, and what it does. */
#ifndef GNOMON_KIND_H
#define GNOMON_KIND_H

/*
 * The stream says who numbers a record and what it does:
 *   COLLECT  numbered by its thread, ends an interval: a gn_rec_func first
 *   NOTE     numbered by its thread, ends no interval
 *   SLICE    numbered by its thread's slice count
 *   USER     written by user space, not numbered
 *   STATE    of a thread, not numbered
 */
enum gn_stream {
	GN_STREAM_COLLECT = 1,
	GN_STREAM_NOTE,
	GN_STREAM_SLICE,
	GN_STREAM_USER,
	GN_STREAM_STATE,
};

/* X(enumerator, value, text, stream, struct). */
#define GN_KIND_LIST(X)                                                        \
	X(ENTER, 1, "enter", COLLECT, gn_rec_func)                             \
	X(LEAVE, 2, "leave", COLLECT, gn_rec_func)                             \
	/* a leave of the function by a jump to another */                     \
	X(TAILCALL, 3, "tailcall", COLLECT, gn_rec_func)                       \
	/* an exception begins / ends to unwind func's frame */                \
	X(UNWIND_BEGIN, 4, "unwind-begin", COLLECT, gn_rec_func)               \
	X(UNWIND_END, 5, "unwind-end", COLLECT, gn_rec_func)                   \
	/* h.key: .NET, PHP: a stack address below the managed frames */       \
	X(JIT_BEGIN, 6, "jit-begin", COLLECT, gn_rec_func)                     \
	/* h.key: size of the code, 0 = unknown; GN_JIT_GONE */                \
	X(JIT_END, 7, "jit-end", COLLECT, gn_rec_func)                         \
	/* h.key: see GN_GC_KEY */                                             \
	X(GC_BEGIN, 8, "gc-begin", COLLECT, gn_rec_func)                       \
	X(GC_END, 9, "gc-end", COLLECT, gn_rec_func)                           \
	/* h.key: the runtime's number for the reason, 0 = unknown */          \
	X(SUSPEND_BEGIN, 10, "suspend-begin", COLLECT, gn_rec_func)            \
	X(SUSPEND_END, 11, "suspend-end", COLLECT, gn_rec_func)                \
	/* a function that is not selected was entered or left */              \
	X(PASSED, 12, "passed", COLLECT, gn_rec_func)                          \
	/* a USDT probe: a call of func that takes no time */                  \
	X(HIT, 13, "hit", COLLECT, gn_rec_func)                                \
	/* native code goes on in the handler of an exception: all calls made  \
	 * from h.key on have ended; func is 0 */                              \
	X(LANDED, 21, "landed", COLLECT, gn_rec_func)                          \
	/* of methods that the runtime itself suspends (GN_NAME_SUSPENDS).     \
	 * func, which is on top, begins await h.key; it goes on after it, and \
	 * RESUMED follows */                                                  \
	X(AWAITS, 19, "awaits", COLLECT, gn_rec_func)                          \
	X(AWAITED, 20, "awaited", COLLECT, gn_rec_func)                        \
	/* func goes on after an await; it may have been suspended. A          \
	 * generator of PHP goes on */                                         \
	X(RESUMED, 14, "resumed", COLLECT, gn_rec_func)                        \
	/* such methods were suspended: the thread has left all frames below   \
	 * h.key */                                                            \
	X(SUSPENDED, 15, "suspended", COLLECT, gn_rec_func)                    \
	/* an async method's state machine, h.key is its state                 \
	 * (machine_state.h): entered in it; or suspended, completed, faulted  \
	 * or cancelled with it as the next state */                           \
	X(ASYNC_ENTERED, 80, "async-entered", COLLECT, gn_rec_func)            \
	X(ASYNC_SUSPENDS, 81, "async-suspends", COLLECT, gn_rec_func)          \
	X(ASYNC_COMPLETES, 82, "async-completes", COLLECT, gn_rec_func)        \
	X(ASYNC_FAULTS, 83, "async-faults", COLLECT, gn_rec_func)              \
	/* from here on the thread runs native code, represented by func, or   \
	 * managed code again; h.key: 1 if a call returned */                  \
	X(TO_NATIVE, 84, "to-native", COLLECT, gn_rec_func)                    \
	X(TO_MANAGED, 85, "to-managed", COLLECT, gn_rec_func)                  \
	/* until the thread's next record gnomon makes it wait for room in its \
	 * ring */                                                             \
	X(HOOK_WAITS, 86, "hook-waits", COLLECT, gn_rec_func)                  \
	/* between these the thread works in gnomon's library */               \
	X(OWN_BEGIN, 87, "own-begin", COLLECT, gn_rec_func)                    \
	X(OWN_END, 88, "own-end", COLLECT, gn_rec_func)                        \
	/* the thread ended */                                                 \
	X(EXIT, 16, "exit", COLLECT, gn_rec_func)                              \
	/* the capture ended while the thread lived */                         \
	X(STOP, 17, "stop", COLLECT, gn_rec_func)                              \
	X(EXEC, 18, "exec", COLLECT, gn_rec_thread)                            \
	X(THREAD, 24, "thread", NOTE, gn_rec_thread)                           \
	X(RENAME, 25, "rename", NOTE, gn_rec_thread)                           \
	X(OS_NS, 26, "os-ns", NOTE, gn_rec_os_ns)                              \
	X(STACK, 27, "stack", NOTE, gn_rec_stack)                              \
	/* a runtime's function: text 1 name, text 2 module; h.key: .NET: the  \
	 * method's token in its module, and GN_NAME_SUSPENDS; PHP: the        \
	 * function's line in the module, which is its file; 0: unknown */     \
	X(NAME, 28, "name", NOTE, gn_rec_text)                                 \
	/* the thread wakes the thread with tid h.key */                       \
	X(WAKE, 29, "wake", NOTE, gn_rec)                                      \
	X(SCHED, 30, "sched", NOTE, gn_rec_sched)                              \
	X(KERNEL, 33, "kernel", NOTE, gn_rec_kernel)                           \
	/* a runtime has loaded its hook-site library */                       \
	X(RUNTIME, 31, "runtime", NOTE, gn_rec_thread)                         \
	X(SLICE, 32, "slice", SLICE, gn_rec_slice)                             \
	/* the compiler may copy func into its caller: h.key is the            \
	 * caller's index */                                                   \
	X(INLINED, 34, "inlined", NOTE, gn_rec_func)                           \
	/* func was compiled without hooks: calls are unseen */                \
	X(UNHOOKED, 35, "unhooked", NOTE, gn_rec_func)                         \
	/* gnomon keeps the precompiled code of func from running */           \
	X(REFUSED, 36, "refused", NOTE, gn_rec_func)                           \
	/* h.key precompiled methods may contain inlined copies of traced      \
	 * functions, and may have run */                                      \
	X(COPIES_RAN, 37, "copies-ran", NOTE, gn_rec_func)                     \
	/* a count for the selection: func's index is enum gn_selected, h.key  \
	 * the count */                                                        \
	X(SELECTED, 38, "selected", NOTE, gn_rec_func)                         \
	/* for records without probes: memory offered or ring taken */         \
	X(RING, 39, "ring", COLLECT, gn_rec_ring)                              \
	/* text 1 key, text 2 value: machine, kernel, command, options */      \
	X(INFO, 40, "info", USER, gn_rec_text)                                 \
	/* text 1 path, text 2 build-id in hex, or empty */                    \
	X(MODULE, 41, "module", USER, gn_rec_text)                             \
	/* a function with probes: text 1 its name; h.key its address */       \
	X(FUNCTION, 42, "function", USER, gn_rec_text)                         \
	X(COUNT, 43, "count", USER, gn_rec_count)                              \
	X(SESSION, 44, "session", USER, gn_rec_session)                        \
	X(COST, 45, "cost", USER, gn_rec_cost)                                 \
	X(NOW, 46, "now", STATE, gn_rec_now)                                   \
	X(MUTE, 47, "mute", USER, gn_rec_mute)                                 \
	X(UNPROBED, 48, "unprobed", USER, gn_rec_unprobed)                     \
	/* source of a runtime's function: h.key line, text 1 file */          \
	X(SOURCE, 49, "source", USER, gn_rec_text)                             \
	/* line in that file where an async method is suspended */             \
	X(AWAIT_LINE, 50, "await-line", USER, gn_rec_line)                     \
	/* code of a runtime's function: h.key address, os_ns size */          \
	X(CODE, 51, "code", NOTE, gn_rec_func)                                 \
	X(SAMPLE, 52, "sample", STATE, gn_rec_sample)                          \
	/* an argument of the thread's current call, or the result that its    \
	 * function is about to return */                                      \
	X(VALUE, 56, "value", NOTE, gn_rec_value)                              \
	/* see runtime_event.h */                                              \
	X(EVENT, 64, "event", NOTE, gn_rec_event)

/* Changes the shadow stack. */
#define GN_KIND_IS_OF_STACK(kind)                                     \
	((kind) <= GN_KIND_UNWIND_END || GN_KIND_IS_OF_AWAIT(kind) || \
	 (kind) == GN_KIND_LANDED ||                                  \
	 ((kind) >= GN_KIND_HIT && (kind) <= GN_KIND_SUSPENDED))

#define GN_KIND_IS_OF_AWAIT(kind) \
	((kind) == GN_KIND_AWAITS || (kind) == GN_KIND_AWAITED)

/* Changes the shadow stack, and h.key, if not 0, is the address of a frame. */
#define GN_KIND_HAS_FRAME(kind) \
	(GN_KIND_IS_OF_STACK(kind) && !GN_KIND_IS_OF_AWAIT(kind))

/* A NOTE about compiled code, with a function. */
#define GN_KIND_IS_OF_CODE(kind) \
	((kind) >= GN_KIND_INLINED && (kind) <= GN_KIND_SELECTED)

#define GN_KIND_IS_ASYNC(kind) \
	((kind) >= GN_KIND_ASYNC_ENTERED && (kind) <= GN_KIND_ASYNC_FAULTS)

#define GN_KIND_IS_TRANSITION(kind) \
	((kind) == GN_KIND_TO_NATIVE || (kind) == GN_KIND_TO_MANAGED)

enum gn_kind {
#define GN_KIND_ENUM(name, value, text, stream, type) GN_KIND_##name = (value),
	GN_KIND_LIST(GN_KIND_ENUM)
#undef GN_KIND_ENUM
};

#endif
