/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the kernel's own account of threads with gnomon's. */
#ifndef GNOMON_OUTPUT_KERNEL_H
#define GNOMON_OUTPUT_KERNEL_H

#include "output/output.h"

/* The most threads that are reported one by one. */
#define GN_KERNEL_LINES 8

/* "thread 101 (worker): the kernel counted 1.020 s on a CPU and ..." The caller
 * frees it; NULL: no memory. */
char *gn_kernel_text(const struct gn_model_thread *t, bool ns);

/* Prints a line for each thread whose account differs from the kernel's: at
 * most GN_KERNEL_LINES, and one that counts the others. 0, -ENOMEM. */
int gn_kernel_print(const struct gn_model *m, const struct gn_output_opts *o,
		    FILE *f);

#endif
