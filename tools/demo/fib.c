// SPDX-License-Identifier: BSD-2-Clause
/*
 * A native program to trace: Fibonacci numbers by plain recursion, and one
 * sleep. So a report shows a function that is busy on the CPU beside one that
 * waits. It counts its own calls, so the report can be checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long calls;

__attribute__((noinline)) unsigned long fib(unsigned int n)
{
	calls++;
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) void nap(void)
{
	struct timespec t = {.tv_nsec = 50 * 1000 * 1000};

	nanosleep(&t, NULL);
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;

	if (n > 40) {
		fprintf(stderr, "usage: fib [N], N at most 40\n");
		return 2;
	}
	printf("fib(%lu) = %lu\n", n, fib((unsigned int)n));
	nap();
	printf("calls of fib: %lu\n", calls);
	return 0;
}
