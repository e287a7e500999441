/* SPDX-License-Identifier: BSD-2-Clause */
/* Faults that a handler mends: by making the page there, by a jump, by setting
 * rip past the instruction, by a call that it puts on the stack (as Go and
 * managed runtimes do). Traps of the program's own.
 * HARMLESS: flags=-mno-red-zone */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../fragment.h"

static sigjmp_buf faults_home;
static char *faults_page;
static volatile int faults_way, faults_n, faults_inside;
static volatile long faults_injected;

long faults_first(volatile long *p);
extern char faults_first_end[];
/* its first instruction faults, and it has no frame */
__asm__(".pushsection .text\n"
	".hidden faults_first\n.globl faults_first\n"
	".type faults_first, @function\n"
	"faults_first:\n"
	"	movq (%rdi), %rax\n	add $1, %rax\n	ret\n"
	".size faults_first, . - faults_first\n"
	".hidden faults_first_end\n.globl faults_first_end\n"
	"faults_first_end:\n"
	".hidden faults_trap\n.globl faults_trap\n"
	".type faults_trap, @function\n"
	"faults_trap:\n"
	"	mov %rdi, %rax\n	int3\n	add $5, %rax\n	ret\n"
	".size faults_trap, . - faults_trap\n"
	".hidden faults_illegal\n.globl faults_illegal\n"
	".type faults_illegal, @function\n"
	"faults_illegal:\n"
	"	ud2\n	lea 7(%rdi), %rax\n	ret\n"
	".size faults_illegal, . - faults_illegal\n"
	".popsection\n");
long faults_trap(long n);
long faults_illegal(long n);

COUNTED(faults_mend)
KEEP static void faults_mend(void)
{
	COUNT(faults_mend);
	mprotect(faults_page, 4096, PROT_READ | PROT_WRITE);
	*(volatile long *)faults_page = 30;
}

static void faults_handler(int signal, siginfo_t *info, void *at)
{
	greg_t *regs = ((ucontext_t *)at)->uc_mcontext.gregs;
	char *rip = (char *)regs[REG_RIP];

	(void)info;
	faults_n = faults_n + 1;
	faults_inside = faults_inside +
			(rip >= (char *)faults_first && rip < faults_first_end);
	if (signal == SIGTRAP)
		return;
	if (signal == SIGILL) {
		regs[REG_RIP] += 2;
		return;
	}
	if (faults_way == 1)
		siglongjmp(faults_home, 1);
	if (faults_way == 2) {
		regs[REG_RIP] += 3; /* of faults_first() only */
		regs[REG_RAX] = 50;
		return;
	}
	faults_mend();
}

COUNTED(faults_read)
KEEP static long faults_read(int left)
{
	long r;

	COUNT(faults_read);
	r = left ? faults_read(left - 1)
		 : faults_first((volatile long *)faults_page);
	OPAQUE(r);
	return r + 1;
}

COUNTED(faults_one)
KEEP static long faults_one(int way, int depth)
{
	COUNT(faults_one);
	faults_way = way;
	mprotect(faults_page, 4096, PROT_NONE);
	if (sigsetjmp(faults_home, 1))
		return 100;
	return faults_read(depth);
}

COUNTED(faults_injected_call)
KEEP __attribute__((used)) static void faults_injected_call(void)
{
	COUNT(faults_injected_call);
	faults_injected = faults_injected + 1;
}

/* keeps all registers, as an interrupted function needs it */
void faults_trampoline(void);
__asm__(".pushsection .text\n"
	".hidden faults_trampoline\n.globl faults_trampoline\n"
	".type faults_trampoline, @function\n"
	"faults_trampoline:\n"
	"	pushfq\n	push %rax\n	push %rcx\n	push %rdx\n"
	"	push %rsi\n	push %rdi\n	push %r8\n	push %r9\n"
	"	push %r10\n	push %r11\n	push %rbp\n"
	"	mov %rsp, %rbp\n	and $-16, %rsp\n	sub $512, "
	"%rsp\n"
	"	fxsave (%rsp)\n"
	"	call faults_injected_call\n"
	"	fxrstor (%rsp)\n"
	"	mov %rbp, %rsp\n	pop %rbp\n"
	"	pop %r11\n	pop %r10\n	pop %r9\n	pop %r8\n"
	"	pop %rdi\n	pop %rsi\n	pop %rdx\n	pop %rcx\n"
	"	pop %rax\n	popfq\n	ret $128\n"
	".size faults_trampoline, . - faults_trampoline\n"
	".popsection\n");

static void faults_inject(int signal, siginfo_t *info, void *at)
{
	greg_t *regs = ((ucontext_t *)at)->uc_mcontext.gregs;

	(void)signal, (void)info;
	regs[REG_RSP] -= 128 + 8; /* the interrupted function's red zone */
	*(greg_t *)regs[REG_RSP] = regs[REG_RIP];
	regs[REG_RIP] = (greg_t)faults_trampoline;
}

COUNTED(faults_preempted)
KEEP static long faults_preempted(long n)
{
	volatile long i;

	COUNT(faults_preempted);
	n += faults_injected;
	raise(SIGUSR1);
	for (i = 0; !faults_injected; i = i + 1)
		;
	return n + faults_injected;
}

FRAGMENT(faults)
{
	static const int signals[] = {SIGSEGV, SIGTRAP, SIGILL, SIGUSR1};
	struct sigaction action, was[4];
	long sum = 0;
	int i;

	faults_page =
		mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(&action, 0, sizeof(action));
	action.sa_flags = SA_SIGINFO;
	for (i = 0; i < 4; i++) {
		action.sa_sigaction = i < 3 ? faults_handler : faults_inject;
		sigaction(signals[i], &action, &was[i]);
	}
	faults_n = faults_inside = 0;
	faults_injected = 0;
	for (i = 0; i < 6; i++)
		sum += faults_one(i % 3, (int)how % 70);
	if (how & 1)
		sum += faults_trap(3) + faults_illegal(4);
	if (how & 2)
		sum += faults_preempted(5);
	for (i = 0; i < 4; i++)
		sigaction(signals[i], &was[i], NULL);
	munmap(faults_page, 4096);
	return sum * 10000 + faults_n * 100 + faults_inside;
}
