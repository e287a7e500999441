/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of system calls, for people. */
#ifndef GNOMON_OUTPUT_SYSCALLS_H
#define GNOMON_OUTPUT_SYSCALLS_H

#include <stdint.h>

/* The name of a system call: one of the system that gnomon was built on, or of
 * gnomon/syscalls.h. Static. NULL: not known. */
const char *gn_syscall_text(uint32_t nr);

#endif
