// SPDX-License-Identifier: BSD-2-Clause
/* A plain program for the planner's tests. It is only read, never run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
#define KEEP __attribute__((noinline, used))
#else
#define KEEP __attribute__((noinline, noclone, used))
#endif

KEEP int add(int a, int b)
{
	return a + b * 3;
}

KEEP int calls_add(int a)
{
	return add(a, 1) + add(a, 2);
}

KEEP int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

KEEP int through_pointer(int (*f)(int, int), int a)
{
	return f(a, a) + 1;
}

KEEP int tail(int a)
{
	return add(a * 7, 5);
}

KEEP int tail_pointer(int (*f)(int, int), int a)
{
	return f(a, a);
}

KEEP size_t lengths(size_t n)
{
	size_t sum = 0;

	for (size_t i = 1; i < n && i < 64; i++) {
		char text[64];

		memset(text, 'x', i - 1);
		text[i - 1] = '\0';
		sum += strlen(text);
	}
	return sum;
}

KEEP size_t aligned(size_t n)
{
	char text[256] __attribute__((aligned(64)));

	memset(text, 'z', sizeof(text));
	text[n % 255] = '\0';
	return strlen(text);
}

KEEP int chosen(int n, int a)
{
	switch (n) {
	case 0:
		return add(a, 3) * 2;
	case 1:
		return calls_add(a);
	case 2:
		return fib(a) + 1;
	case 3:
		return (int)lengths((size_t)a);
	case 4:
		return add(a, 9) - 5;
	case 5:
		return a * a;
	default:
		return -1;
	}
}

__attribute__((cold)) KEEP void unlikely(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

KEEP int mostly(int a)
{
	if (__builtin_expect(a == 12345, 0)) {
		fprintf(stderr, "rare\n");
		unlikely("very rare");
	}
	return add(a, a);
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("%d\n", add(argc, 1) + calls_add(argc) + fib(argc) +
			       through_pointer(add, argc) + tail(argc) +
			       tail_pointer(add, argc) + mostly(argc) +
			       chosen(argc, argc) + (int)lengths(9) +
			       (int)aligned(9));
	return 0;
}
