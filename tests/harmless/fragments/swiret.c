/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch returns by iretq. */
#define NAME(x)		swiret_##x
#define COUNTED_NAME(x) COUNTED(swiret_##x)
#define COUNT_NAME(x)	COUNT(swiret_##x)
#define SWITCH		swiret_switch

void swiret_switch(void **save, void *to);
__asm__(".pushsection .text\n"
	".hidden swiret_switch\n.globl swiret_switch\n"
	".type swiret_switch, @function\n"
	"swiret_switch:\n"
	"	push %rbp\n	push %rbx\n	push %r12\n"
	"	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %ss, %eax\n	push %rax\n	push %rsi\n	pushfq\n"
	"	mov %cs, %eax\n	push %rax\n"
	"	lea 1f(%rip), %rax\n	push %rax\n	iretq\n1:\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n"
	"	pop %r12\n	pop %rbx\n	pop %rbp\n"
	"	ret\n"
	".size swiret_switch, . - swiret_switch\n"
	".popsection\n");

#include "switch.h"

FRAGMENT(swiret)
{
	return swiret_all(how);
}
