/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by functions.c and functions_values.c. */
#ifndef GNOMON_CAPTURE_FUNCTIONS_PARTS_H
#define GNOMON_CAPTURE_FUNCTIONS_PARTS_H

#include "capture/functions.h"

/* The kernel replaces such a probe with a call. */
#define GN_NOP5                                                                \
	"a probe on a five-byte nop overwrites data below the stack, and can " \
	"crash a forked child"

/*
 * Sets `out` to the specs of the values that -a asks for of a function, and
 * moves the enter of its plan to where they can be read. 1; 0: there are none,
 * or they cannot be read, which is reported; or -errno.
 */
int gn_functions_values(struct gn_functions *f, size_t file, struct gn_elf *elf,
			const struct gn_elf_symbol *sym, struct gn_plan *plan,
			struct gn_valued *out);

#endif
