/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All hook sites of the library. The argument strings say where BPF finds a
 * site's arguments: size@register, with a minus if signed.
 *
 * With GNOMON_COUNT (a test build, count.c) the hooks count their passes.
 */
#include <gnomon/hooksite.h>

#include "../fast_hook.h"

	GN_SITE_BASE
	.text

#ifdef GNOMON_COUNT
#define COUNT_ENTER	0
#define COUNT_LEAVE	8
#define COUNT_TAILCALL	16
#define COUNT_UNWIND	24
/* gn_counts[index][kind]++. Keeps every register. */
#define COUNT_NONE	-1
	.macro COUNT kind:req, index:req
	.if \kind >= 0
	pushq	%rax
	pushq	%rcx
	movq	\index, %rcx
	shlq	$5, %rcx
	leaq	gn_counts(%rip), %rax
	lock incq \kind(%rax, %rcx)
	popq	%rcx
	popq	%rax
	.endif
	.endm

	.macro KEEP_NAME
	subq	$8, %rsp
	call	gn_count_name
	addq	$8, %rsp
	.endm
#else
	.macro COUNT kind:req, index:req
	.endm

	.macro KEEP_NAME
	.endm
#endif

/*
 * A site that C code calls, or a slot of the callback that is only a site. Then
 * rdi is the callback object, and rsi and so on are the event's arguments.
 * Returns S_OK.
 */
	.macro CALL_SITE name:req, args
	GN_SITE	gnomon_clr, \name, "\args"
	xorl	%eax, %eax
	ret
	GN_SITE_END \name
	.endm

#define NONE	 ""
#define OBJECT	 "8@%rsi"
#define OBJECTS2 "8@%rsi 8@%rdx"
#define OBJECTS3 "8@%rsi 8@%rdx 8@%rcx"
#define OBJECTS4 "8@%rsi 8@%rdx 8@%rcx 8@%r8"
#define STATUS	 "8@%rsi -4@%edx"
#define FLAG	 "8@%rsi 4@%edx"

/* Sites that C code calls, after it has resolved something. */
	GN_SITES_OWN gnomon_clr, clr_lives
	CALL_SITE clr_init, "8@%rdi 8@%rsi -4@%edx"
	CALL_SITE clr_jit_begin, "8@%rdi 8@%rsi"
	CALL_SITE clr_jit_end, "8@%rdi 8@%rsi -4@%edx"
	CALL_SITE clr_code, "8@%rdi 8@%rsi 8@%rdx"
	CALL_SITE clr_inlined, "8@%rdi 8@%rsi"
	CALL_SITE clr_valued, "8@%rdi 8@%rsi"
	CALL_SITE clr_class, "8@%rdi 8@%rsi"
	CALL_SITE clr_unhooked, "8@%rdi"
	CALL_SITE clr_precompiled_refused, "8@%rdi"
	CALL_SITE clr_precompiled_ran, "8@%rdi 8@%rsi"
	CALL_SITE clr_selected, "8@%rdi 8@%rsi"
	CALL_SITE clr_unwind_begin, "8@%rdi"
	CALL_SITE clr_catcher_begin, "8@%rdi 8@%rsi"
	CALL_SITE clr_function_unload, "8@%rdi 8@%rsi"
	CALL_SITE clr_dynamic_unload, "8@%rdi 8@%rsi"
	CALL_SITE clr_fast, "8@%rdi 8@%rsi"
	CALL_SITE clr_own_begin, NONE
	CALL_SITE clr_own_end, NONE
