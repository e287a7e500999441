/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions whose arguments and results a session asks for. */
#ifndef GNOMON_CLR_VALUED_H
#define GNOMON_CLR_VALUED_H

#include "profiler.h"

/* Tells which values the function has, if any. Before it is called. */
void gn_valued_tell(struct gn_clr *clr, uint32_t index, gn_cor_id function,
		    const struct gn_name *name);

#endif
