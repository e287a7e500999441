/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch exchanges rsp. */
#define NAME(x)		swxchg_##x
#define COUNTED_NAME(x) COUNTED(swxchg_##x)
#define COUNT_NAME(x)	COUNT(swxchg_##x)
#define SWITCH		swxchg_switch

void swxchg_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swxchg_switch\n.globl swxchg_switch\n"
	".type swxchg_switch, @function\n"
	"swxchg_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	xchg %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swxchg_switch, . - swxchg_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swxchg)
{
	return swxchg_all(how);
}