/* Events of families: an index, and the other arguments. */
	CALL_SITE clr_gc_begin, "8@%rdi"
	CALL_SITE clr_appdomain_create_end, "8@%rdi -4@%esi"
	CALL_SITE clr_appdomain_shutdown_begin, "8@%rdi"
	CALL_SITE clr_appdomain_shutdown_end, "8@%rdi -4@%esi"
	CALL_SITE clr_assembly_load_end, "8@%rdi -4@%esi"
	CALL_SITE clr_assembly_unload_begin, "8@%rdi"
	CALL_SITE clr_assembly_unload_end, "8@%rdi -4@%esi"
	CALL_SITE clr_module_load_end, "8@%rdi -4@%esi"
	CALL_SITE clr_module_unload_begin, "8@%rdi"
	CALL_SITE clr_module_unload_end, "8@%rdi -4@%esi"
	CALL_SITE clr_class_load_end, "8@%rdi -4@%esi"
	CALL_SITE clr_class_unload_begin, "8@%rdi"
	CALL_SITE clr_class_unload_end, "8@%rdi -4@%esi"
	CALL_SITE clr_jit_cached_search_end, "8@%rdi 4@%esi"
	CALL_SITE clr_jit_inlining, "8@%rdi 8@%rsi"
	CALL_SITE clr_jit_dynamic, "8@%rdi"
	CALL_SITE clr_rejit_begin, "8@%rdi"
	CALL_SITE clr_rejit_end, "8@%rdi -4@%esi"
	CALL_SITE clr_thread_name, "8@%rdi 8@%rsi"
	CALL_SITE clr_unmanaged_to_managed, "8@%rdi 4@%esi"
	CALL_SITE clr_managed_to_unmanaged, "8@%rdi 4@%esi"
	CALL_SITE clr_object_allocated, "8@%rdi 8@%rsi"
	CALL_SITE clr_exception_thrown, "8@%rdi"
	CALL_SITE clr_exception_from, "8@%rdi"
	CALL_SITE clr_catch_begin, "8@%rdi 8@%rsi"
	CALL_SITE clr_search_function_begin, "8@%rdi"
	CALL_SITE clr_search_filter_begin, "8@%rdi"
	CALL_SITE clr_search_catcher_found, "8@%rdi"
	CALL_SITE clr_unwind_function_begin, "8@%rdi"
	CALL_SITE clr_unwind_function_end, NONE
	CALL_SITE clr_finally_begin, "8@%rdi"
	CALL_SITE clr_finalize_queued, "8@%rdi"

	GN_SITE	gnomon_clr, clr_name, "8@%rdi 8@%rsi 8@%rdx 8@%rcx 8@%r8 8@%r9"
	KEEP_NAME
	ret
	GN_SITE_END clr_name

	GN_SITE	gnomon_clr, clr_unwind_end, "8@%rdi"
	COUNT	COUNT_UNWIND, %rdi
	ret
	GN_SITE_END clr_unwind_end

/* Slots of the callback, in their order. */
	CALL_SITE clr_shutdown, NONE
	CALL_SITE clr_appdomain_create_begin, OBJECT
	CALL_SITE clr_assembly_load_begin, OBJECT
	CALL_SITE clr_module_load_begin, OBJECT
	CALL_SITE clr_module_attached, OBJECTS2
	CALL_SITE clr_class_load_begin, OBJECT
	CALL_SITE clr_jit_cached_search_begin, OBJECTS2
	CALL_SITE clr_jit_pitched, OBJECT
	CALL_SITE clr_thread_create, OBJECT
	CALL_SITE clr_thread_destroy, OBJECT
	CALL_SITE clr_thread_assigned, FLAG
	CALL_SITE clr_suspend_begin, "4@%esi"
	CALL_SITE clr_suspend_end, NONE
	CALL_SITE clr_suspend_abort, NONE
	CALL_SITE clr_resume_begin, NONE
	CALL_SITE clr_resume_end, NONE
	CALL_SITE clr_thread_suspended, OBJECT
	CALL_SITE clr_thread_resumed, OBJECT
	CALL_SITE clr_search_function_end, NONE
	CALL_SITE clr_search_filter_end, NONE
	CALL_SITE clr_finally_end, NONE
	CALL_SITE clr_catcher_end, NONE
	CALL_SITE clr_com_table_create, OBJECTS4
	CALL_SITE clr_com_table_destroy, OBJECTS3
	CALL_SITE clr_gc_end, NONE
	CALL_SITE clr_handle_create, OBJECTS2
	CALL_SITE clr_handle_destroy, OBJECT
	CALL_SITE clr_attach_complete, NONE
	CALL_SITE clr_detach_complete, NONE
	CALL_SITE clr_rejit_error, "8@%rsi 4@%edx 8@%rcx -4@%r8d"
	CALL_SITE clr_memory_symbols_updated, OBJECT

/*
 * Hooks of compiled code. At enter all argument registers of the function are
 * live, at leave those of its result. A hook may change r10, r11 and the flags,
 * as the runtime's own hooks do. The registers that a site reports are still
 * unchanged there.
 *   enter:    r14 index, r15 the caller's rsp
 *   leave:    rdi index, rsi the caller's rsp
 *   tailcall: the same; the function's frame ends here too
 * "The caller's rsp" is its value after the function has returned.
 *
 * The runtime calls gn_hook_NAME. It runs on into the site behind it, unless
 * the function is muted (mute.h): then it jumps to the site's ret.
 */
	.macro HOOK name:req, kind:req, index:req, args
	.globl	gn_hook_\name
	.hidden	gn_hook_\name
	.type	gn_hook_\name, @function
	.balign	16
