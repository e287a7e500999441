// SPDX-License-Identifier: BSD-2-Clause
#include "rejit.h"

#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "profiler.h"
#include "sites.h"

typedef gn_hr (*query_fn)(void *, const struct gn_guid *, void **);
typedef gn_hr (*enum_modules_fn)(void *, void **);
typedef gn_hr (*next_module_fn)(void *, uint32_t, gn_cor_id *, uint32_t *);
typedef gn_hr (*request_fn)(void *, uint32_t, const gn_cor_id *,
			    const gn_token *);
typedef gn_hr (*request_inliners_fn)(void *, uint32_t, uint32_t,
				     const gn_cor_id *, const gn_token *);
typedef gn_hr (*revert_fn)(void *, uint32_t, const gn_cor_id *,
			   const gn_token *, gn_hr *);
typedef gn_hr (*inliners_fn)(void *, gn_cor_id, gn_cor_id, gn_token, int32_t *,
			     void **);
typedef gn_hr (*next_method_fn)(void *, uint32_t, void *, uint32_t *);
typedef gn_hr (*function_info_fn)(void *, gn_cor_id, uint64_t, gn_cor_id *,
				  gn_cor_id *, gn_token *, uint32_t, uint32_t *,
				  gn_cor_id *);

/* RequestReJITWithInliners: what is rewritten is inlined nowhere. */
#define BLOCK_INLINING 1

gn_hr gn_rejit_init(struct gn_clr *clr, void *info)
{
	static const struct gn_guid info10 = {
		0x2f1b5152,
		0xc869,
		0x40c9,
		{0xaa, 0x5f, 0x3a, 0xbe, 0x02, 0x6b, 0xd7, 0x20}};

	pthread_mutex_init(&clr->rejit.lock, NULL);
	return GN_COM(info, GN_UNKNOWN_QUERY, query_fn)(info, &info10,
							&clr->rejit.info);
}

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

static void free_list(struct gn_rejit_list *list)
{
	free(list->modules);
	free(list->tokens);
}

static void revert(struct gn_rejit *r, const struct gn_rejit_list *list)
{
	gn_hr *each = calloc(list->n + 1, sizeof(*each));

	if (each && list->n)
		GN_COM(r->info, GN_INFO_REQUEST_REVERT, revert_fn)
	(r->info, list->n, list->modules, list->tokens, each);
	free(each);
}

/*
 * First with those that have copies of them, which are compiled anew without.
 * By that a method that is both asked for and holds a copy of another gets no
 * hooks; so all are asked for again.
 */
static void request(struct gn_rejit *r, const struct gn_rejit_list *list)
{
	gn_hr hr;

	if (!list->n)
		return;
	GN_COM(r->info, GN_INFO_REQUEST_REJIT_INLINERS, request_inliners_fn)
	(r->info, BLOCK_INLINING, list->n, list->modules, list->tokens);
	hr = GN_COM(r->info, GN_INFO_REQUEST_REJIT,
		    request_fn)(r->info, list->n, list->modules, list->tokens);
	if (hr < 0)
		GN_CLR_SITE(selected)(GN_SELECTED_FAILED, list->n);
}

static void scan_all(struct gn_clr *clr, struct gn_rejit_list *list)
{
	struct gn_rejit *r = &clr->rejit;
	gn_cor_id modules[64];
	void *all = NULL;
	uint32_t n;

	if (GN_COM(r->info, GN_INFO_ENUM_MODULES, enum_modules_fn)(r->info,
								   &all) < 0)
		return;
	while (GN_COM(all, GN_ENUM_NEXT, next_module_fn)(all, 64, modules,
							 &n) >= 0 &&
	       n)
		for (uint32_t i = 0; i < n; i++)
			gn_rejit_scan(clr, modules[i], list);
	gn_names_release(all);
}

void gn_rejit_open(struct gn_clr *clr, const char *filter)
{
	struct gn_rejit *r = &clr->rejit;

	r->filter = strdup(filter);
	if (r->filter)
		atomic_store(&r->session, ++r->sessions);
}

void gn_rejit_begin(struct gn_clr *clr, const char *filter)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_list list = {0};

	gn_rejit_end(clr);
	pthread_mutex_lock(&r->lock);
	gn_rejit_open(clr, filter);
	if (r->filter)
		scan_all(clr, &list);
	pthread_mutex_unlock(&r->lock);
	/* it can load modules, and so come back to us */
	request(r, &list);
	GN_CLR_SITE(selected)(GN_SELECTED_METHODS, list.n);
	free_list(&list);
}

