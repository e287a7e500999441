/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch subtracts the distance from rsp. */
#define NAME(x)		swsub_##x
#define COUNTED_NAME(x) COUNTED(swsub_##x)
#define COUNT_NAME(x)	COUNT(swsub_##x)
#define SWITCH		swsub_switch

void swsub_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swsub_switch\n.globl swsub_switch\n"
	".type swsub_switch, @function\n"
	"swsub_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsp, %rax\n	sub %rsi, %rax\n	sub %rax, "
	"%rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swsub_switch, . - swsub_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swsub)
{
	return swsub_all(how);
}
