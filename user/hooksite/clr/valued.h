/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions whose arguments and results a session asks for. */
#ifndef GNOMON_CLR_VALUED_H
#define GNOMON_CLR_VALUED_H

#include "il.h"
#include "profiler.h"

/* Reports which values of the function are requested, if any. Call before the
 * function is called. */
void gn_valued_tell(struct gn_clr *clr, uint32_t index, gn_cor_id function,
		    const struct gn_name *name);

/* The same for a method with this signature that gets hooks in its IL. Also
 * sets up which values the hooks receive. `emit`: IMetaDataEmit of its module.
 * The caller holds the lock of gn_rejit. */
struct gn_valued_method {
	const struct gn_md *md;
	gn_token token;
	struct gn_bytes sig; /* that its IL has */
	/* of a method that the runtime itself suspends; else NULL */
	const struct gn_il_awaits *awaits;
	void *emit;
};
void gn_valued_il(struct gn_clr *clr, const struct gn_valued_method *method,
		  struct gn_il_hooks *hooks);

#endif
