/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The longest pause of a collection: of the stretches in which a runtime holds
 * all its threads, for a collection above all; of the collections themselves
 * where a runtime tells of no such stretches. What probes cost is in it.
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

/* `p` stays where it is until gn_pauses_free(). */
void gn_pauses_init(struct gn_pauses *p);
void gn_pauses_free(struct gn_pauses *p);

/* ns, 0 = there was none. */
uint64_t gn_pauses_longest(const struct gn_pauses *p);

#endif
