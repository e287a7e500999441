/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch masks rsp. */
#define NAME(x)		swand_##x
#define COUNTED_NAME(x) COUNTED(swand_##x)
#define COUNT_NAME(x)	COUNT(swand_##x)
#define SWITCH		swand_switch

void swand_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swand_switch\n.globl swand_switch\n"
	".type swand_switch, @function\n"
	"swand_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n	and $-8, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swand_switch, . - swand_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swand)
{
	return swand_all(how);
}
