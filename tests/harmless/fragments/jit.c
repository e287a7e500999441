/* SPDX-License-Identifier: BSD-2-Clause */
/* Code made at run time that calls back, tail-jumps back, and is called from
 * functions that count. */
#include <string.h>
#include <sys/mman.h>

#include "../fragment.h"

static long (*volatile jit_call)(long n, long (*back)(long n));
static long (*volatile jit_jump)(long n, long (*back)(long n));

COUNTED(jit_back)
KEEP static long jit_back(long n)
{
	COUNT(jit_back);
	return n * 3;
}

COUNTED(jit_down)
KEEP static long jit_down(long n)
{
	long r;

	COUNT(jit_down);
	r = n & 1 ? jit_call(n, n > 1 ? jit_down : jit_back)
		  : jit_jump(n, jit_back);
	OPAQUE(r);
	return r;
}

FRAGMENT(jit)
{
	static const unsigned char call[] = {
		0x48, 0x83, 0xef, 0x02,	      /* sub rdi, 2 */
		0x48, 0x83, 0xec, 0x08,	      /* sub rsp, 8 */
		0xff, 0xd6,		      /* call rsi */
		0x48, 0x83, 0xc4, 0x08, 0xc3, /* add rsp, 8; ret */
	};
	static const unsigned char jump[] = {0xff, 0xe6}; /* jmp rsi */
	char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long r;

	memcpy(code, call, sizeof(call));
	memcpy(code + 64, jump, sizeof(jump));
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	*(void **)&jit_call = code;
	*(void **)&jit_jump = code + 64;
	r = jit_down(how % 40) + jit_down(how % 40 + 1);
	munmap(code, 4096);
	return r;
}
