/* SPDX-License-Identifier: BSD-2-Clause */
/* The traced functions: in assembly, so that the sites are the same
 * everywhere. */
	.text

	.macro FUNCTION name
	.p2align 6
	.globl \name
	.type \name, @function
\name:
	.endm
	.macro END name
	.size \name, . - \name
	.endm

/* fib(n), by plain recursion */
FUNCTION fib
	push %rbp
	push %rbx
	mov %rdi, %rbx
	mov %rdi, %rax
	cmp $2, %rdi
	jb 1f
	lea -1(%rbx), %rdi
	call fib
	mov %rax, %rbp
	lea -2(%rbx), %rdi
	call fib
	add %rbp, %rax
1:	pop %rbx
	pop %rbp
	ret
END fib

/* The same function twice, with different first instructions. */
FUNCTION entry_push
	push %rbx
	mov %rdi, %rbx
	lea 1(%rbx), %rax
	pop %rbx
	ret
END entry_push

FUNCTION entry_endbr
	endbr64
	push %rbx
	mov %rdi, %rbx
	lea 1(%rbx), %rax
	pop %rbx
	ret
END entry_endbr

	.section .note.GNU-stack, "", @progbits
