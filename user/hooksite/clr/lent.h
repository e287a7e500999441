/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables that gnomon lends the runtime while it begins. */
#ifndef GNOMON_CLR_LENT_H
#define GNOMON_CLR_LENT_H

#include "profiler.h"

/* If the runtime's variables are lent. `unknown`: what the runtime passes at
 * its start. */
void gn_clr_find_lender(struct gn_clr *clr, void *unknown);

/* Whether variables are lent. */
bool gn_clr_lends(const struct gn_clr *clr);

/* Gives the program the variables that it would have without gnomon. */
void gn_clr_give_back(struct gn_clr *clr);

#endif
