// SPDX-License-Identifier: BSD-2-Clause
/* Programs with features that make return probes unsafe. They are only read. */
#include <stddef.h>

#ifdef __clang__
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noinline, noclone, used))
#endif

KEEP int add(int a, int b)
{
	return a + b * 3;
}

#ifdef GN_CONTEXT
#include <ucontext.h>
static ucontext_t here, there;
static void use(void)
{
	swapcontext(&here, &there);
}
#elif defined(GN_DLOPEN)
#include <dlfcn.h>
static void use(void)
{
	dlopen("libz.so.1", RTLD_NOW);
}
#elif defined(GN_ALTSTACK)
#include <signal.h>
static void use(void)
{
	stack_t stack = {.ss_flags = SS_DISABLE};

	sigaltstack(&stack, NULL);
}
#elif defined(GN_ACTION)
#include <signal.h>
static void use(void)
{
	signal(SIGUSR1, (void (*)(int))use);
}
#elif defined(GN_SYSCALL)
static void use(void)
{
	long n = 39; /* getpid */

	__asm__ volatile("syscall" : "+a"(n) : : "rcx", "r11", "memory");
}
#elif defined(GN_AOT)
#include <signal.h>
static void use(void)
{
	signal(SIGUSR1, (void (*)(int))use);
}

/* as NativeAOT does it: a handler behind the function, under its symbol */
__asm__(".section __managedcode, \"ax\", @progbits\n"
	".type with_handler, @function\n"
	"with_handler:\n"
	".cfi_startproc\n"
	"push %rbx\n" /* +0 */
	"call add\n"  /* +1 */
	"pop %rbx\n"  /* +6 */
	"ret\n"	      /* +7 */
	".cfi_endproc\n"
	".cfi_startproc\n"
	"push %rax\n" /* +8 */
	"pop %rax\n"  /* +9 */
	"ret\n"	      /* +10 */
	".cfi_endproc\n"
	".size with_handler, . - with_handler\n"
	/* data that looks like code, and that nothing leads to: a jump to the
	 * epilogue, and returns; handlers may be hidden, so who can tell */
	".type constants, @function\n"
	"constants:\n"
	"push %rbx\n"
	"mov 9f(%rip), %eax\n"
	"jmp 1f\n"
	"9: .byte 0x75, 0x02, 0xc3, 0xc3\n"
	"1: pop %rbx\n"
	"ret\n"
	".size constants, . - constants\n"
	".text\n");
#elif defined(GN_ALLOCA)
#include <alloca.h>
#include <string.h>
static size_t use(void)
{
	static volatile size_t n = 9;
	char *p = alloca(n + 1);

	memset(p, 'y', n);
	p[n] = '\0';
	return strlen(p);
}
#elif defined(GN_ASM)
/* no import reveals this */
__asm__(".text\n"
	".type hop, @function\n"
	"hop: push %rbx\n"
	"mov %rsp, (%rdi)\n"
	"mov %rsi, %rsp\n"
	"pop %rbx\n"
	"ret\n"
	".size hop, . - hop\n");
extern void hop(void **, void *);
static void use(void)
{
	void *sp = NULL;

	hop(&sp, sp);
}
#endif

int main(int argc, char **argv)
{
	(void)argv;
	use();
	return add(argc, 1);
}
