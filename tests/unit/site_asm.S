/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One small function a case of the site planner. The offsets that
 * test_site_plan.c expects are counted by hand: they stand in the comments.
 */
	.intel_syntax noprefix
	.section .note.GNU-stack, "", @progbits
	.text

	.macro FUNC name
	.p2align 4
	.type \name, @function
\name:
	.endm
	.macro END name
	.size \name, . - \name
	.endm

FUNC leaf
	xor	eax, eax		/* +0 */
	ret				/* +2 */
END leaf

FUNC endbr_push
	endbr64				/* +0 */
	push	rbx			/* +4 */
	call	leaf			/* +5 */
	pop	rbx			/* +10 */
	ret				/* +11 */
END endbr_push

FUNC sub_call
	sub	rsp, 8			/* +0 */
	call	leaf			/* +4 */
	add	rsp, 8			/* +9 */
	ret				/* +13 */
END sub_call

FUNC mov_push
	mov	rax, rdi		/* +0 */
	mov	rcx, rsi		/* +3 */
	push	r12			/* +6 */
	pop	r12			/* +8 */
	ret				/* +10 */
END mov_push

FUNC sub_jcc
	sub	rsp, 24			/* +0 */
	test	edi, edi		/* +4 */
	je	1f			/* +6 */
	add	rsp, 24			/* +8 */
	ret				/* +12 */
1:	xor	eax, eax		/* +13 */
	add	rsp, 24			/* +15 */
	ret				/* +19 */
END sub_jcc

FUNC huge_frame
	sub	rsp, 0x2000		/* +0 */
	call	leaf			/* +7 */
	add	rsp, 0x2000		/* +12 */
	ret				/* +19 */
END huge_frame

FUNC only_ret
	ret
END only_ret

FUNC thunk
	jmp	leaf			/* +0 */
END thunk

FUNC endbr_thunk
	endbr64				/* +0 */
	.byte	0xe9			/* +4: always the long form */
	.long	leaf - . - 4
END endbr_thunk

FUNC runtime.morestack_noctxt
	ret
END runtime.morestack_noctxt

/* Functions of Go begin so. */
FUNC stack_check
1:	cmp	rsp, [r14 + 16]		/* +0 */
	jbe	2f			/* +4 */
	push	rbp			/* +6 */
	pop	rbp			/* +7 */
	ret				/* +8 */
2:	mov	[rsp + 8], rax		/* +9 */
	call	runtime.morestack_noctxt
	mov	rax, [rsp + 8]
	jmp	1b
END stack_check

/* Those with much on their stacks. */
FUNC stack_checks
1:	mov	r12, rsp		/* +0 */
	sub	r12, 0x2000		/* +3 */
	jb	2f			/* +10 */
	cmp	r12, [r14 + 16]		/* +12 */
	jbe	2f			/* +16 */
	push	rbp			/* +18 */
	pop	rbp			/* +19 */
	ret				/* +20 */
2:	call	runtime.morestack_noctxt
	jmp	1b
END stack_checks

/* The function comes back by a loop of its own, too. */
FUNC stack_check_loop
1:	cmp	rsp, [r14 + 16]		/* +0 */
	jbe	2f			/* +4 */
	push	rbp			/* +6 */
	pop	rbp			/* +7 */
	dec	edi			/* +8 */
	jne	1b
	ret
2:	call	runtime.morestack_noctxt
	jmp	1b
END stack_check_loop

/* What is beside the check ends it. */
FUNC stack_check_end
1:	cmp	rsp, [r14 + 16]		/* +0 */
	jbe	2f			/* +4 */
	push	rbp			/* +6 */
	pop	rbp			/* +7 */
	ret
2:	call	runtime.morestack_noctxt
	test	eax, eax
	jne	3f
	ret
3:	jmp	1b
END stack_check_end

/* What it waits for is the function's own. */
FUNC stack_check_wait
1:	cmp	dword ptr [rdi], 0	/* +0 */
	je	2f			/* +3 */
	push	rbp			/* +5 */
	pop	rbp
	ret
