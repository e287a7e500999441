/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch loads rsp from memory. */
#define NAME(x)		swload_##x
#define COUNTED_NAME(x) COUNTED(swload_##x)
#define COUNT_NAME(x)	COUNT(swload_##x)
#define SWITCH		swload_switch

void swload_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swload_switch\n.globl swload_switch\n"
	".type swload_switch, @function\n"
	"swload_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	push %rsi\n	mov (%rsp), %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swload_switch, . - swload_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swload)
{
	return swload_all(how);
}
