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
