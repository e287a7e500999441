/* SPDX-License-Identifier: BSD-2-Clause */
/* setjmp in all its kinds, wrapped too, over frames that compute only. */
#include <setjmp.h>

#include "../fragment.h"

static jmp_buf jmp_home;
static sigjmp_buf jmp_sighome;
static void *jmp_builtin[5];

COUNTED(jmp_leaf)
KEEP static long jmp_leaf(long n)
{
	COUNT(jmp_leaf);
	return n * 3;
}

COUNTED(jmp_throw)
KEEP static long jmp_throw(long n, int kind)
{
	COUNT(jmp_throw);
	n = jmp_leaf(n);
	if (kind == 0)
		longjmp(jmp_home, (int)n);
	if (kind == 1)
		siglongjmp(jmp_sighome, (int)n);
	if (kind == 2)
		_longjmp(jmp_home, (int)n);
	return n;
}

COUNTED(jmp_middle)
KEEP static long jmp_middle(long n, int kind)
{
	long r;

	COUNT(jmp_middle);
	r = n > 3 ? jmp_middle(n - 1, kind) : jmp_throw(n, kind);
	OPAQUE(r);
	return r;
}

COUNTED(jmp_catch)
KEEP static long jmp_catch(long n, int kind)
{
	volatile long kept = n;
	int r;

	COUNT(jmp_catch);
	r = kind == 0	? setjmp(jmp_home)
	    : kind == 1 ? sigsetjmp(jmp_sighome, 1)
			: _setjmp(jmp_home);
	if (r == 0)
		jmp_middle(n, kind);
	else if (r < 200)
		_longjmp(kind == 1 ? jmp_sighome : jmp_home, 200 + r);
	return r + kept;
}

COUNTED(jmp_built)
KEEP static void jmp_built(void)
{
	COUNT(jmp_built);
	__builtin_longjmp(jmp_builtin, 1);
}

COUNTED(jmp_builtins)
KEEP static long jmp_builtins(long n)
{
	volatile long times = 0;

	COUNT(jmp_builtins);
	if (__builtin_setjmp(jmp_builtin))
		times = times + 1;
	if (times < n)
		jmp_built();
	return times;
}

FRAGMENT(jmp)
{
	long sum = 0;
	int i;

	for (i = 0; i < 4; i++)
		sum += jmp_catch(4 + (how + (unsigned int)i) % 20, i % 3);
	return how & 4 ? sum + jmp_builtins(how % 5) : sum;
}
