/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of functions:
 * Namespace.Outer+Inner<int>.Method<string>(int,Other.Type[]), and the module's
 * path. "?" stands for what is not known.
 */
#ifndef GNOMON_CLR_NAMES_H
#define GNOMON_CLR_NAMES_H

#include <stdbool.h>

#include "cor.h"
#include "text.h"

struct gn_images; /* image.h */

#define GN_NAME_MAX   1024 /* bytes, with the NUL */
#define GN_MODULE_MAX 768

/* Returns the module whose unload makes the name invalid: the function's own,
 * or that of a type argument or of an array's elements. GN_IDS_ANY_MODULE:
 * there are several. 0: the name stays valid. */
gn_cor_id gn_names_function(struct gn_images *images, gn_cor_id function,
			    struct gn_text *name, struct gn_text *module);

/* The name of a method, without type arguments. False: there is no such
 * method. */
bool gn_names_method(struct gn_images *images, gn_cor_id module,
		     gn_token method, struct gn_text *name,
		     struct gn_text *path);

/* The same for a function without metadata: a DynamicMethod or a stub. */
gn_cor_id gn_names_dynamic(struct gn_images *images, gn_cor_id function,
			   struct gn_text *name, struct gn_text *module);
/* Whether it is a stub: code of the runtime, not a method of the program. */
bool gn_names_is_stub(const char *name);

/* The same for a class, a module, an assembly and an application domain. */
gn_cor_id gn_names_class(struct gn_images *images, gn_cor_id class,
			 struct gn_text *name, struct gn_text *module);
gn_cor_id gn_names_module_id(struct gn_images *images, gn_cor_id module,
			     struct gn_text *name, struct gn_text *folder);
gn_cor_id gn_names_assembly(struct gn_images *images, gn_cor_id assembly,
			    struct gn_text *name, struct gn_text *module);
gn_cor_id gn_names_domain(struct gn_images *images, gn_cor_id domain,
			  struct gn_text *name, struct gn_text *module);

#define GN_WIDE_MAX 1024 /* the runtime's limit for names */

typedef gn_hr (*gn_assembly_info_fn)(void *, gn_cor_id, uint32_t, uint32_t *,
				     gn_wchar *, gn_cor_id *, gn_cor_id *);

/* Releases an object of the runtime. NULL is allowed. */
void gn_names_release(void *object);

/* Whether the runtime itself suspends the method (GN_MD_IMPL_ASYNC). */
bool gn_names_suspends(struct gn_images *images, gn_cor_id module,
		       gn_token method);

/* Appends a module's path. `info`: an ICorProfilerInfo. */
void gn_names_module(void *info, gn_cor_id module, struct gn_text *name);

#endif
