/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch uses leave with another frame's rbp. */
#define NAME(x)		swleave_##x
#define COUNTED_NAME(x) COUNTED(swleave_##x)
#define COUNT_NAME(x)	COUNT(swleave_##x)
#define SWITCH		swleave_switch

void swleave_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swleave_switch\n.globl swleave_switch\n"
	".type swleave_switch, @function\n"
	"swleave_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	lea -8(%rsi), %rbp\n	mov (%rbp), %rax\n"
	"	leave\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swleave_switch, . - swleave_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swleave)
{
	return swleave_all(how);
}
