/* SPDX-License-Identifier: BSD-2-Clause */
/* Fast hooks in a program without a runtime, called with all registers that a
 * function may have live. */
#include "hooksite/fast_hook.h"

	.text
	GN_FAST_BASE
	GN_FAST_HOOK probe_enter, GN_FAST_ENTER, %rdi, %esi
	GN_FAST_HOOK probe_leave, GN_FAST_LEAVE, %rdi, %esi

/* What the hooks pass where they write no record. */
	.macro SITE name:req
gn_site_\name:
	lock incq passed(%rip)
	ret
	.endm
	SITE	probe_enter
	SITE	probe_leave

/* void told(uint64_t what, uint64_t value): keeps the offer's, and counts who
 * has no reader. The first as a site without a probe, as those of a gnomon that
 * is gone. */
	.globl	told_bare
	.balign	16
told_bare:
	.byte	GN_SITE_NOPS
	.globl	told
told:
	cmpl	$GN_FAST_OFFER, %edi
	jne	1f
	movq	%rsi, offered(%rip)
1:	cmpl	$GN_FAST_UNBOUND, %edi
	jne	1f
	lock incq unbound(%rip)
1:	ret

	.macro GENERAL_IN
	movq	$0x1111, %rax
	movq	$0x2222, %rcx
	movq	$0x3333, %rdx
	movq	$0x4444, %r8
	movq	$0x5555, %r9
	movl	$1, %edi
	movq	%rsp, %rsi
	.endm

/* rax: how many of them are not as they were */
	.macro CHANGED reg:req, value:req
	cmpq	\value, \reg
	je	1f
	incl	%r10d
1:
	.endm
	.macro GENERAL_OUT
	xorl	%r10d, %r10d
	CHANGED	%rax, $0x1111
	CHANGED	%rcx, $0x2222
	CHANGED	%rdx, $0x3333
	CHANGED	%r8, $0x4444
	CHANGED	%r9, $0x5555
	CHANGED	%rdi, $1
	CHANGED	%rsi, %rsp
	movl	%r10d, %eax
	.endm

/* int through_NAME(void (*hook)(void), const void *in, void *out) */
	.macro BEGIN name:req
	.globl	\name
	.type	\name, @function
\name:
	pushq	%rbx
	pushq	%r12
	subq	$8, %rsp
	movq	%rdi, %rbx
	movq	%rdx, %r12
	.endm

	.macro THROUGH
	GENERAL_IN
	call	*%rbx
	GENERAL_OUT
	.endm

	.macro END name:req
	vzeroupper
	addq	$8, %rsp
	popq	%r12
	popq	%rbx
	ret
	.size	\name, . - \name
	.endm

#define LOW 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
#define HIGH 16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31

	BEGIN	through_ymm
	.irp	n, LOW
	vmovdqu	\n * 32(%rsi), %ymm\n
	.endr
	THROUGH
	.irp	n, LOW
	vmovdqu	%ymm\n, \n * 32(%r12)
	.endr
	END	through_ymm

	BEGIN	through_zmm
	.irp	n, LOW,HIGH
	vmovdqu64	\n * 64(%rsi), %zmm\n
	.endr
	THROUGH
	.irp	n, LOW,HIGH
	vmovdqu64	%zmm\n, \n * 64(%r12)
	.endr
	END	through_zmm

	.bss
	.globl	gn_mute, passed, offered, unbound
	.balign	8
gn_mute: .zero	64
passed:	.zero	8
offered: .zero	8
unbound: .zero	8

	.section .note.GNU-stack, "", @progbits
