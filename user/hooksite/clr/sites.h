/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sites of sites.S that C code calls or puts into a table. A site does
 * nothing. Its arguments stay in the registers of a plain call (rdi, rsi, rdx,
 * rcx, r8, r9), where probes read them.
 */
#ifndef GNOMON_CLR_SITES_H
#define GNOMON_CLR_SITES_H

#include <stdint.h>

#include <gnomon/selected.h>

#define GN_CLR_SITE(name) gn_site_clr_##name

/* version: major << 48 | minor << 32 | build << 16 | fix;
 * mask: high word << 32 | low word; hr: what Initialize returns. */
void GN_CLR_SITE(init)(uint64_t version, uint64_t mask, uint64_t hr);

/* The first of the sites of which each gnomon has its own. */
void GN_CLR_SITE(lives)(void);

/* The name of a function, once in each session, before its first enter. Neither
 * text has a NUL within its length, and both stay in memory for good. `token`:
 * of the method in its module. 0: there is none. */
void GN_CLR_SITE(name)(uint64_t index, const char *name, uint64_t name_len,
		       const char *module, uint64_t module_len, uint64_t token);

/* `frame`: an address on the stack, below all managed frames. */
void GN_CLR_SITE(jit_begin)(uint64_t index, uint64_t frame);
/* `size`: of the code in bytes. 0: not known. GN_JIT_GONE: the compilation
 * threw at some earlier time. */
void GN_CLR_SITE(jit_end)(uint64_t index, uint64_t size, uint64_t hr);

/* The location of a function's code. Can come at any time. */
void GN_CLR_SITE(code)(uint64_t index, uint64_t start, uint64_t size);

/* The compiler is about to inline a function into a caller, where it has no
 * hooks. `caller` 0: it has no index. */
void GN_CLR_SITE(inlined)(uint64_t index, uint64_t caller);

/* A requested function is compiled without hooks: its calls cannot be seen. */
void GN_CLR_SITE(unhooked)(uint64_t index);

/* Precompiled code of a function is refused, so that it will be compiled. */
void GN_CLR_SITE(precompiled_refused)(uint64_t index);

/* This many methods may have run although they hold, or can hold, copies of
 * requested functions. `index` is 0. */
void GN_CLR_SITE(precompiled_ran)(uint64_t index, uint64_t methods);

/* How many of a session's methods share a property: `what` is an enum
 * gn_selected. */
void GN_CLR_SITE(selected)(uint64_t what, uint64_t n);

/* Around work for a session on a thread of the runtime. */
void GN_CLR_SITE(own_begin)(void);
void GN_CLR_SITE(own_end)(void);

void GN_CLR_SITE(attach_complete)(const void *callback);
void GN_CLR_SITE(rejit_error)(const void *callback, uint64_t module,
			      uint32_t method, uint64_t function, uint32_t hr);

void GN_CLR_SITE(jit_cached_search_begin)(const void *callback,
					  uint64_t function,
					  const int32_t *use);

/* An exception begins to unwind a hooked function's frame; it has unwound the
 * frame; or the frame whose unwind began last catches the exception (index 0:
 * not hooked). */
void GN_CLR_SITE(unwind_begin)(uint64_t index);
void GN_CLR_SITE(unwind_end)(uint64_t index);
void GN_CLR_SITE(catcher_begin)(uint64_t index, uint64_t object);

/* The search for a handler enters a filter, and leaves it. */
void GN_CLR_SITE(search_filter_begin)(uint64_t index);
void GN_CLR_SITE(search_filter_end)(const void *callback);

void GN_CLR_SITE(function_unload)(uint64_t index, uint64_t function);
void GN_CLR_SITE(dynamic_unload)(uint64_t index, uint64_t function);

