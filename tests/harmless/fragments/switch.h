/* SPDX-License-Identifier: BSD-2-Clause */
/* The body of coroutines over somebody's switch of stacks:
 *   void SWITCH(void **save, void *to)
 * stores the stack pointer that it had and goes on at another one, keeping
 * rbx, rbp, r12 to r15. */
#include <string.h>
#include <sys/mman.h>

#include "../fragment.h"

#define SWITCH_STACK (64 * 1024)
#define SWITCH_MAX   3

static void *NAME(home), *NAME(at)[SWITCH_MAX];
static int NAME(done)[SWITCH_MAX], NAME(now);
static long NAME(sum);
static unsigned int NAME(how);

COUNTED_NAME(leaf)
KEEP static long NAME(leaf)(long n)
{
	COUNT_NAME(leaf);
	return n + 3;
}

COUNTED_NAME(yield)
KEEP static void NAME(yield)(int i)
{
	COUNT_NAME(yield);
	SWITCH(&NAME(at)[i], NAME(home));
	NAME(sum) += NAME(leaf)(i);
}

COUNTED_NAME(down)
KEEP static long NAME(down)(int i, int left)
{
	long r;

	COUNT_NAME(down);
	NAME(yield)(i);
	r = left ? NAME(down)(i, left - 1) + 1 : NAME(leaf)(i);
	OPAQUE(r);
	return r;
}

KEEP static void NAME(body)(void)
{
	int i = NAME(now);

	NAME(sum) += NAME(down)(i, 2 + (int)NAME(how) % 5);
	NAME(done)[i] = 1;
	for (;;)
		SWITCH(&NAME(at)[i], NAME(home));
}

COUNTED_NAME(resume)
KEEP static void NAME(resume)(int i, int depth)
{
	COUNT_NAME(resume);
	NAME(now) = i;
	if (depth)
		NAME(resume)(i, depth - 1);
	else
		SWITCH(&NAME(home), NAME(at)[i]);
	OPAQUE(depth);
}

static long NAME(all)(unsigned int how)
{
	size_t size = SWITCH_STACK * SWITCH_MAX;
	char *room = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i, alive = SWITCH_MAX, turn = 0;

	NAME(sum) = 0;
	NAME(how) = how;
	for (i = 0; i < SWITCH_MAX; i++) {
		/* stacks side by side, or in mappings of their own */
		if (how & 1)
			mprotect(room + SWITCH_STACK * i, 4096, PROT_NONE);
		void **top = (void **)(room + SWITCH_STACK * (i + 1)) - 8;

		/* what a switch pops: six registers and a return address */
		memset(top - 6, 0, 6 * sizeof(*top));
		top[0] = (void *)NAME(body);
		top[1] = NULL;
		NAME(at)[i] = top - 6;
		NAME(done)[i] = 0;
	}
	while (alive) {
		for (alive = 0, i = 0; i < SWITCH_MAX; i++) {
			if (NAME(done)[i])
				continue;
			NAME(resume)(i, turn++ % 3);
			alive += !NAME(done)[i];
		}
	}
	munmap(room, size);
	return NAME(sum);
}
