/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's data about the machine and gnomon itself: sums since their
 * start. The live view shows differences. */
#ifndef GNOMON_TOP_MACHINE_H
#define GNOMON_TOP_MACHINE_H

#include "top/top.h"

/* Reads the sums up to now. 0, or -errno: /proc cannot be read (all is 0
 * then). */
int gn_machine_read(struct gn_top_machine *out);

/* Subtracts `before` from `now` in the sums; other fields do not change. */
void gn_machine_since(struct gn_top_machine *now,
		      const struct gn_top_machine *before);

/* gnomon's own CPU time so far, and its resident memory in bytes; 0: not
 * known. */
uint64_t gn_own_cpu_ns(void);
uint64_t gn_own_rss(void);

#endif
