// SPDX-License-Identifier: BSD-2-Clause
/*
 * Async methods that the runtime itself suspends. A hook at their start and
 * end, and one after each await, cannot tell when they were suspended. So as
 * long as such methods have hooks, the method of the core library that is
 * called for a suspension has one, too.
 */
#include "image.h"
#include "profiler.h"
#include "rejit.h"

static void look_at(void *ctx, gn_cor_id module)
{
	struct gn_clr *clr = ctx;
	struct gn_rejit_awaits *a = &clr->rejit.awaits;
	const struct gn_image *image = gn_images_get(&clr->images, module);
	uint32_t place;

	if (a->known || !image || !gn_image_is_core(image))
		return;
	a->known = true;
	if (!gn_md_find_suspends(&image->md, &a->suspends))
		return;
	place = gn_modules_find(&clr->rejit.modules, module);
	if (!place)
		place = gn_modules_add(&clr->rejit.modules, module);
	a->core = module;
	if (place)
		a->index = gn_ids_get(&clr->ids,
				      GN_REJIT_ID(place, a->suspends.method));
}

bool gn_rejit_can_await(struct gn_clr *clr, gn_cor_id module)
{
	struct gn_rejit_awaits *a = &clr->rejit.awaits;

	/* the core library's own callback can come before it is in the list */
	if (!a->known && clr->awaits)
		look_at(clr, module);
	if (!a->known && clr->awaits)
		gn_rejit_each_module(clr, look_at, clr);
	return a->index;
}

bool gn_rejit_is_base(const struct gn_clr *clr, uint32_t index)
{
	const struct gn_rejit_awaits *a = &clr->rejit.awaits;

	return atomic_load(&a->on) && index == a->index;
}

bool gn_rejit_base_on(struct gn_clr *clr, struct gn_rejit_list *list)
{
	struct gn_rejit_awaits *a = &clr->rejit.awaits;

	return atomic_load(&a->wanted) && !atomic_exchange(&a->on, true) &&
	       gn_rejit_list_add(list, a->core, a->suspends.method);
}

void gn_rejit_base_off(struct gn_clr *clr, struct gn_rejit_list *list)
{
	struct gn_rejit_awaits *a = &clr->rejit.awaits;

	atomic_store(&a->wanted, false);
	/* it can have been asked for, too */
	if (atomic_exchange(&a->on, false) &&
	    !atomic_load(&gn_id_of(&clr->ids, a->index)->chosen))
		gn_rejit_list_add(list, a->core, a->suspends.method);
}
