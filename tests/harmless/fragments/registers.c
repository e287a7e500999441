/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions with a calling convention of their own: results in flags, rcx,
 * r10, r11 and vector registers, which all must be kept. */
#include "../fragment.h"

long registers_check(long n);
__asm__(".pushsection .text\n"
	/* carry in, carry out; sets r10, r11, rcx */
	".hidden registers_odd\n"
	".type registers_odd, @function\n"
	"registers_odd:\n"
	"	adc %rsi, %rdi\n	mov $0x1111, %ecx\n"
	"	mov $0x2222, %r10d\n	mov $0x3333, %r11d\n	ret\n"
	".size registers_odd, . - registers_odd\n"
	/* the same, with a push that the kernel emulates */
	".hidden registers_push\n"
	".type registers_push, @function\n"
	"registers_push:\n"
	"	push %rbx\n	mov $0x44, %ebx\n	adc %rbx, %rdi\n"
	"	pop %rbx\n	ret\n"
	".size registers_push, . - registers_push\n"
	".hidden registers_jump\n"
	".type registers_jump, @function\n"
	"registers_jump:\n"
	"	jmp registers_odd\n"
	".size registers_jump, . - registers_jump\n"
	/* keeps a word in the red zone over a jump */
	".hidden registers_red\n"
	".type registers_red, @function\n"
	"registers_red:\n"
	"	mov %rdi, -8(%rsp)\n	mov %rsi, -128(%rsp)\n"
	"	jc 1f\n	nop\n"
	"1:	mov -8(%rsp), %rax\n	add -128(%rsp), %rax\n	ret\n"
	".size registers_red, . - registers_red\n"
	".hidden registers_check\n.globl registers_check\n"
	".type registers_check, @function\n"
	"registers_check:\n"
	"	push %rbx\n	mov %rdi, %rbx\n"
	"	pcmpeqd %xmm7, %xmm7\n	movq %rdi, %xmm0\n"
	"	mov $-1, %rsi\n	stc\n"
	"	call registers_odd\n	setc %al\n	movzbl %al, %eax\n"
	"	add %rdi, %rax\n	add %rcx, %rax\n"
	"	add %r10, %rax\n	add %r11, %rax\n"
	"	mov %rax, %rbx\n"
	"	mov $1, %edi\n	mov $2, %esi\n	stc\n"
	"	call registers_jump\n	adc %rdi, %rbx\n"
	"	mov $1, %edi\n	stc\n	call registers_push\n"
	"	adc %rdi, %rbx\n"
	"	mov $5, %edi\n	mov $6, %esi\n	call registers_red\n"
	"	add %rax, %rbx\n"
	"	movq %xmm0, %rax\n	add %rax, %rbx\n"
	"	movq %xmm7, %rax\n	add %rax, %rbx\n"
	"	mov %rbx, %rax\n	pop %rbx\n	ret\n"
	".size registers_check, . - registers_check\n"
	".popsection\n");

COUNTED(registers_double)
KEEP double registers_double(double a, long n, float b)
{
	COUNT(registers_double);
	if (n)
		a += registers_double(a * 0.5 + b, n - 1, b);
	OPAQUE(n);
	return a;
}

struct registers_pair {
	long a, b, c;
	double d;
};

COUNTED(registers_struct)
KEEP struct registers_pair registers_struct(struct registers_pair p, long n)
{
	COUNT(registers_struct);
	p.a += n;
	p.d *= 2;
	if (n > 0)
		p = registers_struct(p, n - 1);
	p.b++;
	return p;
}

FRAGMENT(registers)
{
	struct registers_pair p = {1, 2, 3, 0.25};
	long sum = 0;
	int i;

	for (i = 0; i < 8; i++)
		sum += registers_check(how % 1000 + (unsigned int)i);
	p = registers_struct(p, how % 9);
	return sum + (long)registers_double(3.5, how % 20, 0.125f) + p.a + p.b +
	       p.c + (long)p.d;
}