2:	call	leaf
	jmp	1b
END stack_check_wait

FUNC loop_first
1:	dec	edi			/* +0 */
	jne	1b			/* +2 */
	ret				/* +4 */
END loop_first

FUNC loop_second
	endbr64				/* +0 */
1:	dec	edi			/* +4 */
	jne	1b			/* +6 */
	ret				/* +8 */
END loop_second

FUNC loop_padded
	mov	eax, edi		/* +0 */
	.byte	0x66, 0x90		/* +2: a nop of two bytes */
1:	dec	eax			/* +4 */
	jne	1b			/* +6 */
	ret				/* +8 */
END loop_padded

FUNC nop5_push
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00	/* +0 */
	push	rbx			/* +5 */
	pop	rbx			/* +6 */
	ret				/* +7 */
END nop5_push

FUNC nop5_only
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00	/* +0 */
	xor	eax, eax		/* +5 */
	ret				/* +7 */
END nop5_only

FUNC nop4_push
	.byte	0x0f, 0x1f, 0x40, 0x00	/* +0: emulated by newer kernels only */
	push	rbx			/* +4 */
	pop	rbx			/* +5 */
	ret				/* +6 */
END nop4_push

FUNC nop4_only
	.byte	0x0f, 0x1f, 0x40, 0x00	/* +0 */
	xor	eax, eax		/* +4 */
	ret				/* +6 */
END nop4_only

FUNC framed
	push	rbp			/* +0 */
	mov	rbp, rsp		/* +1 */
	sub	rsp, 32			/* +4 */
	call	leaf			/* +8 */
	leave				/* +13 */
	ret				/* +14 */
END framed

FUNC alloca_frame
	push	rbp			/* +0 */
	mov	rbp, rsp		/* +1 */
	sub	rsp, rdi		/* +4 */
	and	rsp, -16		/* +7 */
	call	leaf			/* +11 */
	leave				/* +16 */
	ret				/* +17 */
END alloca_frame

FUNC vla_block
	push	rbp
	mov	rbp, rsp
	push	rbx
	push	rax
	mov	rbx, rsp
	sub	rsp, rdi
	call	leaf
	mov	rsp, rbx
	lea	rsp, [rbp - 8]
	pop	rbx
	pop	rbp
	ret
END vla_block

FUNC foreign_leave
	push	rbx			/* +0 */
	mov	rbp, rsi		/* +1 */
	nop				/* +4 */
	leave				/* +5 */
	ret				/* +6 */
END foreign_leave

FUNC realigned
	lea	r10, [rsp + 8]		/* +0 */
	and	rsp, -32		/* +5 */
	push	qword ptr [r10 - 8]	/* +9 */
	push	rbp			/* +13 */
	mov	rbp, rsp
	push	r10
	sub	rsp, 40
	call	leaf
	mov	r10, qword ptr [rbp - 8]
	leave
	lea	rsp, [r10 - 8]
	ret
END realigned

FUNC switch_relative
	cmp	edi, 2			/* +0 */
	ja	9f			/* +3 */
	lea	rdx, relative_table[rip]	/* +5 */
	movsxd	rax, dword ptr [rdx + rdi * 4]	/* +12 */
	add	rax, rdx		/* +16 */
	jmp	rax			/* +19 */
1:	mov	eax, 1			/* +21 */
	ret				/* +26 */
2:	mov	eax, 2			/* +27 */
	ret				/* +32 */
9:	xor	eax, eax		/* +33 */
	ret				/* +35 */
	.section .rodata
	.p2align 2
relative_table:
	.long	1b - relative_table
	.long	2b - relative_table
	.long	9b - relative_table
	.text
END switch_relative

/* the same as people write it, in a function without a frame */
FUNC switch_sum
	lea	r10, 3f[rip]		/* +0 */
	movsxd	r9, dword ptr [r10 + rdi * 4] /* +7 */
	lea	r10, [r10 + r9]		/* +11 */
	jmp	r10			/* +15 */
