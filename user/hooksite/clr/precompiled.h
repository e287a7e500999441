/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which precompiled code may run. It has no hooks; so the code of what a filter
 * asks for is refused, and that of methods that hold copies of it (r2r.h). All
 * other is kept.
 */
#ifndef GNOMON_CLR_PRECOMPILED_H
#define GNOMON_CLR_PRECOMPILED_H

#include "composite.h"
#include "copies.h"
#include "methods.h"

/* A module whose code is in a composite image: copies of methods of modules
 * that came after it, or have not come. */
struct gn_precompiled_part {
	const struct gn_composite *composite;
	uint32_t component;
	bool core; /* it is the core library */
	struct gn_copies later;
};

/* All zeros keeps nothing until modules are loaded. */
struct gn_precompiled {
	_Atomic bool off;  /* none may run */
	_Atomic bool full; /* more is asked for than `asked` has */
	/* Methods that can have copies in any module do not turn all code off
	 * when only a wildcard asks for them: some of their calls are unseen,
	 * and that is told. */
	bool lenient;
	_Atomic uint32_t kept; /* methods outside of the core library */
	struct gn_modules modules;
	/* by place - 1: who holds copies; something of it is asked for */
	_Atomic bool told[GN_MODULES_MAX], found[GN_MODULES_MAX];
	_Atomic uint32_t rows[GN_MODULES_MAX]; /* methods of its file */
	/* NULL: its code is its own, or is not kept */
	struct gn_precompiled_part *_Atomic part[GN_MODULES_MAX];
	struct gn_composites composites;
	struct gn_method_set asked;   /* what the filter can ask for */
	struct gn_method_set holders; /* of copies of that */
	struct gn_method_set refused; /* whose code did not run */
};

/* A module was loaded, before any of its code runs. Returns the number of
 * methods that can have copies of what it has and may have run already. */
uint32_t gn_precompiled_load(struct gn_precompiled *p, void *info,
			     const char *filter, gn_cor_id module);
void gn_precompiled_unload(struct gn_precompiled *p, gn_cor_id module);

/* Whether the precompiled code of a module that was loaded does not run for it
 * can hold copies that are not told. */
bool gn_precompiled_untold(const struct gn_precompiled *p, gn_cor_id module);

/* Whether the filter can ask for something of a module that was loaded. */
bool gn_precompiled_found(const struct gn_precompiled *p, gn_cor_id module);

/* The place of a module of which it is known what the filter can ask for, or 0;
 * and whether that is the method of this row. */
uint32_t gn_precompiled_place(const struct gn_precompiled *p, gn_cor_id module);
bool gn_precompiled_asks(const struct gn_precompiled *p, uint32_t place,
			 uint32_t row);

/* Whether the filter can ask for this function, or for it with other type
 * arguments. */
bool gn_precompiled_asked(const struct gn_precompiled *p, void *info,
			  gn_cor_id function);

/* Whether its precompiled code may run. */
bool gn_precompiled_keeps(struct gn_precompiled *p, void *info,
			  gn_cor_id function);
/* Whether a method of a module has precompiled code, which is not generic. */
bool gn_precompiled_has(const struct gn_precompiled *p, uint32_t place,
			const struct gn_image *image, uint32_t row);

/* Precompiled code does not run: whether that is so of this method for the
 * first time. One of a module that was not looked through, 0, is always new. */
bool gn_precompiled_refuse(struct gn_precompiled *p, uint64_t method);

#endif
