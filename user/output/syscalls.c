// SPDX-License-Identifier: BSD-2-Clause
#include "output/syscalls.h"

#include <gnomon/syscalls.h>

const char *gn_syscall_text(uint32_t nr)
{
	switch (nr) {
#define GN_SYSCALL(number, name) \
	case number:             \
		return #name;
#include "syscalls.inc"
#undef GN_SYSCALL
	default:
		return gn_syscall_name(nr);
	}
}
