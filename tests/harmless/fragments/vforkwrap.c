/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrappers of vfork() and of setjmp() that return twice.
 * Not by fast hooks: a child of a vfork() that is not the C library's writes
 * into its parent's ring, which the self-check tells. HARMLESS:
 * avoid=-fpatchable-function-entry=5,-fxray-instrument */
#include <setjmp.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fragment.h"

/* keeps its return address in a register while the child uses the stack */
long vforkwrap_vfork(void) __attribute__((returns_twice));
__asm__(".pushsection .text\n"
	".hidden vforkwrap_vfork\n.globl vforkwrap_vfork\n"
	".type vforkwrap_vfork, @function\n"
	"vforkwrap_vfork:\n"
	"	pop %rdx\n	mov $58, %eax\n	syscall\n"
	"	push %rdx\n	ret\n"
	".size vforkwrap_vfork, . - vforkwrap_vfork\n"
	".popsection\n");

int vforkwrap_setjmp(jmp_buf at) __attribute__((returns_twice));
__asm__(".pushsection .text\n"
	".hidden vforkwrap_setjmp\n.globl vforkwrap_setjmp\n"
	".type vforkwrap_setjmp, @function\n"
	"vforkwrap_setjmp:\n"
	"	mov %rbx, (%rdi)\n	mov %rbp, 8(%rdi)\n"
	"	mov %r12, 16(%rdi)\n	mov %r13, 24(%rdi)\n"
	"	mov %r14, 32(%rdi)\n	mov %r15, 40(%rdi)\n"
	"	lea 8(%rsp), %rdx\n	mov %rdx, 48(%rdi)\n"
	"	mov (%rsp), %rdx\n	mov %rdx, 56(%rdi)\n"
	"	xor %eax, %eax\n	ret\n"
	".size vforkwrap_setjmp, . - vforkwrap_setjmp\n"
	".hidden vforkwrap_longjmp\n.globl vforkwrap_longjmp\n"
	".type vforkwrap_longjmp, @function\n"
	"vforkwrap_longjmp:\n"
	"	mov %esi, %eax\n"
	"	mov (%rdi), %rbx\n	mov 8(%rdi), %rbp\n"
	"	mov 16(%rdi), %r12\n	mov 24(%rdi), %r13\n"
	"	mov 32(%rdi), %r14\n	mov 40(%rdi), %r15\n"
	"	mov 48(%rdi), %rsp\n	jmp *56(%rdi)\n"
	".size vforkwrap_longjmp, . - vforkwrap_longjmp\n"
	".popsection\n");
void vforkwrap_longjmp(jmp_buf at, int value);

static jmp_buf vforkwrap_home;

COUNTED(vforkwrap_leaf)
KEEP static long vforkwrap_leaf(long n)
{
	COUNT(vforkwrap_leaf);
	return n + 1;
}

COUNTED(vforkwrap_child)
KEEP static long vforkwrap_child(int code)
{
	volatile long pid;
	int status = 0;

	COUNT(vforkwrap_child);
	pid = vforkwrap_vfork();
	if (pid == 0) {
		vforkwrap_leaf(code);
		_exit(code);
	}
	waitpid((pid_t)pid, &status, 0);
	return WEXITSTATUS(status);
}

COUNTED(vforkwrap_down)
KEEP static void vforkwrap_down(int n)
{
	COUNT(vforkwrap_down);
	if (n)
		vforkwrap_down(n - 1);
	else
		vforkwrap_longjmp(vforkwrap_home, (int)vforkwrap_leaf(4));
	OPAQUE(n);
}

COUNTED(vforkwrap_jump)
KEEP static long vforkwrap_jump(int n)
{
	int r;

	COUNT(vforkwrap_jump);
	r = vforkwrap_setjmp(vforkwrap_home);
	if (!r)
		vforkwrap_down(n);
	return r;
}

FRAGMENT(vforkwrap)
{
	return vforkwrap_child((int)how % 100) + vforkwrap_jump((int)how % 80);
}
