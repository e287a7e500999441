// SPDX-License-Identifier: BSD-2-Clause
#include "compiled.h"

#include "names.h"
#include "tell.h"

/* COR_PRF_FUNCTION */
struct compiled {
	gn_cor_id function;
	uint64_t version; /* 0: its own IL */
};

typedef gn_hr (*enum_compiled_fn)(void *, void **);
typedef gn_hr (*next_compiled_fn)(void *, uint32_t, struct compiled *,
				  uint32_t *);

void gn_compiled_tell(struct gn_clr *clr)
{
	struct compiled some[64];
	void *all = NULL;
	uint32_t n;

	if (!gn_unloads_hold_gone(&clr->unloads) ||
	    GN_COM(clr->info, GN_INFO_ENUM_COMPILED,
		   enum_compiled_fn)(clr->info, &all) < 0)
		all = NULL;
	while (all &&
	       GN_COM(all, GN_ENUM_NEXT, next_compiled_fn)(all, 64, some, &n) >=
		       0 &&
	       n)
		for (uint32_t i = 0; i < n; i++)
			gn_tell_code(clr,
				     gn_tell_function(clr, some[i].function),
				     some[i].function, some[i].version);
	gn_names_release(all);
	gn_unloads_release(&clr->unloads);
}
