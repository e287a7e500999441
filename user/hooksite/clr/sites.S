/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All hook sites of the library. Argument texts say where BPF finds what a
 * site is given: size@register, a minus for a signed one.
 *
 * With GNOMON_COUNT (a test's build, see count.h) sites count their passes.
 */
#include <gnomon/hooksite.h>

	GN_SITE_BASE
	.text

#ifdef GNOMON_COUNT
/* Keeps every register: hooks may change none. */
	.macro COUNT name, id
	.ifnb	\id
	pushq	\id
	pushq	$gn_count_kind_\name
	call	gn_count_keep
	leaq	16(%rsp), %rsp
	.endif
	.endm
#define gn_count_kind_clr_enter	       0
#define gn_count_kind_clr_leave	       1
#define gn_count_kind_clr_tailcall     2
#define gn_count_kind_clr_unwind_begin 3
#else
	.macro COUNT name, id
	.endm
#endif

/*
 * A site that C code calls, or a slot of the callback that is nothing but a
 * site: rdi is the callback object, rsi and so on the event. Returns S_OK.
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

/* What C code calls, after it has resolved something. */
	CALL_SITE clr_init, "8@%rdi 8@%rsi -4@%edx"
	CALL_SITE clr_name, "8@%rdi 8@%rsi 8@%rdx 8@%rcx 8@%r8 8@%r9"
	CALL_SITE clr_table_full, "8@%rdi"
	CALL_SITE clr_jit_begin, "8@%rdi"
	CALL_SITE clr_jit_end, "8@%rdi -4@%esi"
	CALL_SITE clr_unwind_begin, "8@%rdi"
	CALL_SITE clr_function_unload, "8@%rdi 8@%rsi"
	CALL_SITE clr_dynamic_unload, "8@%rdi 8@%rsi"
	CALL_SITE clr_module_unload, "8@%rdi"

/* Slots of the callback, in their order. */
	CALL_SITE clr_shutdown, NONE
	CALL_SITE clr_appdomain_create_begin, OBJECT
	CALL_SITE clr_appdomain_create_end, STATUS
	CALL_SITE clr_appdomain_shutdown_begin, OBJECT
	CALL_SITE clr_appdomain_shutdown_end, STATUS
	CALL_SITE clr_assembly_load_begin, OBJECT
	CALL_SITE clr_assembly_load_end, STATUS
	CALL_SITE clr_assembly_unload_begin, OBJECT
	CALL_SITE clr_assembly_unload_end, STATUS
	CALL_SITE clr_module_load_begin, OBJECT
	CALL_SITE clr_module_load_end, STATUS
	CALL_SITE clr_module_unload_begin, OBJECT
	CALL_SITE clr_module_attached, OBJECTS2
	CALL_SITE clr_class_load_begin, OBJECT
	CALL_SITE clr_class_load_end, STATUS
	CALL_SITE clr_class_unload_begin, OBJECT
	CALL_SITE clr_class_unload_end, STATUS
	CALL_SITE clr_jit_cached_search_begin, OBJECTS2
	CALL_SITE clr_jit_cached_search_end, FLAG
	CALL_SITE clr_jit_pitched, OBJECT
	CALL_SITE clr_jit_inlining, OBJECTS3
	CALL_SITE clr_thread_create, OBJECT
	CALL_SITE clr_thread_destroy, OBJECT
	CALL_SITE clr_thread_assigned, FLAG
	CALL_SITE clr_unmanaged_to_managed, FLAG
	CALL_SITE clr_managed_to_unmanaged, FLAG
	CALL_SITE clr_suspend_begin, "4@%esi"
	CALL_SITE clr_suspend_end, NONE
	CALL_SITE clr_suspend_abort, NONE
	CALL_SITE clr_resume_begin, NONE
	CALL_SITE clr_resume_end, NONE
	CALL_SITE clr_thread_suspended, OBJECT
	CALL_SITE clr_thread_resumed, OBJECT
	CALL_SITE clr_object_allocated, OBJECTS2
	CALL_SITE clr_exception_thrown, OBJECT
	CALL_SITE clr_search_function_begin, OBJECT
	CALL_SITE clr_search_function_end, NONE
	CALL_SITE clr_search_filter_begin, OBJECT
	CALL_SITE clr_search_filter_end, NONE
	CALL_SITE clr_search_catcher_found, OBJECT
	CALL_SITE clr_unwind_end, NONE
	CALL_SITE clr_finally_begin, OBJECT
	CALL_SITE clr_finally_end, NONE
	CALL_SITE clr_catcher_begin, OBJECTS2
	CALL_SITE clr_catcher_end, NONE
	CALL_SITE clr_com_table_create, OBJECTS4
	CALL_SITE clr_com_table_destroy, OBJECTS3
	CALL_SITE clr_thread_name, "8@%rsi 4@%edx 8@%rcx"
	CALL_SITE clr_gc_begin, "-4@%esi 8@%rdx 4@%ecx"
	CALL_SITE clr_gc_end, NONE
	CALL_SITE clr_finalize_queued, "4@%esi 8@%rdx"
	CALL_SITE clr_handle_create, OBJECTS2
	CALL_SITE clr_handle_destroy, OBJECT
	CALL_SITE clr_attach_complete, NONE
	CALL_SITE clr_detach_complete, NONE
	CALL_SITE clr_rejit_begin, "8@%rsi 8@%rdx 4@%ecx"
	CALL_SITE clr_rejit_end, "8@%rsi 8@%rdx -4@%ecx 4@%r8d"
	CALL_SITE clr_rejit_error, "8@%rsi 4@%edx 8@%rcx -4@%r8d"
	CALL_SITE clr_memory_symbols_updated, OBJECT

/*
 * Hooks of compiled code. At enter all argument registers of the function are
 * live, at leave those of its result: a hook changes none.
 *   enter:    r14 index, r15 the caller's rsp
 *   leave:    rdi index, rsi the caller's rsp
 *   tailcall: the same; the function's frame ends here too
 * "The caller's rsp" is its value after the function has returned.
 */
	.macro HOOK name:req, id:req, args
	GN_SITE	gnomon_clr, \name, "\args"
	COUNT	\name, \id
	ret
	GN_SITE_END \name
	.endm

	HOOK	clr_enter, %r14, "8@%r14 8@%r15 8@%rdi 8@%rsi 8@%rdx 8@%rcx 8@%r8 8@%r9"
	HOOK	clr_leave, %rdi, "8@%rdi 8@%rsi 8@%rax 8@%rdx"
	HOOK	clr_tailcall, %rdi, "8@%rdi 8@%rsi"

	.section .note.GNU-stack, "", @progbits
