/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of families. A named subject is resolved and its name is reported when
 * it first occurs; after that only its index is reported. The runtime calls
 * these only for requested families, except where families share a callback.
 */
#ifndef GNOMON_CLR_TELL_H
#define GNOMON_CLR_TELL_H

#include <gnomon/runtime_event.h>
#include "profiler.h"

/* Parses a hexadecimal mask of families. NULL: none. */
uint32_t gn_tell_families(const char *text);

/* The index under which a function's calls are reported: its method's if that
 * is chosen, or else its own. 0: no room. */
uint32_t gn_tell_index(struct gn_clr *clr, gn_cor_id function);
/* Resolves and reports the name of that index, once in each session. */
void gn_tell_name(struct gn_clr *clr, uint32_t index, gn_cor_id function);
/* Both. */
uint32_t gn_tell_function(struct gn_clr *clr, gn_cor_id function);
/* The index of an object's class. 0: there is none. */
uint32_t gn_tell_class_of(struct gn_clr *clr, uint64_t object);
/* Whether each function's compilation is reported. */
static inline bool gn_tell_is_compiled(const struct gn_clr *clr)
{
	return clr->families & (GN_FAMILY_JIT | GN_FAMILY_CODE);
}
/* Reports the location of all native code of a version of a function. Returns
 * the size in bytes of the last code in the runtime's list. 0: not known. */
uint64_t gn_tell_code(struct gn_clr *clr, uint32_t index, gn_cor_id function,
		      uint64_t version);
void gn_tell_module_loaded(struct gn_clr *clr, gn_cor_id module, gn_hr status);

/* Callbacks. */
gn_hr gn_tell_domain_loaded(struct gn_clr *clr, gn_cor_id id, gn_hr status);
gn_hr gn_tell_domain_unload(struct gn_clr *clr, gn_cor_id id);
gn_hr gn_tell_domain_unloaded(struct gn_clr *clr, gn_cor_id id, gn_hr status);
gn_hr gn_tell_assembly_loaded(struct gn_clr *clr, gn_cor_id id, gn_hr status);
gn_hr gn_tell_assembly_unload(struct gn_clr *clr, gn_cor_id id);
gn_hr gn_tell_assembly_unloaded(struct gn_clr *clr, gn_cor_id id, gn_hr status);
gn_hr gn_tell_module_unload(struct gn_clr *clr, gn_cor_id id);
gn_hr gn_tell_class_loaded(struct gn_clr *clr, gn_cor_id id, gn_hr status);
gn_hr gn_tell_class_unload(struct gn_clr *clr, gn_cor_id id);
gn_hr gn_tell_class_unloaded(struct gn_clr *clr, gn_cor_id id, gn_hr status);
gn_hr gn_tell_searched(struct gn_clr *clr, gn_cor_id function, int32_t result);
gn_hr gn_tell_rejit(struct gn_clr *clr, gn_cor_id function, uint64_t version,
		    int32_t safe);
gn_hr gn_tell_rejitted(struct gn_clr *clr, gn_cor_id function, uint64_t version,
		       gn_hr status, int32_t safe);
gn_hr gn_tell_thread_name(struct gn_clr *clr, gn_cor_id thread, uint32_t n,
			  const gn_wchar *name);
gn_hr gn_tell_to_managed(struct gn_clr *clr, gn_cor_id function,
			 uint32_t reason);
gn_hr gn_tell_to_native(struct gn_clr *clr, gn_cor_id function,
			uint32_t reason);
gn_hr gn_tell_allocated(struct gn_clr *clr, uint64_t object, gn_cor_id class);
gn_hr gn_tell_thrown(struct gn_clr *clr, uint64_t object);
gn_hr gn_tell_look(struct gn_clr *clr, gn_cor_id function);
gn_hr gn_tell_found(struct gn_clr *clr, gn_cor_id function);
gn_hr gn_tell_finally(struct gn_clr *clr, gn_cor_id function);
gn_hr gn_tell_suspends(struct gn_clr *clr, uint32_t why);
gn_hr gn_tell_suspended(struct gn_clr *clr);
gn_hr gn_tell_resumed(struct gn_clr *clr);
gn_hr gn_tell_collection(struct gn_clr *clr, int32_t generations,
			 const int32_t *collected, uint32_t reason);
gn_hr gn_tell_finalizer(struct gn_clr *clr, uint32_t flags, uint64_t object);

#endif