/* All methods that are chosen; `take`: which they then are no more. */
static void list_chosen(struct gn_clr *clr, struct gn_rejit_list *list,
			bool take)
{
	struct gn_rejit *r = &clr->rejit;
	uint32_t used = atomic_load(&clr->ids.used);

	for (uint32_t i = 1; i <= used; i++) {
		gn_cor_id id = atomic_load(&clr->ids.ids[i].function);
		uint32_t place = GN_REJIT_METHOD_PLACE(id);
		gn_cor_id module;

		if (!atomic_load(&r->chosen[i]) || !id || !place)
			continue;
		if (take)
			atomic_store(&r->chosen[i], 0);
		module = atomic_load(&r->modules.module[place - 1]);
		if (module)
			gn_rejit_list_add(list, module,
					  GN_REJIT_METHOD_TOKEN(id));
	}
}

void gn_rejit_end(struct gn_clr *clr)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_list list = {0};

	pthread_mutex_lock(&r->lock);
	atomic_store(&r->session, 0);
	free(r->filter);
	r->filter = NULL;
	list_chosen(clr, &list, true);
	pthread_mutex_unlock(&r->lock);
	revert(r, &list);
	free_list(&list);
}

/* Adds the precompiled methods of a module that have a copy of a method. */
static void add_inliners(struct gn_rejit *r, gn_cor_id inliners,
			 gn_cor_id module, gn_token token,
			 struct gn_rejit_list *list)
{
	struct method {
		gn_cor_id module;
		gn_token token;
	} methods[64];
	int32_t incomplete = 0;
	void *all = NULL;
	uint32_t n = 0;

	if (GN_COM(r->info, GN_INFO_INLINERS, inliners_fn)(
		    r->info, inliners, module, token, &incomplete, &all) < 0 ||
	    !all)
		return;
	while (GN_COM(all, GN_ENUM_NEXT, next_method_fn)(all, 64, methods,
							 &n) >= 0 &&
	       n)
		for (uint32_t i = 0; i < n; i++)
			gn_rejit_list_add(list, methods[i].module,
					  methods[i].token);
	gn_names_release(all);
}

/*
 * Who has copies of what is chosen of a new module, or in it of what was chosen
 * before. They are compiled anew from their own IL, and the compiler copies
 * nothing that is rewritten.
 */
static void find_inliners(struct gn_clr *clr, gn_cor_id module, uint32_t own,
			  struct gn_rejit_list *list)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_list chosen = {0};
	uint32_t places = gn_modules_places(&r->modules);

	list_chosen(clr, &chosen, false);
	for (uint32_t i = 0; i < own; i++)
		for (uint32_t k = 0; k < places; k++) {
			gn_cor_id other = atomic_load(&r->modules.module[k]);

			if (other)
				add_inliners(r, other, module, list->tokens[i],
					     list);
		}
	for (uint32_t i = 0; i < chosen.n; i++)
		if (chosen.modules[i] != module)
			add_inliners(r, module, chosen.modules[i],
				     chosen.tokens[i], list);
	free_list(&chosen);
}

void gn_rejit_module_loaded(struct gn_clr *clr, gn_cor_id module)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_list list = {0};
	uint32_t session = atomic_load(&r->session), own;

	if (!session)
		return;
	pthread_mutex_lock(&r->lock);
	if (r->filter)
		gn_rejit_scan(clr, module, &list);
	pthread_mutex_unlock(&r->lock);
	own = list.n;
	find_inliners(clr, module, own, &list);
	if (list.n) {
		GN_COM(r->info, GN_INFO_REQUEST_REJIT, request_fn)
		(r->info, list.n, list.modules, list.tokens);
		/* it was not there yet when the others were reverted */
		if (atomic_load(&r->session) != session)
			revert(r, &list);
		GN_CLR_SITE(selected)(GN_SELECTED_METHODS, own);
	}
	free_list(&list);
}

void gn_rejit_module_unloaded(struct gn_clr *clr, gn_cor_id module)
{
	struct gn_rejit *r = &clr->rejit;
	struct gn_rejit_module *m;
	uint32_t place;

	if (!r->info)
		return;
	pthread_mutex_lock(&r->lock);
	place = gn_modules_find(&r->modules, module);
	if (place) {
		m = &r->module[place - 1];
		gn_names_release(m->metadata);
		gn_names_release(m->emit);
		*m = (struct gn_rejit_module){0};
		gn_modules_forget(&r->modules, module);
	}
	pthread_mutex_unlock(&r->lock);
}

uint32_t gn_rejit_index(struct gn_clr *clr, gn_cor_id function)
{
	gn_cor_id class = 0, module = 0, arg;
	struct gn_rejit *r = &clr->rejit;
	gn_token token = 0;
	uint32_t n, place, index;

	if (GN_COM(r->info, GN_INFO_FUNCTION_INFO2,
		   function_info_fn)(r->info, function, 0, &class, &module,
				     &token, 1, &n, &arg) < 0)
		return 0;
	place = gn_modules_find(&r->modules, module);
	index = place ? gn_ids_find(&clr->ids, GN_REJIT_ID(place, token)) : 0;
	return index && atomic_load(&r->chosen[index]) ? index : 0;
}
