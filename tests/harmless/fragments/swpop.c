/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch pops rsp. */
#define NAME(x)		swpop_##x
#define COUNTED_NAME(x) COUNTED(swpop_##x)
#define COUNT_NAME(x)	COUNT(swpop_##x)
#define SWITCH		swpop_switch

void swpop_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swpop_switch\n.globl swpop_switch\n"
	".type swpop_switch, @function\n"
	"swpop_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	push %rsi\n	pop %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swpop_switch, . - swpop_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swpop)
{
	return swpop_all(how);
}
