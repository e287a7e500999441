/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The hooks of sleds, and the sites that they pass in threads without a ring.
 * A sled jumps to its own stub:
 *	push $index
 *	call a trampoline nearby, which jumps to gn_hook_NAME
 *	jump to the code behind the sled, or ret
 * The function has just begun or is about to end, so it uses nothing below the
 * stack pointer. All registers can be live, but not the flags.
 */
#include <sys/syscall.h>

#include <gnomon/hooksite.h>

#include "../fast_hook.h"

	GN_SITE_BASE
	.text

/* rdi: the function's index, rsi: the frame key. */
	.macro NATIVE_SITE name:req
	GN_SITE	gnomon_native, \name, "8@%rdi 8@%rsi"
	ret
	GN_SITE_END \name
	.endm

	NATIVE_SITE native_enter
	NATIVE_SITE native_leave
	NATIVE_SITE native_tailcall
	NATIVE_SITE native_fast
	GN_SITES_OWN gnomon_native, native_lives

	GN_FAST_BASE stacks
	GN_FAST_HOOK native_enter, GN_FAST_ENTER, %rdi, %esi, , %rsi
	GN_FAST_HOOK native_leave, GN_FAST_LEAVE, %rdi, %esi, , %rsi
	GN_FAST_HOOK native_tailcall, GN_FAST_TAILCALL, %rdi, %esi, , %rsi

/*
 * gn_hook_NAME calls the fast hook with the index that the stub pushed.
 *
 * To an unwinder, the function's caller calls the hook: the unwinder finds the
 * function's return address, above what the stub pushed.
 */
	.macro NATIVE_HOOK name:req
	.globl	gn_hook_\name
	.hidden	gn_hook_\name
	.type	gn_hook_\name, @function
	.balign	16
gn_hook_\name:
	.cfi_startproc
	.cfi_def_cfa_offset 24
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%r11
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rsi, 0
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rdi, 0
	movl	40(%rsp), %edi
	leaq	56(%rsp), %rsi
	call	gn_fast_\name
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%r11
	.cfi_adjust_cfa_offset -8
	popq	%r10
	.cfi_adjust_cfa_offset -8
	ret	$8
	.cfi_endproc
	.size	gn_hook_\name, . - gn_hook_\name

/* The same as a C function, to measure its cost. */
	.globl	gn_measured_\name
	.hidden	gn_measured_\name
	.type	gn_measured_\name, @function
	.balign	16
gn_measured_\name:
	.cfi_startproc
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	call	gn_hook_\name
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	gn_measured_\name, . - gn_measured_\name
	.endm

	NATIVE_HOOK native_enter
	NATIVE_HOOK native_leave
	NATIVE_HOOK native_tailcall

/* Replaces the hooks when the session has ended. */
	.globl	gn_hook_nothing
	.hidden	gn_hook_nothing
	.type	gn_hook_nothing, @function
	.balign	16
gn_hook_nothing:
	.cfi_startproc
	.cfi_def_cfa_offset 24
	ret	$8
	.cfi_endproc
	.size	gn_hook_nothing, . - gn_hook_nothing

/*
 * The child of vfork() runs in its parent's memory and on its stack, while the
 * parent waits. The child's hooks pass the sites, so that gnomon attributes
 * them to the child. Values that are needed after the call are in registers,
 * because the child overwrites the stack.
 */
	.globl	vfork
	.type	vfork, @function
	.balign	16
vfork:
	.cfi_startproc
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	gn_fast_set_ring_aside
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	movq	%rax, %rsi
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdi
	movl	$SYS_vfork, %eax
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rip, 0
	testq	%rax, %rax
	jz	.Lvfork_child
	movq	gn_fast_own@gottpoff(%rip), %rdx
	movq	%rsi, %fs:(%rdx)
	js	.Lvfork_failed
.Lvfork_child:
	ret
.Lvfork_failed:
	negq	%rax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@plt
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	movl	%edx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size	vfork, . - vfork

	.section .note.GNU-stack, "", @progbits
