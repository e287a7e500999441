/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch computes rsp by lea. */
#define NAME(x)		swlea_##x
#define COUNTED_NAME(x) COUNTED(swlea_##x)
#define COUNT_NAME(x)	COUNT(swlea_##x)
#define SWITCH		swlea_switch

void swlea_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swlea_switch\n.globl swlea_switch\n"
	".type swlea_switch, @function\n"
	"swlea_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rax\n	lea (%rax), %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swlea_switch, . - swlea_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swlea)
{
	return swlea_all(how);
}
