/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch moves rsp on a condition. */
#define NAME(x)		swcmov_##x
#define COUNTED_NAME(x) COUNTED(swcmov_##x)
#define COUNT_NAME(x)	COUNT(swcmov_##x)
#define SWITCH		swcmov_switch

void swcmov_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swcmov_switch\n.globl swcmov_switch\n"
	".type swcmov_switch, @function\n"
	"swcmov_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	cmp %rsp, %rsi\n	cmovne %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swcmov_switch, . - swcmov_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swcmov)
{
	return swcmov_all(how);
}
