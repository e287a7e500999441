// SPDX-License-Identifier: BSD-2-Clause
#include "profiler.h"

#include "choose.h"
#include "compiling.h"
#include "../fast.h"
#include "lent.h"
#include "../mute.h"
#include "names.h"
#include "sites.h"
#include "tell.h"
#include "unwinds.h"
#include "valued.h"

/* Whether the function's name is of use. Resolving a name takes longer than
 * most compilations. */
static bool is_named(const struct gn_clr *clr, gn_cor_id function)
{
	return clr->functions &&
	       (!clr->asks ||
		gn_precompiled_asked(&clr->precompiled, clr->info, function));
}

/* The runtime asks once for each compilation of a function, in each tier. The
 * answer must not change, or leaves would not match enters. */
uint64_t gn_clr_map_function(gn_cor_id function, void *data, int32_t *hook)
{
	struct gn_clr *clr = data;
	const struct gn_name *name = NULL;
	uint32_t index;

	*hook = 0;
	if (!is_named(clr, function))
		return 0;
	index = gn_ids_get(&clr->ids, function);
	if (index)
		name = gn_clr_name(clr, index, function);
	*hook = name && name->hook;
	if (*hook && clr->values)
		gn_valued_tell(clr, index, function, name);
	return index;
}

/* After its session a fast hook reaches no site. These events still must: they
 * give a later observer of the process its time class for compilations. */
static bool is_fast(const struct gn_clr *clr)
{
	return clr->compiles_fast && !gn_fast_has_ended();
}

static void tell_jit_begin(const struct gn_clr *clr, uint32_t index,
			   uint64_t frame)
{
	if (is_fast(clr))
		GN_CLR_FAST(jit_begin)(index, frame);
	else
		GN_CLR_SITE(jit_begin)(index, frame);
}

static void tell_jit_end(const struct gn_clr *clr, uint32_t index, gn_hr status,
			 uint64_t size)
{
	if (is_fast(clr))
		GN_CLR_FAST(jit_end)(index, size, (uint32_t)status);
	else
		GN_CLR_SITE(jit_end)(index, size, (uint32_t)status);
}

/* Of the calling thread, which is the thread that compiles. */
static struct gn_compiling *own_compiling(struct gn_clr *clr)
{
	static _Thread_local struct gn_compiling compiling;

	gn_compiling_in(&compiling, atomic_load(&clr->session));
	return &compiling;
}

static void tell_over(struct gn_clr *clr, const struct gn_compiling_one *over)
{
	if (over->hooks)
		gn_choose_hooks_off(clr);
	tell_jit_end(clr, over->index, GN_E_FAIL, GN_JIT_GONE);
}

static void begin_compiling(struct gn_clr *clr, uint64_t frame,
			    gn_cor_id function, uint32_t index)
{
	struct gn_compiling *c = own_compiling(clr);
	struct gn_compiling_one over;

	while (gn_compiling_over(c, frame, function, &over))
		tell_over(clr, &over);
	gn_compiling_begins(c, frame, function, index);
	tell_jit_begin(clr, index, frame);
}

static uint32_t known_index(struct gn_clr *clr, gn_cor_id function)
{
	uint32_t index = clr->by_il ? gn_rejit_index(clr, function) : 0;

	return index ? index : gn_ids_find(&clr->ids, function);
}

/* Ends the compilation, and those inside it, which threw. */
static void end_compiling(struct gn_clr *clr, gn_cor_id function,
			  struct gn_compiling_one *one)
{
	struct gn_compiling *c = own_compiling(clr);

	while (gn_compiling_ends(c, function, one)) {
		if (one->function == function)
			return;
		tell_over(clr, one);
	}
	/* its begin was not seen */
	*one = (struct gn_compiling_one){.index = known_index(clr, function) &
						  0x7fffffff};
}

static void hook_compiled(struct gn_clr *clr)
{
	gn_choose_hooks_on(clr);
	gn_compiling_hooks(own_compiling(clr));
	gn_clr_ends_tell(&clr->ends);
}

/* A compilation that threw is over when its thread ends. This is not reported:
 * the thread's fast hooks may be gone already. */
