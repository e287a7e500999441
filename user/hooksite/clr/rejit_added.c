// SPDX-License-Identifier: BSD-2-Clause
/*
 * Methods that edits of a running program have added. Their rows are after
 * those of the module's file, and the runtime takes no hooks in their IL. They
 * are reported as having no hooks.
 */
#include "filter.h"
#include "image.h"
#include "names.h"
#include "profiler.h"
#include "rejit.h"
#include "sites.h"

/* More methods than anybody adds; the program's own tables are untrusted. */
#define ADDED_MAX (1u << 16)

/* False: there is no such method. The caller holds the lock. */
static bool tell(struct gn_clr *clr, uint32_t place, gn_cor_id module,
		 uint32_t row)
{
	gn_token token = (gn_token)GN_TOKEN_METHODDEF << 24 | row;
	char name_bytes[GN_NAME_MAX], path_bytes[GN_MODULE_MAX];
	struct gn_text name, path;
	uint32_t index;

	gn_text_init(&name, name_bytes, sizeof(name_bytes));
	gn_text_init(&path, path_bytes, sizeof(path_bytes));
	if (!gn_names_method(&clr->images, module, token, &name, &path))
		return false;
	if (!gn_filter_hooks(clr->rejit.filter, name_bytes, path_bytes) ||
	    gn_filter_never(name_bytes))
		return true;
	index = gn_ids_get(&clr->ids, GN_REJIT_ID(place, token));
	if (!index || gn_clr_is_told(clr, index) ||
	    !gn_clr_show_name(clr, index, name_bytes, path_bytes, token))
		return true;
	GN_CLR_SITE(unhooked)(index);
	GN_CLR_SITE(selected)(GN_SELECTED_EDITED, 1);
	return true;
}

void gn_rejit_added(struct gn_clr *clr, gn_cor_id module, uint32_t place)
{
	uint32_t row = clr->rejit.module[place - 1].rows;

	for (uint32_t n = 0; n < ADDED_MAX && tell(clr, place, module, ++row);)
		n++;
}

void gn_rejit_compiles_added(struct gn_clr *clr, gn_cor_id function)
{
	struct gn_rejit *r = &clr->rejit;
	uint32_t place, row;
	gn_cor_id module;
	uint64_t method;

	if (!clr->edits || !atomic_load(&r->session))
		return;
	method = gn_image_method(r->info, &r->modules, function);
	place = GN_METHOD_MODULE(method);
	row = GN_TOKEN_ROW(method);
	if (!method)
		return;
	module = atomic_load(&r->modules.module[place - 1]);
	pthread_mutex_lock(&r->lock);
	if (r->filter && module && r->module[place - 1].session &&
	    row > r->module[place - 1].rows)
		tell(clr, place, module, row);
	pthread_mutex_unlock(&r->lock);
}
