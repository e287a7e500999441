/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own account of threads against gnomon's. */
#ifndef GNOMON_OUTPUT_SCHED_H
#define GNOMON_OUTPUT_SCHED_H

#include "output/output.h"

/* Threads that are told one by one. */
#define GN_SCHED_LINES 8

enum gn_sched {
	GN_SCHED_UNKNOWN = 0, /* the kernel's was not read */
	GN_SCHED_SAME,
	GN_SCHED_SPLIT, /* only the split between CPU and run queue differs */
	GN_SCHED_DIFFERENT, /* by more than 1 % and 1 ms: an error */
};

enum gn_sched gn_sched_verdict(const struct gn_model_thread *t);

/* "thread 101 (worker): on a CPU 1.020 s by the kernel, ..." Freed by the
 * caller; NULL when there is no memory. */
char *gn_sched_text(const struct gn_model_thread *t, bool ns);

/* Lines "# <label> TEXT" of the threads of a verdict, at most GN_SCHED_LINES
 * and one of how many more there are. 0, -ENOMEM. */
int gn_sched_print(const struct gn_model *m, const struct gn_output_opts *o,
		   enum gn_sched verdict, const char *label, FILE *f);

#endif
