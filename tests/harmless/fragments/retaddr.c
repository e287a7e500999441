/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that look at their return address, also above them, or go on
 * elsewhere by it. */
#include "../fragment.h"

KEEP static long retaddr_caller(long n);

COUNTED(retaddr_look)
KEEP static long retaddr_look(void)
{
	char *at = __builtin_return_address(0);
	long away = at - (char *)retaddr_caller;

	COUNT(retaddr_look);
	return away > 0 && away < 400;
}

COUNTED(retaddr_through)
KEEP static long retaddr_through(char **frame)
{
	COUNT(retaddr_through);
	return frame[0] - (char *)retaddr_caller;
}

COUNTED(retaddr_caller)
KEEP static long retaddr_caller(long n)
{
	long r;

	COUNT(retaddr_caller);
	r = retaddr_look() + 1;
	OPAQUE(r);
	return r + n;
}

/* returns past the byte that follows the call, as code with inline data does */
long retaddr_skip(long n);
__asm__(".pushsection .text\n"
	".hidden retaddr_inline\n"
	".type retaddr_inline, @function\n"
	"retaddr_inline:\n"
	"	mov (%rsp), %rdx\n	movzbl (%rdx), %eax\n"
	"	add %rdi, %rax\n	inc %rdx\n	mov %rdx, (%rsp)\n"
	"	ret\n"
	".size retaddr_inline, . - retaddr_inline\n"
	".hidden retaddr_skip\n.globl retaddr_skip\n"
	".type retaddr_skip, @function\n"
	"retaddr_skip:\n"
	"	push %rbx\n	mov %rdi, %rbx\n"
	"	call retaddr_inline\n	.byte 0x21\n"
	"	add %rbx, %rax\n	pop %rbx\n	ret\n"
	".size retaddr_skip, . - retaddr_skip\n"
	/* pops its return address and jumps to it */
	".hidden retaddr_popjmp\n.globl retaddr_popjmp\n"
	".type retaddr_popjmp, @function\n"
	"retaddr_popjmp:\n"
	"	pop %rcx\n	lea 9(%rdi), %rax\n	jmp *%rcx\n"
	".size retaddr_popjmp, . - retaddr_popjmp\n"
	/* pushes a target and returns to it */
	".hidden retaddr_pushret\n.globl retaddr_pushret\n"
	".type retaddr_pushret, @function\n"
	"retaddr_pushret:\n"
	"	lea retaddr_popjmp(%rip), %rax\n	push %rax\n"
	"	inc %rdi\n	ret\n"
	".size retaddr_pushret, . - retaddr_pushret\n"
	".popsection\n");
long retaddr_popjmp(long n);
long retaddr_pushret(long n);

FRAGMENT(retaddr)
{
	char *words[2] = {(char *)retaddr_caller + how % 9, 0};

	return retaddr_caller(how % 100) + retaddr_through(words) +
	       retaddr_skip(how % 11) + retaddr_popjmp(3) + retaddr_pushret(4);
}
