/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In the program and in each library of fragments: where the calls of the
 * module's own functions are counted. COUNTS is the module's name for it.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fragment.h"

extern struct counter *__start_counters[]
	__attribute__((weak, visibility("hidden")));
extern struct counter *__stop_counters[]
	__attribute__((weak, visibility("hidden")));

/* Shared with children, so that their calls count too. */
static __attribute__((constructor(101))) void counters_begin(void)
{
	size_t n = (size_t)(__stop_counters - __start_counters), i;
	unsigned long *arena;

	if (!n)
		return;
	arena = mmap(NULL, n * sizeof(*arena), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		_exit(99);
	for (i = 0; i < n; i++)
		__start_counters[i]->calls = &arena[i];
}

void COUNTS(void);
void COUNTS(void)
{
	struct counter **c;
	char line[256];
	int n;

	for (c = __start_counters; c < __stop_counters; c++) {
		if ((*c)->loose)
			continue;
		/* a library that was not unloaded tells them again */
		n = snprintf(
			line, sizeof(line), "calls %s %lu\n", (*c)->name,
			__atomic_exchange_n((*c)->calls, 0, __ATOMIC_RELAXED));
		if (write(STDOUT_FILENO, line, (size_t)n) != n)
			_exit(98);
	}
}
