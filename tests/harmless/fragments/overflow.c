/* SPDX-License-Identifier: BSD-2-Clause */
/* A thread's stack overflows; the handler, on its own stack, jumps out.
 * HARMLESS: libs=-pthread */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "../fragment.h"

static sigjmp_buf overflow_home;
static volatile int overflow_n;

static void overflow_handler(int signal)
{
	(void)signal;
	overflow_n = overflow_n + 1;
	siglongjmp(overflow_home, 1);
}

COUNTED_LOOSE(overflow_down)
KEEP static long overflow_down(volatile char *above)
{
	volatile char room[1024];
	long r;

	COUNT(overflow_down);
	room[0] = above[0];
	r = overflow_down(room) + room[0];
	OPAQUE(r);
	return r;
}

static void *overflow_body(void *arg)
{
	static char room[64 * 1024];
	volatile char top = 1;
	stack_t stack;
	volatile int i;

	memset(&stack, 0, sizeof(stack));
	stack.ss_sp = room;
	stack.ss_size = sizeof(room);
	sigaltstack(&stack, NULL);
	for (i = 0; i < 3; i = i + 1)
		if (!sigsetjmp(overflow_home, 1))
			overflow_down(&top);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	return arg;
}

FRAGMENT(overflow)
{
	struct sigaction action, was;
	pthread_attr_t attr;
	pthread_t thread;

	memset(&action, 0, sizeof(action));
	action.sa_handler = overflow_handler;
	action.sa_flags = SA_ONSTACK;
	sigaction(SIGSEGV, &action, &was);
	overflow_n = 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 * 1024 + how % 4 * 16384);
	pthread_create(&thread, &attr, overflow_body, NULL);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	sigaction(SIGSEGV, &was, NULL);
	return overflow_n;
}
