/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reader of sums has to know, for formats whose functions have no
 * marks. */
#ifndef GNOMON_OUTPUT_CAVEATS_H
#define GNOMON_OUTPUT_CAVEATS_H

#include <stdbool.h>

#include "model/model.h"
#include "output/emit.h"

#define GN_CAVEATS_MAX 3

#define GN_CAVEAT 160

struct gn_caveats {
	char line[GN_CAVEATS_MAX][GN_CAVEAT]; /* sentences without an end */
	size_t n;
};

void gn_caveats_make(const struct gn_model *m, struct gn_caveats *c);

/* The one about calls that may be inlined. False: there are none. */
bool gn_caveat_inlined(const struct gn_model *m, char line[GN_CAVEAT]);

/* Emits all as the array "caveats". */
void gn_caveats_emit(const struct gn_model *m, struct gn_emit *e);

#endif
