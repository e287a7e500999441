/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies of methods in a module's precompiled code: the code of a method that
 * was inlined has no hooks. The compiler writes down which methods hold copies
 * of which (ReadyToRun images; readytorun.h and InliningInfoNode.cs of the
 * runtime, versions 5 to 10). The module is hostile.
 */
#ifndef GNOMON_CLR_R2R_H
#define GNOMON_CLR_R2R_H

#include "pe.h"

enum gn_r2r {
	GN_R2R_NONE, /* the module has no precompiled code */
	GN_R2R_TOLD,
	GN_R2R_UNTOLD, /* it can hold copies that are not told, of anything */
};

struct gn_r2r_copy {
	uint32_t module;	 /* that the method is of; 0: the holder's */
	uint32_t method, holder; /* rows of their modules' methods */
};

typedef void (*gn_r2r_fn)(void *ctx, const struct gn_r2r_copy *copy);

/* Calls `each` for all pairs. NULL: nobody asks for methods of this module; but
 * it can hold copies of others. Methods that the runtime marks NonVersionable
 * are never told: they can be copied into any module. */
enum gn_r2r gn_r2r_copies(const struct gn_pe *pe, gn_r2r_fn each, void *ctx);

/* Calls `each` for all copies that a component's table tells, of its own
 * methods and of others'. False: it is not one. */
bool gn_r2r_table(const struct gn_bytes *table, gn_r2r_fn each, void *ctx);

/* Whether the module has precompiled code of its own for the method of this
 * row, which is not generic; and whether entry points, a section, have one. */
bool gn_r2r_has(const struct gn_pe *pe, uint32_t row);
bool gn_r2r_enters(const struct gn_bytes *section, uint32_t row);

#endif
