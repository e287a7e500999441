/* SPDX-License-Identifier: BSD-2-Clause */
/* What the runtime is, which events it is asked for, and what is said of it. */
#include "profiler.h"

#include <gnomon/edits.h>
#include <gnomon/hooksite.h>
#include "clsid.h"
#include "events.h"
#include "../fast.h"
#include "sites.h"

typedef gn_hr (*set_event_mask_fn)(void *, uint32_t, uint32_t);
typedef gn_hr (*runtime_information_fn)(void *, uint16_t *, uint32_t *,
					uint16_t *, uint16_t *, uint16_t *,
					uint16_t *, uint32_t, uint32_t *,
					gn_wchar *);

/*
 * From .NET 9 on, a thread that reports an exception filter to a profiler holds
 * the exception where the collector does not look for it. After a collection it
 * uses whatever is there (dotnet/runtime#132462). The fix is of August 2026. No
 * release with it was seen, so there is no upper bound.
 */
#define FRAGILE_FROM 9

/*
 * A method that is recompiled has no code from the request until its next call.
 * If it is one of the JIT compiler's helpers, .NET 9 looks for its code
 * meanwhile and reads address 0 (dotnet/runtime#112636, solved in 10).
 */
#define KEEPS_HELPERS_IN 9

/*
 * A compilation that has inlined a method requests its caller again if the
 * inlined method was requested meanwhile. Before .NET 9 it takes two locks for
 * that in the opposite order to a request (dotnet/runtime#97771), and the two
 * threads deadlock.
 */
#define DEADLOCKS_BELOW 9

/* The first version whose hooks in IL do not change how the runtime suspends
 * async methods (md_await.h). */
#define AWAITS_FROM 11

static uint64_t runtime_version(void *info)
{
	uint16_t instance, major = 0, minor = 0, build = 0, fix = 0;
	uint32_t type, n;

	if (GN_COM(info, GN_INFO_RUNTIME_INFORMATION, runtime_information_fn)(
		    info, &instance, &type, &major, &minor, &build, &fix, 0, &n,
		    NULL) < 0)
		return 0;
	return (uint64_t)major << 48 | (uint64_t)minor << 32 |
	       (uint64_t)build << 16 | fix;
}

void gn_clr_look_at_runtime(struct gn_clr *clr)
{
	uint64_t major = runtime_version(clr->info) >> 48;

	clr->images.info = clr->info;
	clr->edits = gn_edits();
	clr->fragile = major >= FRAGILE_FROM;
	clr->no_helpers = major < GN_HELPERS_HOOKED_FROM;
	clr->keeps_helpers = major == KEEPS_HELPERS_IN;
	clr->deadlocks = major < DEADLOCKS_BELOW;
	clr->awaits = major >= AWAITS_FROM;
}

static uint64_t mask_of(const struct gn_clr *clr, uint32_t wants,
			uint32_t families)
{
	uint64_t mask = gn_events_mask(wants, families);

	if (clr->fragile && !(families & GN_FAMILIES_RISKED))
		mask &= ~(uint64_t)GN_EVENT_EXCEPTIONS;
	return mask;
}

void gn_clr_tell_exceptions(const struct gn_clr *clr)
{
	uint64_t all = gn_events_mask(clr->wants, clr->families);

	if (!clr->fragile || !(all & GN_EVENT_EXCEPTIONS))
		return;
	GN_CLR_SITE(selected)
	(clr->families & GN_FAMILIES_RISKED ? GN_SELECTED_EXCEPTIONS_RISKED
					    : GN_SELECTED_EXCEPTIONS_LEFT,
	 1);
}

void gn_clr_tell_init(const struct gn_clr *clr, gn_hr hr)
{
	GN_CLR_SITE(init)
	(clr->info ? runtime_version(clr->info) : 0,
	 mask_of(clr, clr->wants, clr->families), (uint32_t)hr);
}

gn_hr gn_clr_set_events(const struct gn_clr *clr, uint32_t wants)
{
	uint32_t families = wants == GN_WANT_BETWEEN ? 0 : clr->families;
	uint64_t mask;

	/* the searches show where precompiled code is; they are available only
	 * from the start */
	if (wants & GN_WANT_START && families & GN_FAMILY_CODE)
		families |= GN_FAMILY_SEARCHES;
	mask = mask_of(clr, wants, families);
	return GN_COM(clr->info, GN_INFO_SET_EVENT_MASK2, set_event_mask_fn)(
		clr->info, (uint32_t)mask, (uint32_t)(mask >> 32));
}

void gn_clr_lives_at(struct gn_clr *clr, unsigned long own)
{
	clr->lives = own < GN_SITE_OWN_MOST
			     ? gn_site_own(GN_CLR_SITE(lives), own)
			     : (const void *)GN_CLR_SITE(jit_begin);
	gn_fast_lives_at(clr->lives);
}

bool gn_clr_start_fast(void)
{
	/* gnomon has ended and left its environment: nobody would answer */
	return !gn_fast_is_gone(GN_CLR_SITE(fast)) &&
	       gn_fast_start(GN_CLR_SITE(fast), GN_CLR_FAST(il_enter),
			     GN_CLR_FAST(il_leave));
}
