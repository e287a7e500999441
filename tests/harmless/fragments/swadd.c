/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch adds the distance to rsp. */
#define NAME(x)		swadd_##x
#define COUNTED_NAME(x) COUNTED(swadd_##x)
#define COUNT_NAME(x)	COUNT(swadd_##x)
#define SWITCH		swadd_switch

void swadd_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swadd_switch\n.globl swadd_switch\n"
	".type swadd_switch, @function\n"
	"swadd_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	sub %rsp, %rsi\n	add %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swadd_switch, . - swadd_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swadd)
{
	return swadd_all(how);
}
