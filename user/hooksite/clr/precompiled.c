// SPDX-License-Identifier: BSD-2-Clause
#include "precompiled.h"

#include <string.h>

#include "filter.h"
#include "names.h"

typedef gn_hr (*function_info_fn)(void *, gn_cor_id, uint64_t, gn_cor_id *,
				  gn_cor_id *, gn_token *, uint32_t, uint32_t *,
				  gn_cor_id *);
typedef gn_hr (*enum_methods_fn)(void *, void **, gn_token, gn_token *,
				 uint32_t, uint32_t *);
typedef void (*close_enum_fn)(void *, void *);

/* A module whose metadata is looked through. */
struct scan {
	struct gn_precompiled *p;
	const char *filter;
	void *metadata;
	uint32_t place;
	char module[GN_MODULE_MAX];
	char bytes[GN_NAME_MAX];
	bool found;
};

static uint64_t method_of(const struct gn_precompiled *p, void *info,
			  gn_cor_id function)
{
	gn_cor_id class = 0, module = 0, arg;
	gn_token token = 0;
	uint32_t n, place;

	if (GN_COM(info, GN_INFO_FUNCTION_INFO2,
		   function_info_fn)(info, function, 0, &class, &module, &token,
				     1, &n, &arg) < 0)
		return 0;
	place = gn_modules_find(&p->modules, module);
	return place ? GN_METHOD(place, token) : 0;
}

/* A name that is too long to be told can be any. */
static bool may_hook(const struct scan *s, struct gn_text *name,
		     const char *more)
{
	struct gn_text whole = *name;
	bool may;

	gn_text_put(&whole, more);
	may = gn_filter_may_hook(s->filter, whole.full ? "*" : whole.bytes,
				 s->module);
	whole.bytes[name->len] = '\0';
	return may;
}

/* Whether the filter can ask for what has this token: of a generic type or
 * method, with any type arguments. */
static bool can_be_asked(const struct scan *s, struct gn_text *name,
			 gn_token token)
{
	bool generic;

	gn_text_put(name, ".");
	generic = gn_names_method(s->metadata, token, name);
	return may_hook(s, name, "") || may_hook(s, name, "(*)") ||
	       (generic &&
		(may_hook(s, name, "<*>") || may_hook(s, name, "<*>(*)")));
}

static void scan_method(struct scan *s, struct gn_text *name, gn_token token)
{
	if (!can_be_asked(s, name, token))
		return;
	s->found = true;
	if (gn_method_set_add(&s->p->asked, GN_METHOD(s->place, token)) < 0)
		atomic_store(&s->p->full, true);
}

static void scan_methods(struct scan *s, const struct gn_text *type,
			 gn_token token)
{
	gn_token methods[64];
	void *cursor = NULL;
	uint32_t n = 0;

	while (GN_COM(s->metadata, GN_MD_ENUM_METHODS, enum_methods_fn)(
		       s->metadata, &cursor, token, methods, 64, &n) >= 0 &&
	       n) {
		for (uint32_t i = 0; i < n; i++) {
			struct gn_text name = *type;

			scan_method(s, &name, methods[i]);
		}
	}
	if (cursor)
		GN_COM(s->metadata, GN_MD_CLOSE_ENUM, close_enum_fn)
	(s->metadata, cursor);
}

/* Returns how many types there are. */
static uint32_t scan_types(struct scan *s)
{
	for (gn_token token = GN_TOKEN_TYPEDEF << 24 | 1;; token++) {
		struct gn_text type;

		gn_text_init(&type, s->bytes, sizeof(s->bytes));
		if (!gn_names_type(s->metadata, token, &type))
			return GN_TOKEN_ROW(token) - 1;
		if (may_hook(s, &type, ".*"))
			scan_methods(s, &type, token);
	}
}

/* Where the core library is, by a name that the framework's assemblies have:
 * programs can be in that folder, too. */
static bool of_framework(const char *core, const char *module)
{
	const char *slash = strrchr(core, '/');
	size_t folder = slash ? (size_t)(slash - core) + 1 : 0;

	return folder && !strncmp(core, module, folder) &&
	       !strchr(module + folder, '/') &&
	       (!strncmp(module + folder, "System.", 7) ||
		!strncmp(module + folder, "Microsoft.", 10));
}

uint32_t gn_precompiled_load(struct gn_precompiled *p, void *info,
			     const char *filter, gn_cor_id module)
{
	struct scan s = {.p = p, .filter = filter};
	struct gn_text text;
	bool framework;

	if (atomic_load(&p->off) || gn_modules_find(&p->modules, module))
		return 0;
	s.place = gn_modules_add(&p->modules, module);
	if (!s.place) {
		atomic_store(&p->off, true);
		return atomic_load(&p->kept);
	}
	gn_text_init(&text, s.module, sizeof(s.module));
	gn_names_module(info, module, &text);
	if (s.place == 1)
		memcpy(p->core, s.module, sizeof(p->core));
	framework = of_framework(p->core, s.module);
	s.metadata = gn_names_metadata(info, module);
	/* one that is made while the program runs has no types yet */
	if (!s.metadata || scan_types(&s) <= 1)
		gn_modules_forget(&p->modules, module);
	gn_names_release(s.metadata);
	if (s.found && framework)
		atomic_store(&p->off, true);
	/* now that it is known what is asked for of it */
	atomic_store(&p->framework[s.place - 1], framework);
	return s.found && framework ? atomic_load(&p->kept) : 0;
}

void gn_precompiled_unload(struct gn_precompiled *p, gn_cor_id module)
{
	gn_modules_forget(&p->modules, module);
}

bool gn_precompiled_asked(const struct gn_precompiled *p, void *info,
			  gn_cor_id function)
{
	uint64_t method = method_of(p, info, function);

	/* of a module that was not looked through, such as one that is made
	 * while the program runs, it can be anything */
	return !method || atomic_load(&p->full) ||
	       gn_method_set_has(&p->asked, method);
}

bool gn_precompiled_keeps(struct gn_precompiled *p, void *info,
			  gn_cor_id function)
{
	uint64_t method;
	uint32_t place;

	if (atomic_load(&p->off))
		return false;
	method = method_of(p, info, function);
	place = GN_METHOD_MODULE(method);
	if (!method || !atomic_load(&p->framework[place - 1]))
		return false;
	if (place > 1)
		atomic_fetch_add(&p->kept, 1);
	return !atomic_load(&p->off);
}
