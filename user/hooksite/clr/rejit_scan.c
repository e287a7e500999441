// SPDX-License-Identifier: BSD-2-Clause
/* Which methods of a module a session's filter asks for. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "filter.h"
#include "metadata.h"
#include "names.h"
#include "pe.h"
#include "profiler.h"
#include "rejit.h"
#include "sites.h"

typedef gn_hr (*module_info2_fn)(void *, gn_cor_id, const uint8_t **, uint32_t,
				 uint32_t *, gn_wchar *, gn_cor_id *,
				 uint32_t *);

/* A module that is looked through. */
struct scan {
	struct gn_clr *clr;
	struct gn_rejit_list *list;
	gn_cor_id id;
	uint32_t place;
	struct gn_md md;
	uint32_t no_il; /* asked for, without a body */
	char module[GN_MODULE_MAX];
	char bytes[GN_NAME_MAX];
};

/* The runtime has looked at the file's headers, but they are the program's. */
static bool is_mapped(void *ctx, const uint8_t *at, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (uintptr_t)at & ~(page - 1), to = (uintptr_t)at + n;
	unsigned char there[256];

	(void)ctx;
	if (to < (uintptr_t)at)
		return false;
	while (from < to) {
		size_t size = to - from;

		if (size > sizeof(there) * page)
			size = sizeof(there) * page;
		if (mincore((void *)from, size, there))
			return false;
		from += size;
	}
	return true;
}

/* A name that is too long to be told can be any. */
static bool may_hook(const struct scan *s, const struct gn_text *name,
		     const char *more)
{
	struct gn_text whole = *name;
	bool may;

	gn_text_put(&whole, more);
	may = gn_filter_may_hook(s->clr->rejit.filter,
				 whole.full ? "*" : whole.bytes, s->module);
	whole.bytes[name->len] = '\0';
	return may;
}

static bool can_be_asked(const struct scan *s, struct gn_text *name,
			 const struct gn_md_method *m)
{
	gn_text_put(name, ".");
	gn_text_put(name, m->name);
	return may_hook(s, name, "") || may_hook(s, name, "(*)") ||
	       (m->generic &&
		(may_hook(s, name, "<*>") || may_hook(s, name, "<*>(*)")));
}

/*
 * Called when the runtime polls for a collection, which it does after each
 * call of a hook: a hook in it would call itself.
 */
static bool is_left_out(const char *name)
{
	static const char poll[] = "System.Threading.Thread.*PollGC*";

	return gn_glob(poll, sizeof(poll) - 1, name, strlen(name));
}

static void *metadata_of(struct scan *s)
{
	struct gn_rejit_module *m = &s->clr->rejit.module[s->place - 1];

	if (!m->metadata)
		m->metadata = gn_names_metadata(s->clr->rejit.info, s->id);
	return m->metadata;
}

static void choose(struct scan *s, gn_token token, const struct gn_text *name)
{
	struct gn_clr *clr = s->clr;
	uint32_t index = gn_ids_get(&clr->ids, GN_REJIT_ID(s->place, token));

	if (!index || !gn_clr_show_name(clr, index, name->bytes, s->module)) {
		GN_CLR_SITE(table_full)(token);
		return;
	}
	if (gn_rejit_list_add(s->list, s->id, token))
		atomic_store(&clr->rejit.chosen[index], 1);
}

static bool visit_type(void *ctx, struct gn_text *name)
{
	return may_hook(ctx, name, ".*");
}

static void visit_method(void *ctx, struct gn_text *name, uint32_t row)
{
	gn_token token = (gn_token)GN_TOKEN_METHODDEF << 24 | row;
	char bytes[GN_NAME_MAX];
	struct gn_md_method m;
	struct scan *s = ctx;
	struct gn_text full;

	gn_md_method(&s->md, row, &m);
	if (!can_be_asked(s, name, &m) || !metadata_of(s))
		return;
	gn_text_init(&full, bytes, sizeof(bytes));
	gn_names_by_token(s->clr->rejit.info, metadata_of(s), token, &full);
	if (!gn_filter_hooks(s->clr->rejit.filter, bytes, s->module) ||
	    is_left_out(bytes))
		return;
	if (!m.address || m.flags & (GN_MD_ABSTRACT | GN_MD_PINVOKE) ||
	    m.impl & (GN_MD_IMPL_NOT_IL | GN_MD_IMPL_INTERNAL))
		s->no_il += !(m.flags & GN_MD_ABSTRACT);
	else
		choose(s, token, &full);
}

bool gn_rejit_metadata(const struct gn_clr *clr, gn_cor_id module,
		       struct gn_md *md)
{
	const uint8_t *base = NULL;
	struct gn_bytes metadata;
	gn_cor_id assembly;
	uint32_t n, flags = 0;
	gn_wchar none[1];

	if (GN_COM(clr->rejit.info, GN_INFO_MODULE_INFO2,
		   module_info2_fn)(clr->rejit.info, module, &base, 0, &n, none,
				    &assembly, &flags) < 0 ||
	    !base || flags & (GN_MODULE_DYNAMIC | GN_MODULE_COLLECTIBLE))
		return false;
	return gn_pe_metadata(base, flags & GN_MODULE_FLAT, is_mapped, NULL,
			      &metadata) &&
	       gn_md_open(md, &metadata);
}

void gn_rejit_scan(struct gn_clr *clr, gn_cor_id module,
		   struct gn_rejit_list *list)
{
	struct scan s = {.clr = clr, .list = list, .id = module};
	struct gn_rejit *r = &clr->rejit;
	struct gn_text name;

	s.place = gn_modules_find(&r->modules, module);
	if (!s.place)
		s.place = gn_modules_add(&r->modules, module);
	if (!s.place || r->module[s.place - 1].session == r->sessions)
		return;
	r->module[s.place - 1].session = r->sessions;
	gn_text_init(&name, s.module, sizeof(s.module));
	gn_names_module(r->info, module, &name);
	if (!gn_rejit_metadata(clr, module, &s.md)) {
		GN_CLR_SITE(selected)(GN_SELECTED_MODULES_LEFT, 1);
		return;
	}
	gn_md_visit(&s.md,
		    &(struct gn_md_visitor){visit_type, visit_method, &s},
		    s.bytes, sizeof(s.bytes));
	if (s.no_il)
		GN_CLR_SITE(selected)(GN_SELECTED_NO_IL, s.no_il);
}
