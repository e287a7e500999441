/* SPDX-License-Identifier: BSD-2-Clause */
/* Tail calls: direct, through a pointer, mutual, from a branch. */
#include "../fragment.h"

typedef long tail_fn(long n, long sum);

KEEP long tail_a(long n, long sum);
KEEP long tail_b(long n, long sum);

COUNTED(tail_end)
KEEP long tail_end(long n, long sum)
{
	COUNT(tail_end);
	return n + sum;
}

static tail_fn *volatile tail_table[] = {tail_a, tail_b, tail_end};

COUNTED(tail_a)
KEEP long tail_a(long n, long sum)
{
	COUNT(tail_a);
	if (n <= 0)
		return tail_end(n, sum);
	return tail_b(n - 1, sum + 1);
}

COUNTED(tail_b)
KEEP long tail_b(long n, long sum)
{
	COUNT(tail_b);
	return tail_table[n <= 0 ? 2 : n & 1](n - 1, sum + 3);
}

/* may become a loop */
COUNTED_LOOSE(tail_void)
KEEP void tail_void(long *n)
{
	COUNT(tail_void);
	if (--*n > 0)
		tail_void(n);
}

FRAGMENT(tail)
{
	long n = how % 30;

	tail_void(&n);
	return tail_a(how % 50, 0) + tail_b(how % 7, 1) + n;
}