static void end_with_thread(void *profiler)
{
	struct gn_clr *clr = profiler;
	struct gn_compiling *c = own_compiling(clr);

	while (c->n)
		if (c->one[--c->n].hooks)
			gn_choose_hooks_off(clr);
}

void gn_clr_watch_ends(struct gn_clr *clr)
{
	gn_clr_ends_init(&clr->ends, end_with_thread, clr);
}

#define OWN_FRAME ((uint64_t)__builtin_frame_address(0))

/* 0: the function is of no interest, or there is no room for it. */
static uint32_t compiled_index(struct gn_clr *clr, gn_cor_id function)
{
	uint32_t index;

	if (!gn_tell_is_compiled(clr)) {
		if (clr->by_il)
			return gn_rejit_index(clr, function);
		if (!is_named(clr, function))
			return 0;
	}
	index = gn_tell_index(clr, function);
	if (!index)
		GN_CLR_SITE(selected)(GN_SELECTED_NO_ROOM, 1);
	return index;
}

gn_hr gn_clr_jit_started(struct gn_clr *clr, gn_cor_id function, int32_t safe)
{
	uint32_t index = compiled_index(clr, function);
	const struct gn_name *name;

	(void)safe;
	/* First, so that the time to resolve the name counts as compilation. */
	begin_compiling(clr, OWN_FRAME, function, index);
	if (clr->by_il) {
		gn_tell_name(clr, index, function);
		gn_rejit_compiles_added(clr, function);
		return GN_S_OK;
	}
	name = index ? gn_clr_name(clr, index, function) : NULL;
	if (name && name->hook && clr->functions)
		hook_compiled(clr);
	return GN_S_OK;
}

void gn_clr_compiled(struct gn_clr *clr, gn_cor_id function, uint64_t version,
		     gn_hr status)
{
	const struct gn_name *name;
	struct gn_compiling_one one;

	end_compiling(clr, function, &one);
	name = gn_id_name(&clr->ids, one.index);
	if (one.hooks)
		gn_choose_hooks_off(clr);
	tell_jit_end(clr, one.index, status,
		     name ? gn_tell_code(clr, one.index, function, version)
			  : 0);
}

gn_hr gn_clr_jit_finished(struct gn_clr *clr, gn_cor_id function, gn_hr status,
			  int32_t safe)
{
	(void)safe;
	gn_clr_give_back(clr);
	gn_clr_compiled(clr, function, 0, status);
	return GN_S_OK;
}

gn_hr gn_clr_dynamic_jit_started(struct gn_clr *clr, gn_cor_id function,
				 int32_t safe, const uint8_t *il, uint32_t n)
{
	const struct gn_name *name;
	uint32_t index;

	(void)safe, (void)il, (void)n;
	if (clr->by_il && !gn_tell_is_compiled(clr)) {
		begin_compiling(clr, OWN_FRAME, function, 0);
		return GN_S_OK;
	}
	/* A dynamic method is compiled once: a known id is from an earlier one,
	 * which is gone. */
	gn_ids_forget(&clr->ids, function);
	index = gn_ids_get(&clr->ids, function);
	if (!index)
		GN_CLR_SITE(selected)(GN_SELECTED_NO_ROOM, 1);
	begin_compiling(clr, OWN_FRAME, function, index);
	name = index ? gn_clr_name_by(clr, index, function, gn_names_dynamic)
		     : NULL;
	GN_CLR_SITE(jit_dynamic)(index);
	if (name && name->hook && clr->functions)
		GN_CLR_SITE(unhooked)(index);
	return GN_S_OK;
}

gn_hr gn_clr_dynamic_unloaded(struct gn_clr *clr, gn_cor_id function)
{
	GN_CLR_SITE(dynamic_unload)(gn_ids_find(&clr->ids, function), function);
	gn_ids_forget(&clr->ids, function);
	return GN_S_OK;
}

gn_hr gn_clr_function_unload(struct gn_clr *clr, gn_cor_id function)
{
	GN_CLR_SITE(function_unload)
	(gn_ids_find(&clr->ids, function), function);
	gn_ids_forget(&clr->ids, function);
	return GN_S_OK;
}

