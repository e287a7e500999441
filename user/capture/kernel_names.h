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
 * Fills in which of the names the kernel's BTF has, of whatever kind. Only its
 * strings are read: to parse all of it takes several times as long. <0:
 * there is no BTF.
 */
int gn_kernel_names(struct gn_kernel_name *names, size_t n);

#endif
