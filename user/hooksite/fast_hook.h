/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fast hook, for assembly files of hook-site libraries: it writes a record
 * into its thread's ring (gnomon/fast.h). If the thread has no ring, the hook
 * passes the site of the same name. Only r10, r11 and the flags change.
 *
 * The ring is busy from before the clock is read until the record is written.
 * A hook in a signal handler that runs meanwhile passes the site, and gnomon
 * knows that an earlier record can still come.
 *
 * gnomon moves a deadline on while it lives. After the deadline, hooks pass
 * their sites, and the kernel keeps the records.
 *
 * A hook of a thread without a ring checks the site `fast`. If that has no
 * probe, gnomon is gone, and the thread's hooks do nothing from then on:
 * probes that come to their sites later belong to somebody else.
 */
#ifndef GNOMON_HOOKSITE_FAST_HOOK_H
#define GNOMON_HOOKSITE_FAST_HOOK_H

#include <gnomon/fast.h>
#include <gnomon/hooksite.h>

/* clang-format off */

/* Loads the thread's gn_fast_own into r10. */
	.macro GN_FAST_GET_OWN
#ifdef GNOMON_MUSL
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	/* the call keeps all registers but rax */
	leaq	gn_fast_own@tlsdesc(%rip), %rax
	call	*gn_fast_own@tlscall(%rax)
	movq	%fs:(%rax), %r10
	popq	%rax
	.cfi_adjust_cfa_offset -8
#else
	movq	gn_fast_own@gottpoff(%rip), %r11
	movq	%fs:(%r11), %r10
#endif
	.endm

/* gn_fast_NAME. `index` and `sp32` are registers: the function's index in 64
 * bits, and the low half of its frame key. `muted`: a table of bytes by index;
 * a hook does nothing if its function's byte is set. `sp64`: the whole frame
 * key, for functions that can run on any stack; it must be rsi, where the C
 * functions take it. */
	.macro GN_FAST_HOOK name:req, kind:req, index:req, sp32:req, muted, sp64
	.globl	gn_fast_\name
	.hidden	gn_fast_\name
	.type	gn_fast_\name, @function
	.balign	16
gn_fast_\name:
	.cfi_startproc
	.ifnb \muted
	leaq	\muted(%rip), %r11
	cmpb	$0, (%r11, \index)
	jne	.Lgn_fast_done_\name
	.endif
	GN_FAST_GET_OWN
	movq	GN_FAST_OWN_RING(%r10), %r11
	testq	%r11, %r11
	jz	.Lgn_fast_none_\name
	cmpb	$0, GN_FAST_OF_BUSY(%r11)
	.ifnb \sp64
	jne	.Lgn_fast_on_top_\name
	.else
	jne	gn_site_\name
	.endif
	.ifnb \sp64
	movq	\sp64, GN_FAST_OWN_AT(%r10)
	.endif
	movb	$1, GN_FAST_OF_BUSY(%r11)
	/* tests count the hooks that come here */
	.hidden	gn_written_\name
gn_written_\name:
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	.ifnb \sp64
	movq	\sp64, %rdx
	subq	GN_FAST_OWN_STACK(%r10), %rdx
	cmpq	GN_FAST_OWN_STACKED(%r10), %rdx
	jae	.Lgn_fast_stack_\name
	.endif
	movq	GN_FAST_OWN_PAGE(%r10), %rdx
	cmpq	GN_FAST_OF_DEADLINE(%rdx), %rax
	movq	GN_FAST_OWN_CUR(%r10), %rdx
	ja	.Lgn_fast_full_\name
	cmpq	GN_FAST_OWN_LIM(%r10), %rdx
	jae	.Lgn_fast_full_\name
	prefetchw 512(%rdx)
	movq	%rax, 8(%rdx)
	movl	\sp32, (%rdx)
	leal	\kind(, \index, 4), %eax
	movl	%eax, 4(%rdx)
	addq	$GN_FAST_RECORD, %rdx
	movq	%rdx, GN_FAST_OWN_CUR(%r10)
	movl	%edx, GN_FAST_OF_HEAD(%r11)
	movb	$0, GN_FAST_OF_BUSY(%r11)
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
.Lgn_fast_done_\name:
	ret
	.cfi_adjust_cfa_offset 16
.Lgn_fast_full_\name:
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	call	gn_fast_full_saved
	subl	$1, %r11d
	jc	gn_fast_\name
	jnz	gn_site_\name
	ret
.Lgn_fast_none_\name:
	cmpb	$0, GN_FAST_OWN_SITE(%r10)
	je	.Lgn_fast_claim_\name
	cmpb	$0, GN_FAST_OWN_GONE(%r10)
	jne	.Lgn_fast_done_\name
	movq	GN_FAST_OWN_CUR(%r10), %r11
	cmpw	$GN_SITE_BARE, (%r11)
	jne	gn_site_\name
	movb	$1, GN_FAST_OWN_GONE(%r10)
	ret
.Lgn_fast_claim_\name:
	call	gn_fast_claim_saved
	jmp	gn_fast_\name
	.ifnb \sp64
	/* The stack is checked after the clock is read: a signal handler that
	 * ran before the check is noticed, and the records of one that runs
	 * after it have later times. */
.Lgn_fast_stack_\name:
	.cfi_adjust_cfa_offset 16
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rax
	.cfi_adjust_cfa_offset -8
	movb	$0, GN_FAST_OF_BUSY(%r11)
	call	gn_fast_stack_saved
	jmp	gn_site_\name
.Lgn_fast_on_top_\name:
	call	gn_fast_on_top_saved
	jmp	gn_site_\name
	.endif
	.cfi_endproc
	.size	gn_fast_\name, . - gn_fast_\name
	.endm

/* NAME_saved calls the C function NAME with r10 and rsi as arguments. The
 * result is in r11d. It keeps all registers but r10 and r11: NAME is in a file
 * that fast_state.h names, which uses no vector registers. */
	.macro GN_FAST_SAVED name:req
	.type	\name\()_saved, @function
	.balign	16
\name\()_saved:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	andq	$-16, %rsp
	movq	%r10, %rdi
	call	\name
	movl	%eax, %r11d
	leaq	-56(%rbp), %rsp
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	popq	%rbp
	.cfi_restore rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	\name\()_saved, . - \name\()_saved
	.endm

/* Code that the hooks of a file share; use it once in each file. `stacks`: some
 * hooks can run on any stack. */
	.macro GN_FAST_BASE stacks
	GN_FAST_SAVED gn_fast_full
	GN_FAST_SAVED gn_fast_claim
	.ifnb \stacks
	GN_FAST_SAVED gn_fast_stack
	GN_FAST_SAVED gn_fast_on_top
	.endif
	.endm

#endif
