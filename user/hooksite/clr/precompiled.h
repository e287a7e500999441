/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which precompiled code may run. It has no hooks, and what it calls within
 * the assemblies that were compiled together can be copied into it. The runtime
 * can tell who holds copies, but does not tell of all that do. So where a
 * filter asks for functions, only the code of the framework is kept, which was
 * compiled without the program, and as long as nothing of the framework itself
 * is asked for.
 */
#ifndef GNOMON_CLR_PRECOMPILED_H
#define GNOMON_CLR_PRECOMPILED_H

#include "methods.h"
#include "names.h"

/* All zeros keeps nothing until the first module is loaded: the runtime's core
 * library, whose folder is the framework's. */
struct gn_precompiled {
	_Atomic bool off;      /* none may run */
	_Atomic bool full;     /* more is asked for than `asked` has */
	_Atomic uint32_t kept; /* methods outside of the core library */
	struct gn_modules modules;
	_Atomic bool framework[GN_MODULES_MAX]; /* by place, from 0 */
	struct gn_method_set asked; /* what the filter can ask for */
	char core[GN_MODULE_MAX];   /* path of the core library */
};

/* A module was loaded, before any of its code runs. Returns the number of
 * methods that can have copies of what it has and may have run already. */
uint32_t gn_precompiled_load(struct gn_precompiled *p, void *info,
			     const char *filter, gn_cor_id module);
void gn_precompiled_unload(struct gn_precompiled *p, gn_cor_id module);

/* Whether the filter can ask for this function, or for it with other type
 * arguments. */
bool gn_precompiled_asked(const struct gn_precompiled *p, void *info,
			  gn_cor_id function);

/* Whether its precompiled code may run. */
bool gn_precompiled_keeps(struct gn_precompiled *p, void *info,
			  gn_cor_id function);

#endif
