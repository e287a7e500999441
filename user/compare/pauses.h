/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest pause for a collection: the longest stretch in which a runtime
 * suspends all its threads, mostly for a collection; the longest collection if
 * a runtime reports no suspensions. It includes probe cost.
 */
#ifndef GNOMON_COMPARE_PAUSES_H
#define GNOMON_COMPARE_PAUSES_H

#include "model/observer.h"

struct gn_pause {
	uint32_t depth[GN_DOES_COUNT];
	uint64_t start[GN_DOES_COUNT]; /* of the outermost */
};

struct gn_pauses {
	struct gn_observer observer; /* for the pipeline */
	struct gn_pause *threads;
	uint32_t n, cap;
	uint64_t longest[GN_DOES_COUNT];
};

/* Do not move `p` until gn_pauses_free(). */
void gn_pauses_init(struct gn_pauses *p);
void gn_pauses_free(struct gn_pauses *p);

/* In ns; 0 = none. */
uint64_t gn_pauses_longest(const struct gn_pauses *p);

#endif
