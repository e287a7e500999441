// SPDX-License-Identifier: BSD-2-Clause
/* Gives each index its name, once, and reports the name once in each
 * session. */
#include <string.h>

#include "../fast_names.h"
#include "filter.h"
#include "names.h"
#include "profiler.h"
#include "sites.h"
#include "text.h"

typedef gn_hr (*function_info_fn)(void *, gn_cor_id, uint64_t, gn_cor_id *,
				  gn_cor_id *, gn_token *, uint32_t, uint32_t *,
				  gn_cor_id *);

static void tell_name(const struct gn_clr *clr, uint32_t index,
		      const struct gn_name *name, uint64_t token)
{
	const struct gn_fast_text text = {name->text, name->name_len};
	const struct gn_fast_text module = {name->text + name->name_len + 1,
					    name->module_len};

	if (clr->compiles_fast && gn_fast_tell_name(index, token, text, module))
		return;
	GN_CLR_SITE(name)
	(index, text.at, text.len, module.at, module.len, token);
}

/* True for the first caller in each session. */
static bool is_untold(struct gn_clr *clr, struct gn_id *id)
{
	uint32_t now = atomic_load(&clr->session) + 1;

	return atomic_exchange(&id->told, now) != now;
}

bool gn_clr_is_told(const struct gn_clr *clr, uint32_t index)
{
	return atomic_load(&gn_id_of(&clr->ids, index)->told) ==
	       atomic_load(&clr->session) + 1;
}

static struct gn_name *make_name(struct gn_clr *clr, const char *name,
				 const char *module)
{
	size_t name_len = strlen(name), module_len = strlen(module);
	struct gn_name *made = gn_arena_take(
		&clr->arena, sizeof(*made) + name_len + module_len + 2);

	if (!made)
		return NULL;
	made->name_len = (uint16_t)name_len;
	made->module_len = (uint16_t)module_len;
	memcpy(made->text, name, name_len + 1);
	memcpy(made->text + name_len + 1, module, module_len + 1);
	return made;
}

bool gn_clr_show_name(struct gn_clr *clr, uint32_t index, const char *name,
		      const char *module, uint64_t token)
{
	struct gn_id *id = gn_id_of(&clr->ids, index);
	const struct gn_name *known = atomic_load(&id->name);

	if (!known) {
		known = make_name(clr, name, module);
		atomic_store(&id->name, known);
	}
	if (known) {
		is_untold(clr, id);
		tell_name(clr, index, known, token);
	}
	return known;
}

/* The method of a function, and its module. */
static gn_token token_of(struct gn_clr *clr, gn_cor_id function,
			 gn_cor_id *module)
{
	gn_cor_id class = 0, arg;
	gn_token token = 0;
	uint32_t n;

	if (GN_COM(clr->info, GN_INFO_FUNCTION_INFO2,
		   function_info_fn)(clr->info, function, 0, &class, module,
				     &token, 1, &n, &arg) < 0)
		return 0;
	return token;
}

/* Resolves a name without storing it in the table. */
static struct gn_name *resolve_name(struct gn_clr *clr, uint32_t index,
				    gn_cor_id function, gn_resolve_fn resolve)
{
	char name_bytes[GN_NAME_MAX], module_bytes[GN_MODULE_MAX];
	struct gn_text name, module;
	struct gn_name *made;

	gn_text_init(&name, name_bytes, sizeof(name_bytes));
	gn_text_init(&module, module_bytes, sizeof(module_bytes));
	atomic_store(&gn_id_of(&clr->ids, index)->module,
		     resolve(&clr->images, function, &name, &module));
	made = make_name(clr, name_bytes, module_bytes);
	if (!made)
		return NULL;
	made->dynamic = resolve == gn_names_dynamic;
	made->hook = ((made->dynamic && !gn_names_is_stub(name_bytes)) ||
		      resolve == gn_names_function) &&
		     gn_filter_hooks(clr->filter, name_bytes, module_bytes);
	return made;
}

const struct gn_name *gn_clr_resolve(struct gn_clr *clr, uint32_t index,
				     gn_cor_id id, gn_resolve_fn resolve)
{
	const struct gn_name *known = NULL;
	struct gn_name *made = resolve_name(clr, index, id, resolve);

	if (made && atomic_compare_exchange_strong(
			    &gn_id_of(&clr->ids, index)->name, &known, made))
		known = made;
	return known;
}

const struct gn_name *gn_clr_name_by(struct gn_clr *clr, uint32_t index,
				     gn_cor_id function, gn_resolve_fn resolve)
{
	struct gn_id *id = gn_id_of(&clr->ids, index);
	const struct gn_name *known = atomic_load(&id->name);
	struct gn_name *made;
	gn_cor_id module = 0;
	gn_token token = 0;
	bool left;

	if (known && gn_clr_is_told(clr, index))
		return known;
	if (resolve == gn_names_function)
		token = token_of(clr, function, &module);
	if (known) {
		if (is_untold(clr, id))
			tell_name(clr, index, known, token);
		return known;
	}
	made = resolve_name(clr, index, function, resolve);
	if (!made)
		return NULL;
	left = made->hook && clr->functions && !made->dynamic &&
	       (gn_md_suspends_others(made->text) ||
		gn_names_suspends(&clr->images, module, token));
	made->hook &= !left;
	/* Two threads may get here for one function; one of them reports it. */
	if (!atomic_compare_exchange_strong(&id->name, &known, made))
		return known;
	is_untold(clr, id);
	tell_name(clr, index, made, token);
	/* by its IL, it has an index of its own */
	if (left && !(clr->rejit.only_awaits && gn_rejit_index(clr, function)))
		GN_CLR_SITE(unhooked)(index);
	return made;
}

const struct gn_name *gn_clr_name(struct gn_clr *clr, uint32_t index,
				  gn_cor_id function)
{
	return gn_clr_name_by(clr, index, function, gn_names_function);
}