gn_hook_\name:
	.cfi_startproc
	leaq	gn_mute(%rip), %r11
	cmpb	$0, (%r11, \index)
	jne	.Lgn_muted_\name
	.cfi_endproc
	.size	gn_hook_\name, . - gn_hook_\name
	GN_SITE	gnomon_clr, \name, "\args"
	COUNT	\kind, \index
.Lgn_muted_\name:
	ret
	GN_SITE_END \name
	.endm

	HOOK	clr_enter, COUNT_ENTER, %r14, "8@%r14 8@%r15 8@%rdi 8@%rsi 8@%rdx 8@%rcx 8@%r8 8@%r9"
	HOOK	clr_leave, COUNT_LEAVE, %rdi, "8@%rdi 8@%rsi 8@%rax 8@%rdx"
	HOOK	clr_tailcall, COUNT_TAILCALL, %rdi, "8@%rdi 8@%rsi"

/*
 * Hooks in a method's IL, which are called like C functions.
 *   rdi index, rsi an address in the method's own frame: the same at its enter
 *   and at its end; then the places of values, if any are asked for
 */
	HOOK	clr_il_enter, COUNT_ENTER, %rdi, "8@%rdi 8@%rsi"
	HOOK	clr_il_leave, COUNT_LEAVE, %rdi, "8@%rdi 8@%rsi"
	HOOK	clr_il_unwound, COUNT_UNWIND, %rdi, "8@%rdi 8@%rsi"

/* The same for methods that the runtime itself suspends:
 *   awaits, awaited: before an await and after it, with its number in rsi
 *   resumed: follows awaited; it may have been suspended
 *   suspended: all frames below rsi are suspended */
	HOOK	clr_il_awaits, COUNT_NONE, %rdi, "8@%rdi 8@%rsi"
	HOOK	clr_il_awaited, COUNT_NONE, %rdi, "8@%rdi 8@%rsi"
	HOOK	clr_il_resumed, COUNT_NONE, %rdi, "8@%rdi 8@%rsi"
	HOOK	clr_il_suspended, COUNT_NONE, %rdi, "8@%rdi 8@%rsi"

/* The same for async state machines: rdi index, rsi the state that the machine
 * has on entry or is about to get (gnomon/machine_state.h). */
	HOOK	clr_async_entered, COUNT_NONE, %rdi, "8@%rdi 8@%rsi"
	HOOK	clr_async_suspends, COUNT_NONE, %rdi, "8@%rdi 8@%rsi"
	HOOK	clr_async_completes, COUNT_NONE, %rdi, "8@%rdi 8@%rsi"
	HOOK	clr_async_faults, COUNT_NONE, %rdi, "8@%rdi 8@%rsi"

/* The same without a trap: gnomon reads the records that they write. */
	GN_FAST_BASE
	GN_FAST_HOOK clr_enter, GN_FAST_ENTER, %r14, %r15d, gn_mute
	GN_FAST_HOOK clr_leave, GN_FAST_LEAVE, %rdi, %esi, gn_mute
	GN_FAST_HOOK clr_tailcall, GN_FAST_TAILCALL, %rdi, %esi, gn_mute
	GN_FAST_HOOK clr_il_enter, GN_FAST_ENTER, %rdi, %esi, gn_mute
	GN_FAST_HOOK clr_il_leave, GN_FAST_LEAVE, %rdi, %esi, gn_mute
	GN_FAST_HOOK clr_il_unwound, GN_FAST_UNWOUND, %rdi, %esi, gn_mute
	GN_FAST_HOOK clr_il_awaits, GN_FAST_AWAITS, %rdi, %esi, gn_mute
	GN_FAST_HOOK clr_il_awaited, GN_FAST_AWAITED, %rdi, %esi, gn_mute
	GN_FAST_HOOK clr_il_resumed, GN_FAST_RESUMED, %rdi, %esi, gn_mute
	GN_FAST_HOOK clr_il_suspended, GN_FAST_SUSPENDED, %rdi, %esi, gn_mute
/* For the compiler, with the arguments of the sites. */
	GN_FAST_HOOK clr_jit_begin, GN_FAST_JIT_BEGIN, %rdi, %esi
	GN_FAST_HOOK clr_jit_end, GN_FAST_JIT_END, %rdi, %esi

	.section .note.GNU-stack, "", @progbits
