/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inlined copies of methods in a module's precompiled code. A copy has no
 * hooks. The compiler records for each method which methods hold copies of it
 * (ReadyToRun images; readytorun.h and InliningInfoNode.cs of the runtime,
 * versions 5 to 11). The module is untrusted.
 */
#ifndef GNOMON_CLR_R2R_H
#define GNOMON_CLR_R2R_H

#include "pe.h"

enum gn_r2r {
	GN_R2R_NONE, /* the module has no precompiled code */
	GN_R2R_TOLD,
	GN_R2R_UNTOLD, /* it can hold unlisted copies of any method */
};

struct gn_r2r_copy {
	uint32_t module;	 /* of the method; 0: the holder's module */
	uint32_t method, holder; /* rows in their modules' method tables */
};

typedef void (*gn_r2r_fn)(void *ctx, const struct gn_r2r_copy *copy);

/* Who asks for copies of which methods. */
struct gn_r2r_asker {
	/* The copies of other methods are not looked at. `module`: see
	 * gn_r2r_copy. */
	bool (*asks)(void *ctx, uint32_t module, uint32_t method);
	gn_r2r_fn each;
	void *ctx;
};

/* Calls `each` for all copies of methods that are asked for. `asker` may be
 * NULL if no method of this module is; the module can still hold copies of
 * others. Methods that the runtime marks NonVersionable are never listed: they
 * can be copied into any module. */
enum gn_r2r gn_r2r_copies(const struct gn_pe *pe,
			  const struct gn_r2r_asker *asker);

/* The same for a component's table, of the component's methods and of other
 * components'. False: the table is invalid. */
bool gn_r2r_table(const struct gn_bytes *table,
		  const struct gn_r2r_asker *asker);

/* Whether the module has precompiled code of its own for the non-generic method
 * in this row. gn_r2r_enters(): whether a section of entry points has an entry
 * for the row. */
bool gn_r2r_has(const struct gn_pe *pe, uint32_t row);
bool gn_r2r_enters(const struct gn_bytes *section, uint32_t row);

#endif