1:	xor	eax, eax		/* +18 */
	ret				/* +20 */
2:	ret				/* +21 */
	.section .rodata
	.p2align 2
3:	.long	1b - 3b
	.long	2b - 3b
	.text
END switch_sum

/* into a row of like instructions: by no table */
FUNC jump_sum
	lea	rax, 1f[rip]		/* +0 */
	lea	rax, [rax + rdi * 2]	/* +7 */
	jmp	rax			/* +11 */
1:	add	esi, esi		/* +13 */
	add	esi, esi		/* +15 */
	ret				/* +17 */
END jump_sum

/* the table leads back to the second instruction */
FUNC switch_back
	endbr64				/* +0 */
1:	push	rbx			/* +4 */
	pop	rbx			/* +5 */
	lea	rdx, back_table[rip]	/* +6 */
	movsxd	rax, dword ptr [rdx + rdi * 4]	/* +13 */
	add	rax, rdx		/* +17 */
	jmp	rax			/* +20 */
2:	ret				/* +22 */
	.section .rodata
	.p2align 2
back_table:
	.long	1b - back_table
	.long	2b - back_table
	.text
END switch_back

/* behind the table are others: of the function, whose entry would lead to a
 * tail jump with the frame still there, */
FUNC tables_touch
	push	rbx			/* +0 */
	lea	rdx, 5f[rip]		/* +1 */
	movsxd	rax, dword ptr [rdx + rdi * 4]	/* +8 */
	add	rax, rdx		/* +12 */
	jmp	rax			/* +15 */
1:	lea	rdx, 6f[rip]		/* +17 */
	movsxd	rax, dword ptr [rdx + rsi * 4]	/* +24 */
	add	rax, rdx		/* +28 */
	jmp	rax			/* +31 */
2:	pop	rbx			/* +33 */
3:	.byte	0xe9			/* +34 */
	.long	leaf - . - 4
	.skip	3, 0x90
4:	pop	rbx			/* +42 */
	ret				/* +43 */
	.section .rodata
	.p2align 2
5:	.long	1b - 5b
	.long	2b - 5b
6:	.long	4b - 6b			/* from 5 to 3 */
	.long	2b - 6b
	.text
END tables_touch
/* or of another function: into an instruction, and where the table is added */
FUNC table_ends
	lea	rdx, 5f[rip]		/* +0 */
	movsxd	rax, dword ptr [rdx + rdi * 4]	/* +7 */
1:	add	rax, rdx		/* +11 */
	jmp	rax			/* +14 */
2:	ret				/* +16 */
	.section .rodata
	.p2align 2
5:	.long	2b - 5b
	.long	table_ends + 1 - 5b
	.long	1b - 5b
	.text
END table_ends

/* a block without code where the function ends: behind a call that does not
 * return, with padding or the next function there */
FUNC nowhere
	push	rbp			/* +0 */
	test	edi, edi		/* +1 */
	jz	1f			/* +3 */
	call	leaf			/* +5 */
	jmp	.Lnowhere		/* +10 */
1:	mov	eax, [rdi]		/* +12 */
	pop	rbp			/* +14 */
	ret				/* +15 */
.Lnowhere:
END nowhere
FUNC nowhere_jumps
	push	rbp			/* +0 */
	test	edi, edi		/* +1 */
	jz	1f			/* +3 */
	.byte	0xeb, 4			/* +5 */
1:	mov	eax, [rdi]		/* +7 */
	pop	rbp			/* +9 */
	ret				/* +10 */
END nowhere_jumps
	ud2

/* a table that the dynamic linker fills in, and nobody else */
FUNC switch_linked
	lea	rdx, linked_table[rip]	/* +0 */
	jmp	[rdx + rdi * 8]		/* +7 */
1:	xor	eax, eax		/* +10 */
2:	ret				/* +12 */
	.section .data.rel.ro, "aw"
	.p2align 3
linked_table:
	.quad	1b
	.quad	2b
	.quad	leaf
	.text
END switch_linked

