/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reader of sums has to know, for formats whose functions have no
 * marks. */
#ifndef GNOMON_OUTPUT_CAVEATS_H
#define GNOMON_OUTPUT_CAVEATS_H

#include "model/model.h"

#define GN_CAVEATS_MAX 3

struct gn_caveats {
	char line[GN_CAVEATS_MAX][160]; /* sentences without an end */
	size_t n;
};

void gn_caveats_make(const struct gn_model *m, struct gn_caveats *c);

#endif
