/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines by swapcontext(): on stacks of their own or side by side, ended by
 * uc_link, resumed from different depths. */
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../fragment.h"

#define CONTEXT_STACK (64 * 1024)
#define CONTEXT_MAX   5

static ucontext_t context_home, context_of[CONTEXT_MAX];
static int context_done[CONTEXT_MAX];
static long context_sum;

COUNTED(context_leaf)
KEEP static long context_leaf(long n)
{
	COUNT(context_leaf);
	return n * 7 & 0xff;
}

COUNTED(context_yield)
KEEP static void context_yield(int i)
{
	COUNT(context_yield);
	swapcontext(&context_of[i], &context_home);
	context_sum += context_leaf(i);
}

COUNTED(context_down)
KEEP static void context_down(int i, int left)
{
	COUNT(context_down);
	if (left) {
		context_down(i, left - 1);
		context_sum += context_leaf(left);
	}
	context_yield(i);
	OPAQUE(left);
}

COUNTED(context_body)
KEEP static void context_body(int i, int rounds)
{
	int n;

	COUNT(context_body);
	for (n = 0; n < rounds; n++)
		context_down(i, n % 4);
	context_done[i] = 1;
}

COUNTED(context_resume)
KEEP static void context_resume(int i, int depth)
{
	COUNT(context_resume);
	if (depth)
		context_resume(i, depth - 1);
	else
		swapcontext(&context_home, &context_of[i]);
	OPAQUE(depth);
}

FRAGMENT(context)
{
	int n = 1 + (int)(how % CONTEXT_MAX), i, alive = n, turn = 0;
	size_t gap = how & 8 ? 4096 : 0;
	size_t size = (size_t)n * (CONTEXT_STACK + gap);
	char *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	context_sum = 0;
	for (i = 0; i < n; i++) {
		char *stack = room + (size_t)i * (CONTEXT_STACK + gap);

		if (gap)
			mprotect(stack, gap, PROT_NONE);
		getcontext(&context_of[i]);
		context_of[i].uc_stack.ss_sp = stack + gap;
		context_of[i].uc_stack.ss_size = CONTEXT_STACK;
		context_of[i].uc_link = &context_home;
		context_done[i] = 0;
		makecontext(&context_of[i], (void (*)(void))context_body, 2, i,
			    3 + (int)(how % 6));
	}
	while (alive) {
		for (alive = 0, i = 0; i < n; i++) {
			if (context_done[i])
				continue;
			context_resume(i, turn++ % 3);
			alive += !context_done[i];
		}
	}
	munmap(room, size);
	return context_sum;
}