/* a table of functions that the dynamic linker fills in */
FUNC tail_linked
	lea	rdx, 2f[rip]		/* +0 */
	jmp	[rdx + rdi * 8]		/* +7 */
	.section .data.rel.ro, "aw"
	.p2align 3
2:	.quad	leaf
	.quad	leaf
	.text
END tail_linked

/* a table that the program can write, at the entry's stack depth: of labels or
 * of functions */
FUNC switch_hidden
	lea	rdx, hidden_table[rip]	/* +0 */
	jmp	[rdx + rdi * 8]		/* +7 */
1:	ret				/* +10 */
	.data
	.p2align 3
hidden_table:
	.quad	1b
	.text
END switch_hidden

/* the same with a frame: it can only stay inside */
FUNC switch_framed
	push	rbx			/* +0 */
	lea	rdx, hidden_table[rip]	/* +1 */
	jmp	[rdx + rdi * 8]		/* +8 */
	pop	rbx			/* +11 */
	ret				/* +12 */
END switch_framed

/* the same again, as compilers mark switches */
FUNC switch_notrack
	test	edi, edi		/* +0 */
	je	1f			/* +2 */
	lea	rdx, hidden_table[rip]	/* +4 */
	notrack jmp [rdx + rdi * 8]	/* +11 */
1:	ret				/* +15 */
END switch_notrack

/* a label can be where it begins, but not where it has a frame */
FUNC switch_unframed
	sub	rsp, 8			/* +0 */
	call	leaf			/* +4 */
	add	rsp, 8			/* +9 */
	lea	rdx, hidden_table[rip]	/* +13 */
	notrack jmp [rdx + rdi * 8]	/* +20 */
	ret				/* +24 */
END switch_unframed

/* interpreters that keep labels in what they run, which is no table */
FUNC threaded
	xor	eax, eax		/* +0 */
3:	mov	rdx, [rdi]		/* +2 */
	jmp	rdx			/* +5 */
1:	inc	eax			/* +7 */
	add	rdi, 8			/* +9 */
	jmp	3b			/* +13 */
2:	ret				/* +15 */
	.section .data.rel.ro, "aw"
	.quad	1b
	.quad	2b
	.text
END threaded
FUNC threaded_code
	lea	rax, 1f[rip]		/* +0 */
	mov	[rdi], rax		/* +7 */
	jmp	[rsi]			/* +10 */
1:	ret				/* +12 */
END threaded_code
/* its labels are in a table, its begin is in another, and it asks where it is */
FUNC threaded_not
	lea	rdx, 3f[rip]		/* +0 */
	jmp	[rdx + rdi * 8]		/* +7 */
1:	lea	rdi, threaded_not[rip]	/* +10 */
	lea	rsi, 4f[rip]		/* +17 */
4:	ret				/* +24 */
2:	jmp	[rsi]			/* +25 */
	.section .data.rel.ro, "aw"
	.p2align 3
3:	.quad	1b
	.quad	2b
	.quad	threaded_not_end
	.quad	threaded_not
	.text
END threaded_not
threaded_not_end:
	ud2

/* a label, and no data */
FUNC stray_label
	push	rbx			/* +0 */
	lea	rax, 1f[rip]		/* +1 */
	jmp	[rdi]			/* +8 */
1:	pop	rbx			/* +10 */
	ret				/* +11 */
END stray_label

FUNC virtual_tail
	mov	rax, qword ptr [rdi]	/* +0 */
	push	rbx			/* +3 */
	pop	rbx			/* +4 */
	jmp	[rax + 16]		/* +5 */
END virtual_tail

FUNC framed_tail
	push	rbx			/* +0 */
	call	leaf			/* +1 */
	pop	rbx			/* +6 */
	jmp	endbr_push		/* +7 */
END framed_tail

FUNC with_cold
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	.byte	0x0f, 0x85		/* +3: jne, long */
	.long	with_cold.cold - . - 4
	pop	rbx			/* +9 */
	ret				/* +10 */
END with_cold
	.section .text.unlikely, "ax", @progbits
	.type with_cold.cold, @function