/* Events of families, by the index of their subject. 0: it has no name. */
void GN_CLR_SITE(gc_begin)(uint64_t key); /* GN_GC_KEY */
void GN_CLR_SITE(suspend_begin)(const void *callback, uint32_t why);
void GN_CLR_SITE(suspend_end)(void);
void GN_CLR_SITE(resume_end)(void);
void GN_CLR_SITE(appdomain_create_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(appdomain_shutdown_begin)(uint64_t index);
void GN_CLR_SITE(appdomain_shutdown_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(assembly_load_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(assembly_unload_begin)(uint64_t index);
void GN_CLR_SITE(assembly_unload_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(module_load_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(module_unload_begin)(uint64_t index);
void GN_CLR_SITE(module_unload_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(class_load_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(class_unload_begin)(uint64_t index);
void GN_CLR_SITE(class_unload_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(jit_cached_search_end)(uint64_t index, uint64_t result);
void GN_CLR_SITE(jit_inlining)(uint64_t callee, uint64_t caller);
void GN_CLR_SITE(jit_dynamic)(uint64_t index);
void GN_CLR_SITE(rejit_begin)(uint64_t index);
void GN_CLR_SITE(rejit_end)(uint64_t index, uint64_t hr);
void GN_CLR_SITE(thread_name)(uint64_t index, uint64_t thread);
void GN_CLR_SITE(unmanaged_to_managed)(uint64_t index, uint64_t reason);
void GN_CLR_SITE(managed_to_unmanaged)(uint64_t index, uint64_t reason);
void GN_CLR_SITE(object_allocated)(uint64_t index, uint64_t size);
void GN_CLR_SITE(exception_thrown)(uint64_t index);
void GN_CLR_SITE(exception_from)(uint64_t index);
void GN_CLR_SITE(catch_begin)(uint64_t index, uint64_t class);
void GN_CLR_SITE(search_function_begin)(uint64_t index);
void GN_CLR_SITE(search_catcher_found)(uint64_t index);
void GN_CLR_SITE(unwind_function_begin)(uint64_t index);
void GN_CLR_SITE(unwind_function_end)(void);
void GN_CLR_SITE(finally_begin)(uint64_t index);
void GN_CLR_SITE(finalize_queued)(uint64_t index);

/* Values of a function are requested: which ones (GN_VALUED). */
void GN_CLR_SITE(valued)(uint64_t index, uint64_t which);

/* The index names the class with this method table. 0: that class is gone. */
void GN_CLR_SITE(class)(uint64_t index, uint64_t table);

/* For fast hooks: `what` is GN_FAST_OFFER and so on. */
void GN_CLR_SITE(fast)(uint64_t what, uint64_t value);

/* Hooks that compiled code calls by the runtime's own convention. Each passes
 * the site of its name, unless the function is muted. */
#define GN_CLR_HOOK(name) gn_hook_clr_##name

void GN_CLR_HOOK(enter)(void);
void GN_CLR_HOOK(leave)(void);
void GN_CLR_HOOK(tailcall)(void);

/* Hooks that IL calls, by the convention of C, with the index, the frame, and
 * the places of values (GN_PLACE_*). */
void GN_CLR_HOOK(il_enter)(void);
void GN_CLR_HOOK(il_leave)(void);
void GN_CLR_HOOK(il_unwound)(void);
void GN_CLR_HOOK(il_awaits)(void);
void GN_CLR_HOOK(il_awaited)(void);
void GN_CLR_HOOK(il_resumed)(void);
void GN_CLR_HOOK(il_suspended)(void);

/* Hooks of an async state machine, with the index in rdi and the state in rsi:
 * the machine is entered, or, before the store of its new state, is suspended,
 * completes or faults. */
void GN_CLR_HOOK(async_entered)(void);
void GN_CLR_HOOK(async_suspends)(void);
void GN_CLR_HOOK(async_completes)(void);
void GN_CLR_HOOK(async_faults)(void);

/* The same hooks as fast ones, which write records into the thread's own
 * ring. */
#define GN_CLR_FAST(name) gn_fast_clr_##name

void GN_CLR_FAST(enter)(void);
void GN_CLR_FAST(leave)(void);
void GN_CLR_FAST(tailcall)(void);
void GN_CLR_FAST(il_enter)(uint64_t index, uint64_t sp);
void GN_CLR_FAST(il_leave)(uint64_t index, uint64_t sp);
void GN_CLR_FAST(il_unwound)(uint64_t index, uint64_t sp);
void GN_CLR_FAST(il_awaits)(uint64_t index, uint64_t number);
void GN_CLR_FAST(il_awaited)(uint64_t index, uint64_t number);
void GN_CLR_FAST(il_resumed)(uint64_t index, uint64_t sp);
void GN_CLR_FAST(il_suspended)(uint64_t index, uint64_t sp);
void GN_CLR_FAST(jit_begin)(uint64_t index, uint64_t frame);
void GN_CLR_FAST(jit_end)(uint64_t index, uint64_t size, uint64_t hr);

#endif
