/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that were compiled before a session began. */
#ifndef GNOMON_HOOKSITE_CLR_COMPILED_H
#define GNOMON_HOOKSITE_CLR_COMPILED_H

#include "profiler.h"

/* Reports the name and the code of each function that the runtime has compiled
 * so far. The runtime has no list of precompiled code. */
void gn_compiled_tell(struct gn_clr *clr);

#endif
