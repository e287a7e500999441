/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the running kernel's functions and types. */
#ifndef GNOMON_CAPTURE_KERNEL_NAMES_H
#define GNOMON_CAPTURE_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct gn_kernel_name {
	const char *name;
	bool known;
};

/*
 * Finds which of the names are in the kernel's BTF, of any kind. Reads only its
 * strings: to parse all of it takes several times as long. <0: there is no BTF.
 */
int gn_kernel_names(struct gn_kernel_name *names, size_t n);

#endif