with_cold.cold:
	call	leaf			/* +0 */
	pop	rbx			/* +5 */
	ret				/* +6 */
	.size with_cold.cold, . - with_cold.cold
	.text

FUNC jcc_out
	test	edi, edi		/* +0 */
	.byte	0x0f, 0x84		/* +2: je, long */
	.long	leaf - . - 4
	ret				/* +8 */
END jcc_out

FUNC jrcxz_near
	ret
END jrcxz_near
	.balign	1
	.type	jrcxz_out, @function
jrcxz_out:
	xor	eax, eax		/* +0 */
	jrcxz	jrcxz_near		/* +2 */
	ret				/* +4 */
END jrcxz_out

/* an epilogue that is only jumped to */
FUNC jumps_to_end
	push	rbx			/* +0 */
	sub	rsp, 16			/* +1: 24 below the entry */
	je	1f			/* +5 */
	xor	eax, eax		/* +7 */
	mov	ebx, eax		/* +9 */
	jmp	1f			/* +11 */
	ud2				/* +13 */
1:	mov	rax, [rsp + 8]		/* +15 */
	add	rsp, 16			/* +20 */
	pop	rbx			/* +24 */
	ret				/* +25 */
END jumps_to_end

/* a call comes before one way */
FUNC falls_to_end
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	je	1f			/* +3 */
	call	leaf			/* +5 */
1:	pop	rbx			/* +10 */
	ret				/* +11 */
END falls_to_end

/* memory that may not be there yet */
FUNC loads_at_end
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	je	1f			/* +3 */
1:	mov	rax, [rsi]		/* +5 */
	pop	rbx			/* +8 */
	ret				/* +9 */
END loads_at_end

/* the jump is passed each round */
FUNC loops_at_end
	push	rbx			/* +0 */
1:	dec	edi			/* +1 */
	jne	1b			/* +3 */
	pop	rbx			/* +5 */
	ret				/* +6 */
END loops_at_end

FUNC long_end
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	je	1f			/* +3 */
1:
	.rept	16
	inc	eax
	.endr
	pop	rbx			/* +37 */
	ret				/* +38 */
END long_end

FUNC tail_at_end
	push	rbx			/* +0 */
	mov	rbx, rdi		/* +1 */
	pop	rbx			/* +4 */
	test	edi, edi		/* +5 */
	.byte	0x0f, 0x85		/* +7: jne, long */
	.long	jrcxz_near - . - 4
	mov	rax, [rsp - 8]		/* +13 */
	ret				/* +18 */
END tail_at_end

FUNC own_return
	mov	rax, qword ptr [rsp]	/* +0 */
	ret				/* +4 */
END own_return

FUNC own_return_framed
	push	rbp			/* +0 */
	mov	rbp, rsp		/* +1 */
	mov	rax, qword ptr [rbp + 8]	/* +4 */
	pop	rbp			/* +8 */
	ret				/* +9 */
END own_return_framed

FUNC tail_to_own_return
	xor	esi, esi		/* +0 */
	.byte	0xe9			/* +2 */
	.long	own_return - . - 4
END tail_to_own_return

FUNC calls_pointer
	push	rbx			/* +0 */
	call	[rdi]			/* +1 */
	pop	rbx			/* +3 */
	ret				/* +4 */
END calls_pointer

FUNC calls_open
	push	rbx			/* +0 */
	call	calls_pointer		/* +1 */
	pop	rbx			/* +6 */
	ret				/* +7 */
END calls_open

FUNC swap_stacks
	push	rbx			/* +0 */
	mov	qword ptr [rdi], rsp	/* +1 */
	mov	rsp, qword ptr [rsi]	/* +4 */
	pop	rbx			/* +7 */
	ret				/* +8 */
END swap_stacks

FUNC never_returns
	push	rbx			/* +0 */
	call	leaf			/* +1 */
	ud2				/* +6 */
END never_returns

FUNC locked_first
	lock inc dword ptr [rdi]	/* +0: refused */
	push	rbx			/* +3 */
	pop	rbx			/* +4 */
	ret				/* +5 */
