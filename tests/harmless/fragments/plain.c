/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that only compute: recursion, mutual recursion, loops. */
#include "../fragment.h"

COUNTED(plain_leaf)
KEEP unsigned long plain_leaf(unsigned long n)
{
	COUNT(plain_leaf);
	return n * 2654435761u + 1;
}

COUNTED(plain_fib)
KEEP unsigned long plain_fib(unsigned long n)
{
	unsigned long r;

	COUNT(plain_fib);
	r = n < 2 ? plain_leaf(n) & 7 : plain_fib(n - 1) + plain_fib(n - 2);
	OPAQUE(r);
	return r;
}

KEEP static unsigned long plain_odd(unsigned long n);

COUNTED(plain_even)
KEEP static unsigned long plain_even(unsigned long n)
{
	unsigned long r;

	COUNT(plain_even);
	r = n ? plain_odd(n - 1) + 1 : 0;
	OPAQUE(r);
	return r;
}

COUNTED(plain_odd)
KEEP static unsigned long plain_odd(unsigned long n)
{
	unsigned long r;

	COUNT(plain_odd);
	r = n ? plain_even(n - 1) + 2 : 1;
	OPAQUE(r);
	return r;
}

FRAGMENT(plain)
{
	return (long)(plain_fib(5 + how % 5) + plain_even(how % 40) +
		      plain_leaf(how));
}
