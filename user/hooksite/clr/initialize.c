// SPDX-License-Identifier: BSD-2-Clause
/* How the library begins with a runtime: which hooks it is asked for. */
#include "profiler.h"

#include <stdlib.h>
#include <string.h>

#include <gnomon/hooksite.h>
#include "choose.h"
#include "clsid.h"
#include "events.h"
#include "../fast.h"
#include "lent.h"
#include "sites.h"
#include "tell.h"

static const struct gn_guid profiler_info8 = {
	0xc5ac80a6,
	0x782e,
	0x4716,
	{0x80, 0x44, 0x39, 0x59, 0x8c, 0x60, 0xcf, 0xbf}};

static const struct gn_guid profiler_info9 = {
	0x008170db,
	0xf8cc,
	0x4796,
	{0x9a, 0x51, 0xdc, 0x8a, 0xa0, 0xb4, 0x70, 0x12}};

typedef gn_hr (*query_fn)(void *, const struct gn_guid *, void **);
typedef uint64_t (*mapper_fn)(gn_cor_id, void *, int32_t *);
typedef gn_hr (*set_mapper_fn)(void *, mapper_fn, void *);
typedef gn_hr (*set_hooks_fn)(void *, void (*)(void), void (*)(void),
			      void (*)(void));

/* Copies the value: the environment may change while the program runs. */
static gn_hr keep(struct gn_clr *clr, const char *variable, const char **to)
{
	const char *text = getenv(variable);
	size_t size;
	char *kept;

	if (!text)
		return GN_S_OK;
	size = strlen(text) + 1;
	kept = gn_arena_take(&clr->arena, size);
	if (!kept)
		return GN_E_FAIL;
	memcpy(kept, text, size);
	*to = kept;
	return GN_S_OK;
}

/*
 * Whether functions are seen by their IL. A runtime that is too old for this
 * uses its own hooks. So does, with "auto", a runtime with modules that can be
 * edited, since it takes no hooks in their IL. gnomon may not know about those,
 * for example with what dotnet watch starts. Some values are available by IL
 * only.
 */
static bool wants_il(struct gn_clr *clr)
{
	const char *hooks = getenv(GN_CLR_ENV_HOOKS);
	bool automatic = hooks && !strcmp(hooks, "auto");

	if (!hooks || (!automatic && strcmp(hooks, "rejit") != 0) ||
	    !clr->functions || !clr->asks)
		return false;
	if (automatic && clr->edits && !clr->values) {
		GN_CLR_SITE(selected)(GN_SELECTED_BY_RUNTIME, 1);
		return false;
	}
	return gn_rejit_init(clr, clr->info) >= 0;
}

/*
 * Whether async methods are seen by their IL beside the others. Of a method
 * that the runtime suspends, its own hooks report each part as a call, and not
 * its end.
 */
static bool starts_awaits(struct gn_clr *clr)
{
	if (!clr->functions || !clr->awaits ||
	    gn_rejit_init(clr, clr->info) < 0)
		return false;
	gn_rejit_open_awaits(clr);
	return true;
}

static bool wants_fast(void)
{
	const char *fast = getenv(GN_CLR_ENV_FAST);

	return fast && *fast;
}

static gn_hr set_hooks(struct gn_clr *clr)
{
	set_hooks_fn set = GN_COM(clr->info, GN_INFO_SET_HOOKS3, set_hooks_fn);

	if (clr->fast)
		return set(clr->info, GN_CLR_FAST(enter), GN_CLR_FAST(leave),
			   GN_CLR_FAST(tailcall));
	return set(clr->info, GN_CLR_HOOK(enter), GN_CLR_HOOK(leave),
		   GN_CLR_HOOK(tailcall));
}

static gn_hr start(struct gn_clr *clr, void *unknown)
{
	const char *lives = getenv(GN_CLR_ENV_LIVES);
	gn_hr hr;

	hr = GN_COM(unknown, GN_UNKNOWN_QUERY,
		    query_fn)(unknown, &profiler_info8, &clr->info);
	if (hr < 0)
		return hr;
	if (GN_COM(unknown, GN_UNKNOWN_QUERY,
		   query_fn)(unknown, &profiler_info9, &clr->info9) < 0)
		clr->info9 = NULL;
	hr = keep(clr, GN_CLR_ENV_FILTER, &clr->filter);
	if (hr >= 0)
		hr = keep(clr, GN_CLR_ENV_VALUES, &clr->values);
	if (hr < 0)
		return hr;
	gn_clr_look_at_runtime(clr);
	gn_clr_lives_at(clr,
			lives ? strtoul(lives, NULL, 10) : GN_SITE_OWN_MOST);
	gn_choose_start(clr);
	clr->families = gn_tell_families(getenv(GN_CLR_ENV_EVENTS));
	clr->fast = wants_fast() && gn_clr_start_fast();
	clr->compiles_fast = clr->fast;
	if (wants_il(clr))
		return gn_clr_start_il(clr);
	clr->wants = GN_WANT_START | (clr->functions ? GN_WANT_HOOKED : 0) |
		     (starts_awaits(clr) ? GN_WANT_IL : 0);
	hr = gn_clr_set_events(clr, clr->wants);
	if (hr < 0 || !clr->functions)
		return hr;
	gn_clr_watch_ends(clr);
	hr = GN_COM(clr->info, GN_INFO_SET_MAPPER2,
		    set_mapper_fn)(clr->info, gn_clr_map_function, clr);
	if (hr < 0)
		return hr;
	return set_hooks(clr);
}

gn_hr gn_clr_initialize(struct gn_clr *clr, void *unknown)
{
	const char *mode = getenv(GN_CLR_ENV_MODE);
	gn_hr hr = GN_CORPROF_E_CANCEL_ACTIVATION;

	if (!mode || strcmp(mode, "off") != 0)
		hr = start(clr, unknown);
	gn_clr_find_lender(clr, unknown);
	/* the compiler, which starts later, reads how it treats tail calls */
	if (hr < 0 || !clr->functions || clr->by_il)
		gn_clr_give_back(clr);
	gn_clr_tell_init(clr, hr);
	if (hr >= 0)
		gn_clr_tell_exceptions(clr);
	/* Any other failure makes the runtime print a message to the program's
	 * output */
	return hr < 0 ? GN_CORPROF_E_CANCEL_ACTIVATION : GN_S_OK;
}
