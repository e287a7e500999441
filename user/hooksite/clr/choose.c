// SPDX-License-Identifier: BSD-2-Clause
#include "choose.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "clsid.h"
#include "events.h"
#include "filter.h"
#include "image.h"
#include "lent.h"
#include "sites.h"
#include "tell.h"

void gn_choose_start(struct gn_clr *clr)
{
	const char *inlined = getenv(GN_CLR_ENV_INLINE);

	clr->functions = !gn_filter_hooks_nothing(clr->filter);
	clr->chooses = clr->functions;
	clr->asks = gn_filter_asks(clr->filter);
	if (clr->chooses)
		gn_filter_parse(clr->filter, &clr->precompiled.lines);
	/* by default, functions that are asked for by name must be exact */
	clr->refuses = inlined && *inlined ? strcmp(inlined, "refuse") == 0
					   : clr->asks;
	/* without names, all functions count: no precompiled code is of use */
	atomic_store(&clr->precompiled.off, clr->functions && !clr->asks);
}

/* Setting the mask takes no lock of the runtime and calls nothing back, so the
 * spinlock is held for a short time only. */
static void change_hooks(struct gn_clr *clr, int by)
{
	while (atomic_flag_test_and_set(&clr->hooks_lock))
		sched_yield();
	if (!clr->hooks || !(clr->hooks + by))
		gn_clr_set_events(clr,
				  clr->wants | (by > 0 ? GN_WANT_HOOKS : 0));
	clr->hooks += by;
	atomic_flag_clear(&clr->hooks_lock);
}

void gn_choose_hooks_on(struct gn_clr *clr)
{
	change_hooks(clr, 1);
}

void gn_choose_hooks_off(struct gn_clr *clr)
{
	change_hooks(clr, -1);
}

/* The search through a module's precompiled code also finds out whether the
 * module has anything to rewrite. */
static void load_precompiled(struct gn_clr *clr, gn_cor_id module)
{
	uint32_t late =
		gn_precompiled_load(&clr->precompiled, &clr->images, module);

	if (late)
		GN_CLR_SITE(precompiled_ran)(0, late);
	if (gn_precompiled_untold(&clr->precompiled, module))
		GN_CLR_SITE(selected)(GN_SELECTED_CODE_OFF, 1);
}

gn_hr gn_clr_module_loaded(struct gn_clr *clr, gn_cor_id module, gn_hr status)
{
	gn_tell_module_loaded(clr, module, status);
	if (status < 0)
		return GN_S_OK;
	if (clr->chooses)
		load_precompiled(clr, module);
	if (clr->rejit.only_awaits ||
	    (clr->by_il && (clr->edits || !clr->chooses ||
			    gn_precompiled_found(&clr->precompiled, module))))
		gn_rejit_module_loaded(clr, module);
	return GN_S_OK;
}

/* Threads that call a function at the same time each ask for its code. By IL,
 * the method stands for the function: it is counted once, without an index. */
static void tell_refused(struct gn_clr *clr, gn_cor_id function)
{
	struct gn_precompiled *p = &clr->precompiled;
	uint32_t index = 0;

	if (!clr->by_il)
		index = gn_ids_get(&clr->ids, function);
	else if (!gn_precompiled_refuse(
			 p, gn_image_method(clr->info, &p->modules, function)))
		return;
	GN_CLR_SITE(precompiled_refused)(index);
}

gn_hr gn_clr_search_started(struct gn_clr *clr, gn_cor_id function,
			    int32_t *use)
{
	GN_CLR_SITE(jit_cached_search_begin)(clr, function, use);
	/* The first method that runs is compiled, so that no code of the
	 * program sees what is lent. */
	if (gn_clr_lends(clr))
		*use = 0;
	if (!clr->chooses ||
	    gn_precompiled_keeps(&clr->precompiled, clr->info, function))
		return GN_S_OK;
	*use = 0;
	tell_refused(clr, function);
	return GN_S_OK;
}

/* The runtime does not always say what a function is inlined into. So nothing
 * that the filter can ask for is inlined, whatever the caller is. */
static bool refuses(struct gn_clr *clr, gn_cor_id caller, gn_cor_id callee)
{
	uint32_t index = gn_ids_find(&clr->ids, caller);
	const struct gn_name *into = gn_id_name(&clr->ids, index);

	if (into && into->dynamic)
		return true; /* it has no hooks, so its calls are nobody's */
	if (!clr->refuses)
		return false;
	return !clr->asks ||
	       gn_precompiled_asked(&clr->precompiled, clr->info, callee);
}

gn_hr gn_clr_inlining(struct gn_clr *clr, gn_cor_id caller, gn_cor_id callee,
		      int32_t *inlines)
{
	const struct gn_name *name;
	uint32_t index;

	if (clr->families & GN_FAMILY_INLINING)
		GN_CLR_SITE(jit_inlining)
	(gn_tell_function(clr, callee), gn_tell_function(clr, caller));
	if (atomic_load(&clr->rejit.copies_off)) {
		*inlines = 0;
		return GN_S_OK;
	}
	if (!clr->functions)
		return GN_S_OK;
	if (refuses(clr, caller, callee)) {
		*inlines = 0;
		return GN_S_OK;
	}
	if (clr->refuses)
		return GN_S_OK; /* the callee is not asked for */
	index = gn_ids_get(&clr->ids, callee);
	name = index ? gn_clr_name(clr, index, callee) : NULL;
	if (name && name->hook)
		GN_CLR_SITE(inlined)(index, gn_ids_find(&clr->ids, caller));
	return GN_S_OK;
}
