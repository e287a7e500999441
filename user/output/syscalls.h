/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of system calls, for people. */
#ifndef GNOMON_OUTPUT_SYSCALLS_H
#define GNOMON_OUTPUT_SYSCALLS_H

#include <stdint.h>

/* The name of the system call of that number: every one that the system it was
 * built on knew, and those that gnomon/syscalls.h lists. Static. NULL: none. */
const char *gn_syscall_text(uint32_t nr);

#endif
