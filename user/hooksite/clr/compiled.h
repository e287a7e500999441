/* SPDX-License-Identifier: BSD-2-Clause */
/* What was compiled before a session began. */
#ifndef GNOMON_HOOKSITE_CLR_COMPILED_H
#define GNOMON_HOOKSITE_CLR_COMPILED_H

#include "profiler.h"

/* Tells the name and the code of each function that the runtime has compiled so
 * far; of code that came with its module the runtime has no list. */
void gn_compiled_tell(struct gn_clr *clr);

#endif
