// SPDX-License-Identifier: BSD-2-Clause
/* Finds methods whose precompiled code holds copies of methods that get hooks.
 */
#include "rejit.h"

#include <gnomon/hooksite.h>

#include "events.h"
#include "filter.h"
#include "image.h"
#include "md_name.h"
#include "profiler.h"
#include "r2r.h"
#include "sites.h"

/* The search for methods that hold copies. */
struct holders {
	struct gn_clr *clr;
	struct gn_rejit_list *list;
	const struct gn_md *md;
	gn_cor_id module;
	uint32_t place;
	uint32_t copied; /* methods whose holders are not all known */
};

static bool is_chosen(const struct holders *h, uint32_t row, uint32_t *index)
{
	*index = gn_ids_find(
		&h->clr->ids,
		GN_REJIT_ID(h->place, GN_TOKEN_METHODDEF << 24 | row));
	return *index && atomic_load(&gn_id_of(&h->clr->ids, *index)->chosen);
}

/* Whether a method must not be recompiled. */
static bool is_helper(const struct holders *h, uint32_t row)
{
	char bytes[GN_NAME_MAX];
	struct gn_text name;

	if (!h->clr->keeps_helpers)
		return false;
	gn_text_init(&name, bytes, sizeof(bytes));
	gn_md_put_method(h->md, row, NULL, &name);
	return gn_filter_helper(bytes);
}

static bool asks_copies(void *ctx, uint32_t module, uint32_t method)
{
	uint32_t index;

	(void)module;
	return is_chosen(ctx, method, &index);
}

static void visit_copy(void *ctx, const struct gn_r2r_copy *copy)
{
	struct holders *h = ctx;
	uint32_t index;

	if (is_chosen(h, copy->method, &index) && !is_helper(h, copy->holder)) {
		atomic_store(&gn_id_of(&h->clr->ids, index)->copied, 1);
		gn_rejit_list_add(h->list, h->module,
				  (gn_token)GN_TOKEN_METHODDEF << 24 |
					  copy->holder);
	}
}

static void visit_marked(void *ctx, uint32_t row)
{
	struct holders *h = ctx;
	uint32_t index;

	h->copied += is_chosen(h, row, &index);
}

void gn_rejit_add_holders(struct gn_clr *clr, gn_cor_id module, uint32_t chosen,
			  struct gn_rejit_list *list)
{
	struct gn_rejit *r = &clr->rejit;
	struct holders h = {.clr = clr, .list = list, .module = module};
	const struct gn_r2r_asker asker = {asks_copies, visit_copy, &h};
	bool started = clr->wants & GN_WANT_START;
	const struct gn_image *image;

	if (started && atomic_load(&clr->precompiled.off))
		return;
	h.place = gn_modules_find(&r->modules, module);
	image = chosen ? gn_images_get(&clr->images, module) : NULL;
	if (!h.place || !image)
		return;
	h.md = &image->md;
	gn_md_marked(h.md, visit_marked, &h);
	if (!started && gn_r2r_copies(&image->pe, &asker) == GN_R2R_UNTOLD)
		h.copied = chosen;
	if (h.copied)
		GN_CLR_SITE(selected)(GN_SELECTED_COPIED, h.copied);
}