END locked_first

FUNC locked_skipped
	push	rbx			/* +0 */
	cmp	dword ptr fs:[0x18], 0	/* +1 */
	je	1f + 1			/* +10 */
1:	lock inc dword ptr [rdi]	/* +12 */
	pop	rbx			/* +15 */
	ret				/* +16 */
END locked_skipped

FUNC vector_first
	vmovdqa	xmm0, xmmword ptr [rdi]	/* +0: refused */
	xor	eax, eax		/* +4 */
	ret				/* +6 */
END vector_first

FUNC old_rets
	push	rbx			/* +0 */
	pop	rbx			/* +1 */
	test	edi, edi		/* +2 */
	je	1f			/* +4 */
	.byte	0xf3, 0xc3		/* +6: rep ret */
1:	.byte	0xf2, 0xc3		/* +8: bnd ret */
END old_rets

FUNC recursive
	push	rbx			/* +0 */
	call	recursive		/* +1 */
	pop	rbx			/* +6 */
	ret				/* +7 */
END recursive

FUNC ping
	push	rbx			/* +0 */
	call	pong			/* +1 */
	pop	rbx			/* +6 */
	ret				/* +7 */
END ping

FUNC pong
	push	rbx
	call	ping
	pop	rbx
	ret
END pong

FUNC calls_plain
	push	rbx			/* +0 */
	call	strlen@PLT		/* +1 */
	pop	rbx			/* +6 */
	ret				/* +7 */
END calls_plain

FUNC calls_library
	push	rbx			/* +0 */
	call	qsort@PLT		/* +1 */
	pop	rbx			/* +6 */
	ret				/* +7 */
END calls_library

	.p2align 4
	.globl resolver
	.type resolver, @gnu_indirect_function
resolver:
	lea	rax, leaf[rip]
	ret
	.size resolver, . - resolver

FUNC outer
	push	rbx			/* +0 */
	pop	rbx			/* +1 */
	.type inner, @function
inner:	push	rcx
	pop	rcx
	ret
	.size inner, . - inner
END outer

FUNC runs_on
	push	rbx			/* +0 */
	pop	rbx			/* +1 */
	test	edi, edi
END runs_on
	ret

/* a program's own end: nothing comes behind a write to a null pointer */
FUNC crashes
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	jne	1f			/* +3 */
	pop	rbx			/* +5 */
	ret				/* +6 */
1:	push	rcx			/* +7 */
	mov	byte ptr [1], 0		/* +8 */
END crashes
	ret

FUNC writes_tls
	push	rbx			/* +0 */
	pop	rbx			/* +1 */
	mov	byte ptr fs:[1], 0	/* +2 */
END writes_tls
	ret

FUNC writes_data
	push	rbx			/* +0 */
	pop	rbx			/* +1 */
	mov	byte ptr .Ldata[rip], 0	/* +2 */
END writes_data
	ret
.Ldata:	.byte	0

FUNC no_code
	push	rbx
	.byte	0x06			/* no instruction */
	pop	rbx
	ret
END no_code

FUNC into_instruction
	push	rbx
	jmp	1f + 2
1:	mov	eax, 0xc3
	pop	rbx
	ret
END into_instruction

FUNC unbalanced
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	je	1f			/* +3 */
	pop	rbx			/* +5 */
1:	ret				/* +6 */
END unbalanced

FUNC pushes_and_returns
	push	rdi			/* +0 */
	ret				/* +1 */
END pushes_and_returns

FUNC noreturn_between
	test	edi, edi		/* +0 */
	je	1f			/* +2 */
	sub	rsp, 8			/* +4 */
	call	never_returns		/* +8 */
1:	jmp	endbr_push		/* +13 */
END noreturn_between

/* Code without a name, as in a stripped file; the unwinder's table has it. */
	.macro NAMELESS label
	.section .text.unlikely, "ax", @progbits
	.p2align 4
	.cfi_startproc
