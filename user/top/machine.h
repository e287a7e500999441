/* SPDX-License-Identifier: BSD-2-Clause */
/* What the kernel says of the machine and of gnomon itself: sums since their
 * start, of which the live view shows differences. */
#ifndef GNOMON_TOP_MACHINE_H
#define GNOMON_TOP_MACHINE_H

#include "top/top.h"

/* Sums up to now. 0, or -errno: /proc cannot be read (all is 0 then). */
int gn_machine_read(struct gn_top_machine *out);

/* `now` less `before`, for the sums; the other fields are those of `now`. */
void gn_machine_since(struct gn_top_machine *now,
		      const struct gn_top_machine *before);

/* gnomon's own CPU time so far, and its resident memory in bytes; 0: not
 * known. */
uint64_t gn_own_cpu_ns(void);
uint64_t gn_own_rss(void);

#endif
