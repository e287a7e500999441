/* SPDX-License-Identifier: BSD-2-Clause */
/* Coroutines whose switch is code made at run time, in anonymous memory or in
 * a memfd. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define NAME(x)		swjit_##x
#define COUNTED_NAME(x) COUNTED(swjit_##x)
#define COUNT_NAME(x)	COUNT(swjit_##x)
#define SWITCH		swjit_switch

static void (*volatile swjit_switch)(void **save, void *to);

#include "switch.h"

static const unsigned char swjit_code[] = {
	0xf3, 0x0f, 0x1e, 0xfa,		    /* endbr64 */
	0x55, 0x53, 0x41, 0x54,		    /* push rbp, rbx, r12 */
	0x41, 0x55, 0x41, 0x56, 0x41, 0x57, /* push r13, r14, r15 */
	0x48, 0x89, 0x27,		    /* mov [rdi], rsp */
	0x48, 0x89, 0xf4,		    /* mov rsp, rsi */
	0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, /* pop r15, r14, r13 */
	0x41, 0x5c, 0x5b, 0x5d, 0xc3,	    /* pop r12, rbx, rbp; ret */
};

FRAGMENT(swjit)
{
	int fd = how & 1 ? memfd_create("code", 0) : -1;
	void *code;
	long r;

	if (fd >= 0 &&
	    write(fd, swjit_code, sizeof(swjit_code)) != sizeof(swjit_code))
		return -1;
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    fd >= 0 ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (code == MAP_FAILED)
		return -2;
	if (fd < 0)
		memcpy(code, swjit_code, sizeof(swjit_code));
	*(void **)&swjit_switch = code;
	r = swjit_all(how);
	munmap(code, 4096);
	if (fd >= 0)
		close(fd);
	return r;
}