\label:
	.endm
	.macro END_NAMELESS
	.cfi_endproc
	.text
	.endm

/* only jumped to, by one function: a part of it, even at the entry's depth */
FUNC nameless_part
	.cfi_startproc
	test	edi, edi		/* +0 */
	.byte	0x0f, 0x85		/* +2: jne, long */
	.long	.Lpart - . - 4
	ret				/* +8 */
	.cfi_endproc
END nameless_part
	NAMELESS .Lpart
	xor	eax, eax		/* +0 */
	ret				/* +2 */
	END_NAMELESS

/* called elsewhere: a function */
FUNC nameless_callee
	.cfi_startproc
	push	rbx			/* +0 */
	pop	rbx			/* +1 */
	.byte	0xe9			/* +2 */
	.long	.Lcallee - . - 4
	.cfi_endproc
END nameless_callee
FUNC calls_nameless
	.cfi_startproc
	push	rbx			/* +0 */
	call	.Lcallee		/* +1 */
	pop	rbx			/* +6 */
	ret				/* +7 */
	.cfi_endproc
END calls_nameless
	NAMELESS .Lcallee
	xor	eax, eax
	ret
	END_NAMELESS

/* jumped to by two functions */
FUNC nameless_shared
	.cfi_startproc
	push	rbx			/* +0 */
	pop	rbx			/* +1 */
	.byte	0xe9
	.long	.Lshared - . - 4
	.cfi_endproc
END nameless_shared
FUNC nameless_other
	.cfi_startproc
	.byte	0xe9
	.long	.Lshared - . - 4
	.cfi_endproc
END nameless_other
	NAMELESS .Lshared
	xor	eax, eax
	ret
	END_NAMELESS

/* jumped to by a function and by a part of one: who can tell */
FUNC nameless_twice
	.cfi_startproc
	test	edi, edi		/* +0 */
	.byte	0x0f, 0x85		/* +2 */
	.long	.Lonce - . - 4
	push	rbx			/* +8 */
	pop	rbx			/* +9 */
	.byte	0xe9			/* +10 */
	.long	.Ltwice - . - 4
	.cfi_endproc
END nameless_twice
	NAMELESS .Lonce
	test	esi, esi
	.byte	0x0f, 0x85
	.long	.Ltwice - . - 4
	ret
	END_NAMELESS
	NAMELESS .Ltwice
	xor	eax, eax
	ret
	END_NAMELESS

/* jumped to by the cold parts of two functions */
	NAMELESS .Lof_cold
	xor	eax, eax
	ret
	END_NAMELESS
FUNC tail_in_cold
	.cfi_startproc
	test	edi, edi		/* +0 */
	.byte	0x0f, 0x85		/* +2 */
	.long	.Lin_cold - . - 4
	ret				/* +8 */
	.cfi_endproc
END tail_in_cold
	NAMELESS .Lin_cold
	.byte	0xe9
	.long	.Lof_cold - . - 4
	END_NAMELESS
FUNC tail_in_cold_too
	.cfi_startproc
	test	edi, edi		/* +0 */
	.byte	0x0f, 0x85		/* +2 */
	.long	.Lin_cold_too - . - 4
	ret				/* +8 */
	.cfi_endproc
END tail_in_cold_too
	NAMELESS .Lin_cold_too
	.byte	0xe9
	.long	.Lof_cold - . - 4
	END_NAMELESS

/* one that goes behind its own cold part gets to the next one's */
FUNC cold_first
	.cfi_startproc
	test	edi, edi		/* +0 */
	.byte	0x0f, 0x85		/* +2 */
	.long	.Lcold_first - . - 4
	push	rbx			/* +8 */
	test	esi, esi		/* +9 */
	.byte	0x0f, 0x85		/* +11 */
	.long	.Lcold_second - . - 4
	pop	rbx			/* +17 */
	ret				/* +18 */
	.cfi_endproc
END cold_first
	NAMELESS .Lcold_first
	xor	eax, eax
	ret
	END_NAMELESS
