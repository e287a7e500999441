/* SPDX-License-Identifier: BSD-2-Clause */
/* Which program a runtime runs: the kernel's name is that of the runtime. */
#ifndef GNOMON_PROCESS_PROGRAM_H
#define GNOMON_PROCESS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* The first assembly among the `n` bytes of a command line, whose words end in
 * NULs, or the archive behind -jar: without directories. NULL: it has none. */
const char *gn_program_in(const char *words, size_t n);

/* The same of a living process. Empty: not known. */
void gn_program_of(uint32_t pid, char *out, size_t size);

#endif
