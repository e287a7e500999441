/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which precompiled code may run. It has no hooks. So the code of
 * methods that a filter asks for is refused, and that of methods that hold
 * copies of them (r2r.h). All other code is kept.
 */
#ifndef GNOMON_CLR_PRECOMPILED_H
#define GNOMON_CLR_PRECOMPILED_H

#include "composite.h"
#include "copies.h"
#include "filter.h"
#include "methods.h"

/* A module whose code is in a composite image, with the copies that it holds of
 * methods of modules that came after it or are not loaded yet. */
struct gn_precompiled_part {
	const struct gn_composite *composite;
	uint32_t component;
	bool core; /* this is the core library */
	struct gn_copies later;
};

/* All zeros keeps no code until modules are loaded. */
struct gn_precompiled {
	_Atomic bool off;  /* no precompiled code may run */
	_Atomic bool full; /* `asked` has no room for all */
	/* A method that can have copies in any module turns all precompiled
	 * code off if the filter asks for it. With `lenient`, this needs more
	 * than a wildcard: then some calls are not seen, which is reported. */
	bool lenient;
	/* the filter's; without any, no module is looked at */
	struct gn_filter_lines lines;
	_Atomic uint32_t kept; /* methods kept outside the core library */
	struct gn_modules modules;
	/* by place - 1: all copies in the module's code are known; the filter
	 * can ask for some method of it */
	_Atomic bool told[GN_MODULES_MAX], found[GN_MODULES_MAX];
	_Atomic uint32_t rows[GN_MODULES_MAX]; /* methods in its file */
	/* NULL: its code is in its own file, or is not kept */
	struct gn_precompiled_part *_Atomic part[GN_MODULES_MAX];
	struct gn_composites composites;
	struct gn_method_set asked;   /* what the filter can ask for */
	struct gn_method_set holders; /* of copies of those */
	struct gn_method_set refused; /* whose code was refused */
};

/* A module was loaded, and none of its code has run yet. Returns the number of
 * methods that were kept, if this module shows that they can hold copies of its
 * methods: some may have run already. Otherwise 0. */
uint32_t gn_precompiled_load(struct gn_precompiled *p, struct gn_images *images,
			     gn_cor_id module);
void gn_precompiled_unload(struct gn_precompiled *p, gn_cor_id module);

/* Whether the precompiled code of a loaded module is refused because it can
 * hold copies that are not listed. */
bool gn_precompiled_untold(const struct gn_precompiled *p, gn_cor_id module);

/* Whether the filter can ask for some method of a loaded module. True also if
 * this is not known. */
bool gn_precompiled_found(const struct gn_precompiled *p, gn_cor_id module);

/* The place of a module for which all that the filter can ask for is known, or
 * 0; and whether the filter can ask for the method in this row. */
uint32_t gn_precompiled_place(const struct gn_precompiled *p, gn_cor_id module);
bool gn_precompiled_asks(const struct gn_precompiled *p, uint32_t place,
			 uint32_t row);

/* Whether the filter can ask for this function, with these or other type
 * arguments. */
bool gn_precompiled_asked(const struct gn_precompiled *p, void *info,
			  gn_cor_id function);

/* Whether the function's precompiled code may run. */
bool gn_precompiled_keeps(struct gn_precompiled *p, void *info,
			  gn_cor_id function);
/* Whether a module has precompiled code for the non-generic method in this
 * row. */
bool gn_precompiled_has(const struct gn_precompiled *p, uint32_t place,
			const struct gn_image *image, uint32_t row);

/* Notes that a method's precompiled code does not run. True the first time. 0,
 * a method of a module that was not scanned, always counts as new. */
bool gn_precompiled_refuse(struct gn_precompiled *p, uint64_t method);

#endif