FUNC cold_second
	.cfi_startproc
	test	edi, edi		/* +0 */
	.byte	0x0f, 0x85		/* +2 */
	.long	.Lcold_second - . - 4
1:	ret				/* +8 */
	.cfi_endproc
END cold_second
	NAMELESS .Lcold_second
	xor	eax, eax
	.byte	0xe9
	.long	1b - . - 4
	END_NAMELESS

/* with its frame up it can only be a part */
FUNC nameless_framed
	.cfi_startproc
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	.byte	0x0f, 0x85		/* +3 */
	.long	.Lframed - . - 4
	pop	rbx			/* +9 */
	ret				/* +10 */
	.cfi_endproc
END nameless_framed
	NAMELESS .Lframed
	call	leaf			/* +0 */
	pop	rbx			/* +5 */
	ret				/* +6 */
	END_NAMELESS

/* into a part, whose begin only the part itself leads to */
FUNC nameless_middle
	.cfi_startproc
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	.byte	0x0f, 0x85		/* +3 */
	.long	.Lmiddle - . - 4
	pop	rbx			/* +9 */
	ret				/* +10 */
	.cfi_endproc
END nameless_middle
	NAMELESS .Lbegin
	xor	eax, eax		/* +0 */
.Lmiddle:
	call	leaf			/* +2 */
	test	eax, eax		/* +7 */
	jz	.Lbegin			/* +9 */
	pop	rbx			/* +11 */
	ret				/* +12 */
	END_NAMELESS

/* behind the part is code that the unwind table does not know, as crti.o's */
FUNC nameless_before
	.cfi_startproc
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	.byte	0x0f, 0x85		/* +3 */
	.long	.Lbefore - . - 4
	pop	rbx			/* +9 */
	ret				/* +10 */
	.cfi_endproc
END nameless_before
	NAMELESS .Lbefore
	call	leaf			/* +0 */
	pop	rbx			/* +5 */
	ret				/* +6 */
	END_NAMELESS
	.section .text.unlikely, "ax", @progbits
	call	1f
	ret
1:	ret
	.text

/* a part that ends by a call that does not return: behind the function */
FUNC falls_off
	.cfi_startproc
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	.byte	0x0f, 0x85		/* +3 */
	.long	.Lfalls - . - 4
	pop	rbx			/* +9 */
	ret				/* +10 */
	.cfi_endproc
END falls_off
.Lfalls_end:
	nop
	NAMELESS .Lfalls
	call	leaf
	jmp	.Lfalls_end
	END_NAMELESS

/* the same without a byte between it and the next function */
FUNC falls_on
	.cfi_startproc
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	.byte	0x0f, 0x85		/* +3 */
	.long	.Lfalls_on - . - 4
	pop	rbx			/* +9 */
	.nops	5			/* +10 */
	ret				/* +15 */
	.cfi_endproc
END falls_on
FUNC next_function
	.cfi_startproc
	xor	eax, eax
	ret
	.cfi_endproc
END next_function
	NAMELESS .Lfalls_on
	call	leaf
	jmp	next_function
	END_NAMELESS

/* it goes on in a piece of itself */
FUNC in_pieces
	.cfi_startproc
	push	rbx			/* +0 */
	test	edi, edi		/* +1 */
	jne	.Lpiece			/* +3 */
	pop	rbx			/* +5 */
	.nops	9
	ret				/* +15 */
	.cfi_endproc
END in_pieces
	.type in_pieces.__part.1, @function
in_pieces.__part.1:
	.cfi_startproc
.Lpiece:
	pop	rbx
	ret
	.cfi_endproc
END in_pieces.__part.1

/* code behind the end that its size gives, with no name of its own */
FUNC goes_on
	push	rbx			/* +0 */
	jmp	.Lgoes_on
END goes_on
.Lgoes_on:
	pop	rbx
	ret

	.p2align 12
	.skip	4096 - 3
	.type nop5_crossing, @function
nop5_crossing:
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00	/* +0 */
	xor	eax, eax		/* +5 */
	ret				/* +7 */
END nop5_crossing
