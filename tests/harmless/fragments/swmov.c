/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch loads rsp from a register. */
#define NAME(x)		swmov_##x
#define COUNTED_NAME(x) COUNTED(swmov_##x)
#define COUNT_NAME(x)	COUNT(swmov_##x)
#define SWITCH		swmov_switch

void swmov_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swmov_switch\n.globl swmov_switch\n"
	".type swmov_switch, @function\n"
	"swmov_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swmov_switch, . - swmov_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swmov)
{
	return swmov_all(how);
}
