/* SPDX-License-Identifier: BSD-2-Clause */
/* Recursion deeper than 64 frames; left by returns or by a jump. */
#include <setjmp.h>

#include "../fragment.h"

static jmp_buf deep_home;

COUNTED(deep_down)
KEEP static long deep_down(long n, int jump)
{
	volatile char room[48];
	long r;

	COUNT(deep_down);
	room[0] = (char)n;
	if (!n) {
		if (jump)
			longjmp(deep_home, 7);
		return 1;
	}
	r = deep_down(n - 1, jump) + room[0];
	OPAQUE(r);
	return r;
}

COUNTED(deep_closed)
KEEP static long deep_closed(long n)
{
	long r;

	COUNT(deep_closed);
	r = n ? deep_closed(n - 1) + 1 : 0;
	OPAQUE(r);
	return r;
}

COUNTED(deep_catch)
KEEP static long deep_catch(long n)
{
	long r;

	COUNT(deep_catch);
	r = setjmp(deep_home);
	if (r)
		return r;
	return deep_down(n, 1);
}

FRAGMENT(deep)
{
	long n = 40 + how % 400, r = deep_down(n, 0) + deep_closed(n);

	return how & 1 ? r + deep_catch(n) + deep_catch(n / 3) : r;
}
