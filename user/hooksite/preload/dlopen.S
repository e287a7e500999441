/* SPDX-License-Identifier: BSD-2-Clause */
/* The C library searches in the folders of dlopen()'s caller, whom it knows by
 * the return address: so this is a jump. */
	.text
	.globl	dlopen
	.type	dlopen, @function
dlopen:
	.cfi_startproc
	endbr64
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	gn_dlopen_before
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	dlopen, . - dlopen

	.section .note.GNU-stack, "", @progbits
