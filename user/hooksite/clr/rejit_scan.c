// SPDX-License-Identifier: BSD-2-Clause
/* Which methods of a module a session's filter asks for. */
#include <gnomon/machine_state.h>

#include "filter.h"
#include "image.h"
#include "md_name.h"
#include "names.h"
#include "profiler.h"
#include "rejit.h"
#include "sites.h"

/* A module that is being scanned. */
struct scan {
	struct gn_clr *clr;
	struct gn_rejit_list *list;
	gn_cor_id id;
	uint32_t place;
	uint32_t known; /* place in gn_precompiled; 0: none */
	/* requested methods that get no hooks: */
	uint32_t no_il;	   /* implemented by the runtime or native code */
	uint32_t abstract; /* implemented by other methods */
	const struct gn_image *image;
};

/* The method's index. 0: there is no room. `suspends`: hooks tell when the
 * runtime suspends it. */
static uint32_t show(struct scan *s, gn_token token, const struct gn_text *name,
		     bool suspends)
{
	struct gn_clr *clr = s->clr;
	uint32_t index = gn_ids_get(&clr->ids, GN_REJIT_ID(s->place, token));

	if (index &&
	    gn_clr_show_name(clr, index, name->bytes, s->image->path,
			     token | (suspends ? GN_NAME_SUSPENDS : 0)))
		return index;
	GN_CLR_SITE(selected)(GN_SELECTED_NO_ROOM, 1);
	return 0;
}

/* `left`: the method gets no hooks. */
static void choose(struct scan *s, gn_token token, const struct gn_text *name,
		   bool suspends, bool left)
{
	struct gn_clr *clr = s->clr;
	uint32_t index = show(s, token, name, suspends && !left);

	if (!index)
		return;
	if (left)
		GN_CLR_SITE(unhooked)(index);
	else if (gn_rejit_list_add(s->list, s->id, token))
		atomic_store(&gn_id_of(&clr->ids, index)->chosen, 1);
}

/* Whether a method gets no hooks. */
static bool is_left(struct scan *s, bool suspends, const char *name)
{
	if ((s->clr->no_helpers && gn_filter_helper(name)) ||
	    gn_md_suspends_others(name))
		return true;
	if (!suspends)
		return false;
	if (!gn_rejit_can_await(s->clr, s->id))
		return true;
	atomic_store(&s->clr->rejit.awaits.wanted, true);
	return false;
}

/* Takes a method that the filter can ask for. */
static void take(struct scan *s, uint32_t row, const struct gn_md_method *m)
{
	gn_token token = (gn_token)GN_TOKEN_METHODDEF << 24 | row;
	char bytes[GN_NAME_MAX];
	struct gn_text full;
	bool suspends = m->impl & GN_MD_IMPL_ASYNC;

	gn_text_init(&full, bytes, sizeof(bytes));
	gn_md_put_method(&s->image->md, row, NULL, &full);
	if (!gn_filter_hooks(s->clr->rejit.filter, bytes, s->image->path) ||
	    gn_filter_never(bytes))
		return;
	if (m->flags & GN_MD_ABSTRACT)
		s->abstract++;
	else if (!gn_md_has_il(m))
		s->no_il++;
	else
		choose(s, token, &full, suspends, is_left(s, suspends, bytes));
}

static void take_asked(void *ctx, struct gn_text *type, uint32_t row,
		       const struct gn_md_method *m)
{
	(void)type;
	take(ctx, row, m);
}

static void look_through(struct scan *s)
{
	const struct gn_md *md = &s->image->md;
	uint32_t end = md->table[GN_TOKEN_METHODDEF].count + 1;
	struct gn_md_method m;

	if (!s->known && !s->clr->rejit.only_awaits) {
		gn_image_visit(s->image, &s->clr->rejit.lines, take_asked, s);
		return;
	}
	for (uint32_t row = 1; row < end; row++) {
		if (s->clr->rejit.only_awaits
			    ? !gn_md_is_suspended(md, row)
			    : !gn_precompiled_asks(&s->clr->precompiled,
						   s->known, row))
			continue;
		gn_md_method(md, row, &m);
		take(s, row, &m);
	}
}

/* Whether the filter can ask for functions of a module that cannot be
 * searched. */
static bool can_ask(const struct gn_clr *clr, gn_cor_id module)
{
	const struct gn_filter_lines *lines = &clr->rejit.lines;
	char path_bytes[GN_MODULE_MAX];
	struct gn_text path;

	gn_text_init(&path, path_bytes, sizeof(path_bytes));
	gn_names_module(clr->images.info, module, &path);
	for (uint32_t i = 0; i < lines->n; i++)
		if (gn_filter_line_is_in(&lines->line[i], path_bytes))
			return true;
	return false;
}

void gn_rejit_scan(struct gn_clr *clr, gn_cor_id module, bool loaded,
		   struct gn_rejit_list *list)
{
	struct scan s = {.clr = clr, .list = list, .id = module};
	struct gn_rejit *r = &clr->rejit;

	s.place = gn_modules_find(&r->modules, module);
	if (!s.place)
		s.place = gn_modules_add(&r->modules, module);
	if (s.place && r->module[s.place - 1].session == r->sessions)
		return;
	if (s.place) {
		r->module[s.place - 1].session = r->sessions;
		atomic_store(&r->module[s.place - 1].loaded, loaded);
		s.image = gn_images_get(&clr->images, module);
	}
	if (!s.image) {
		/* the runtime's own hooks see all but async methods there */
		if (!r->only_awaits && can_ask(clr, module))
			GN_CLR_SITE(selected)(GN_SELECTED_MODULES_LEFT, 1);
		return;
	}
	if (clr->chooses)
		s.known = gn_precompiled_place(&clr->precompiled, module);
	look_through(&s);
	r->module[s.place - 1].rows =
		s.image->md.table[GN_TOKEN_METHODDEF].count;
	if (clr->edits)
		gn_rejit_added(clr, module, s.place);
	if (s.no_il)
		GN_CLR_SITE(selected)(GN_SELECTED_NO_IL, s.no_il);
	if (s.abstract)
		GN_CLR_SITE(selected)(GN_SELECTED_ABSTRACT, s.abstract);
}
