/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists of methods, and the modules and methods that there are. */
#include "rejit.h"

#include <stdlib.h>

#include "image.h"
#include "profiler.h"

typedef gn_hr (*enum_modules_fn)(void *, void **);
typedef gn_hr (*next_module_fn)(void *, uint32_t, gn_cor_id *, uint32_t *);

bool gn_rejit_list_add(struct gn_rejit_list *list, gn_cor_id module,
		       gn_token token)
{
	uint32_t room = list->room ? list->room * 2 : 64;
	gn_cor_id *modules;
	gn_token *tokens;

	if (list->n == list->room) {
		modules = realloc(list->modules, room * sizeof(*modules));
		list->modules = modules ? modules : list->modules;
		tokens = realloc(list->tokens, room * sizeof(*tokens));
		list->tokens = tokens ? tokens : list->tokens;
		if (!modules || !tokens)
			return false;
		list->room = room;
	}
	list->modules[list->n] = module;
	list->tokens[list->n++] = token;
	return true;
}

void gn_rejit_list_free(struct gn_rejit_list *list)
{
	free(list->modules);
	free(list->tokens);
}

void gn_rejit_each_module(struct gn_clr *clr,
			  void (*each)(void *ctx, gn_cor_id module), void *ctx)
{
	void *info = clr->rejit.info, *all = NULL;
	gn_cor_id modules[64];
	uint32_t n;

	if (GN_COM(info, GN_INFO_ENUM_MODULES, enum_modules_fn)(info, &all) < 0)
		return;
	while (GN_COM(all, GN_ENUM_NEXT, next_module_fn)(all, 64, modules,
							 &n) >= 0 &&
	       n)
		for (uint32_t i = 0; i < n; i++)
			each(ctx, modules[i]);
	gn_names_release(all);
}

uint32_t gn_rejit_place_of(struct gn_clr *clr, uint32_t index)
{
	const struct gn_id *id = gn_id_of(&clr->ids, index);
	gn_cor_id function = atomic_load(&id->function);

	return atomic_load(&id->chosen) && function
		       ? (uint32_t)GN_REJIT_METHOD_PLACE(function)
		       : 0;
}

void gn_rejit_list_index(struct gn_clr *clr, struct gn_rejit_list *list,
			 uint32_t index)
{
	gn_cor_id id = atomic_load(&gn_id_of(&clr->ids, index)->function);
	uint32_t place = GN_REJIT_METHOD_PLACE(id);
	gn_cor_id module = atomic_load(&clr->rejit.modules.module[place - 1]);

	if (module)
		gn_rejit_list_add(list, module, GN_REJIT_METHOD_TOKEN(id));
}

uint32_t gn_rejit_chosen(struct gn_clr *clr, uint64_t method)
{
	uint32_t index = gn_ids_find(&clr->ids, GN_REJIT_ID_OF(method));

	return index && atomic_load(&gn_id_of(&clr->ids, index)->chosen) ? index
									 : 0;
}

uint32_t gn_rejit_index(struct gn_clr *clr, gn_cor_id function)
{
	struct gn_rejit *r = &clr->rejit;
	uint64_t method = gn_image_method(r->info, &r->modules, function);

	return method ? gn_rejit_chosen(clr, method) : 0;
}
