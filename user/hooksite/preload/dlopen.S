/* SPDX-License-Identifier: BSD-2-Clause */
/* The C library knows the caller of these by the return address: dlopen()
 * searches in its folders, dlsym() behind its library. So these are jumps. */
	.macro JUMP name:req
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	gn_\name\()_before
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	JUMP dlopen
	JUMP dlsym

	.section .note.GNU-stack, "", @progbits