gn_hr gn_clr_module_unloaded(struct gn_clr *clr, gn_cor_id module, gn_hr status)
{
	GN_CLR_SITE(module_unload_end)
	(gn_ids_find(&clr->ids, module), (uint32_t)status);
	gn_ids_forget(&clr->ids, module);
	gn_ids_forget_module(&clr->ids, module);
	gn_precompiled_unload(&clr->precompiled, module);
	gn_modules_forget(&clr->images.modules, module);
	gn_rejit_module_unloaded(clr, module);
	return GN_S_OK;
}

/* Per thread, because the runtime does not tell callbacks which thread's unwind
 * they are about: it is the calling one. */
static struct gn_unwinds *own_unwinds(void)
{
	static _Thread_local struct gn_unwinds unwinds;

	return &unwinds;
}

/* The function's index if it is hooked and not muted. Frames of other functions
 * are on no shadow stack, so their unwinds do not matter. */
static uint32_t hooked_index(struct gn_clr *clr, gn_cor_id function)
{
	uint32_t index = gn_ids_find(&clr->ids, function);
	const struct gn_name *name = gn_id_name(&clr->ids, index);

	return name && name->hook && !gn_muted(index) ? index : 0;
}

/* The function may have been muted since the unwind began. */
static void tell_unwound(uint32_t index)
{
	if (index && !gn_muted(index))
		GN_CLR_SITE(unwind_end)(index);
}

gn_hr gn_clr_unwind_enter(struct gn_clr *clr, gn_cor_id function)
{
	uint32_t index;

	if (clr->families & GN_FAMILY_HANDLERS)
		GN_CLR_SITE(unwind_function_begin)
	(gn_tell_function(clr, function));
	if (clr->by_il)
		return GN_S_OK; /* hooks in the IL report unwinds */
	index = hooked_index(clr, function);
	tell_unwound(gn_unwinds_settle(own_unwinds()));
	gn_unwinds_push(own_unwinds(), index);
	if (index)
		GN_CLR_SITE(unwind_begin)(index);
	return GN_S_OK;
}

gn_hr gn_clr_unwind_leave(struct gn_clr *clr)
{
	if (clr->families & GN_FAMILY_HANDLERS)
		GN_CLR_SITE(unwind_function_end)();
	if (!clr->by_il)
		tell_unwound(gn_unwinds_end(own_unwinds()));
	return GN_S_OK;
}

/* The frame whose unwind began last catches the exception: it is not
 * unwound. */
gn_hr gn_clr_catcher_enter(struct gn_clr *clr, gn_cor_id function,
			   uint64_t object)
{
	GN_CLR_SITE(catcher_begin)(gn_unwinds_pop(own_unwinds()), object);
	if (clr->families & GN_FAMILY_EXCEPTIONS)
		GN_CLR_SITE(catch_begin)
	(gn_tell_function(clr, function), gn_tell_class_of(clr, object));
	return GN_S_OK;
}

gn_hr gn_clr_filter_enter(struct gn_clr *clr, gn_cor_id function)
{
	gn_unwinds_filter_begin(own_unwinds(),
				gn_ids_find(&clr->ids, function));
	if (clr->families & GN_FAMILY_HANDLERS)
		GN_CLR_SITE(search_filter_begin)
	(gn_tell_function(clr, function));
	return GN_S_OK;
}

gn_hr gn_clr_filter_leave(struct gn_clr *clr)
{
	gn_unwinds_filter_end(own_unwinds());
	GN_CLR_SITE(search_filter_end)(clr);
	return GN_S_OK;
}

gn_hr gn_tell_rejit(struct gn_clr *clr, gn_cor_id function, uint64_t version,
		    int32_t safe)
{
	(void)version;
	if (clr->by_il)
		gn_rejit_compiles(clr, function);
	if (clr->families & GN_FAMILY_JIT)
		GN_CLR_SITE(rejit_begin)(gn_tell_function(clr, function));
	/* the runtime reports this compilation in no other way */
	return gn_clr_jit_started(clr, function, safe);
}

gn_hr gn_tell_rejitted(struct gn_clr *clr, gn_cor_id function, uint64_t version,
		       gn_hr status, int32_t safe)
{
	(void)safe;
	gn_clr_compiled(clr, function, version, status);
	if (clr->families & GN_FAMILY_JIT)
		GN_CLR_SITE(rejit_end)
	(gn_tell_function(clr, function), (uint32_t)status);
	return GN_S_OK;
}
