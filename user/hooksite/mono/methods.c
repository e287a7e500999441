// SPDX-License-Identifier: BSD-2-Clause
#include "methods.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/selected.h>
#include "../call_hooks.h"
#include "hooksite/clr/filter.h"
#include "hooksite/clr/ids.h"
#include "hooksite/clr/text.h"
#include "names.h"
#include "sites.h"

/* Kept forever: sites report these texts. */
struct gn_name {
	_Atomic bool hook;
	uint32_t token;
	size_t name_len;
	char text[]; /* the name and the module, each with a NUL */
};

static struct {
	const char *filter;
	_Atomic bool full;
	struct gn_ids *ids;
} methods;

bool gn_methods_begin(const char *filter)
{
	methods.filter = filter;
	methods.ids = calloc(1, sizeof(*methods.ids));
	return methods.ids;
}

static gn_cor_id id_of(gn_mono method)
{
	return (gn_cor_id)(uintptr_t)method;
}

static const struct gn_name *name_of(uint32_t index)
{
	return gn_id_name(methods.ids, index);
}

static uint32_t hooked(uint32_t index, const struct gn_name *name)
{
	return name && atomic_load_explicit(&name->hook, memory_order_relaxed)
		       ? index
		       : 0;
}

uint32_t gn_method_hooked(gn_mono method)
{
	uint32_t index = gn_ids_find(methods.ids, id_of(method));

	return hooked(index, name_of(index));
}

static struct gn_name *make(const struct gn_names *n, bool hook)
{
	size_t name_len = strlen(n->name), module_len = strlen(n->module);
	struct gn_name *made =
		malloc(sizeof(*made) + name_len + module_len + 2);

	if (!made)
		return NULL;
	atomic_init(&made->hook, hook);
	made->token = n->token;
	made->name_len = name_len;
	memcpy(made->text, n->name, name_len + 1);
	memcpy(made->text + name_len + 1, n->module, module_len + 1);
	return made;
}

static bool is_same(const struct gn_name *name, const struct gn_names *n)
{
	return !strcmp(name->text, n->name) &&
	       !strcmp(name->text + name->name_len + 1, n->module);
}

static void tell(uint32_t index, const struct gn_name *name)
{
	if (!atomic_exchange(&gn_id_of(methods.ids, index)->told, 1))
		gn_call_name(index, name->text, name->text + name->name_len + 1,
			     name->token);
}

/* Gives the method an index and this name. Two threads may get here for one
 * method; the first one counts. */
static const struct gn_name *add(gn_mono method, const struct gn_names *n,
				 bool hook, uint32_t *index)
{
	const struct gn_name *known = NULL;
	struct gn_name *made = make(n, hook);

	*index = made ? gn_ids_get(methods.ids, id_of(method)) : 0;
	if (!*index) {
		free(made);
		if (!atomic_exchange(&methods.full, true))
			gn_site_call_selected(GN_SELECTED_NO_ROOM, 1);
		return NULL;
	}
	if (atomic_compare_exchange_strong(&gn_id_of(methods.ids, *index)->name,
					   &known, made))
		return made;
	free(made);
	return known;
}

/* Code that the runtime makes for itself, and methods that have no module. */
static bool is_made(gn_mono method)
{
	return !gn_mono_api.method_token(method);
}

uint32_t gn_method_ask(gn_mono method, bool compiles)
{
	uint32_t index = gn_ids_find(methods.ids, id_of(method));
	const struct gn_name *name = name_of(index);
	struct gn_names names;

	if ((name && !compiles) || is_made(method))
		return hooked(index, name);
	gn_names_of(method, &names);
	if (name && !is_same(name, &names)) {
		gn_ids_forget(methods.ids, id_of(method));
		name = NULL;
	}
	if (!name)
		name = add(method, &names,
			   gn_filter_hooks(methods.filter, names.name,
					   names.module),
			   &index);
	index = hooked(index, name);
	if (index)
		tell(index, name);
	return index;
}

uint32_t gn_method_compiled(gn_mono method)
{
	uint32_t index = gn_ids_find(methods.ids, id_of(method));
	const struct gn_name *name = name_of(index);
	struct gn_names names;

	if (!name) {
		gn_names_of(method, &names);
		name = add(method, &names,
			   !is_made(method) &&
				   gn_filter_hooks(methods.filter, names.name,
						   names.module),
			   &index);
	}
	if (name)
		tell(index, name);
	return name ? index : 0;
}

static void set_text(char *to, size_t size, const char *text)
{
	struct gn_text out;

	gn_text_init(&out, to, size);
	gn_text_put(&out, text);
}

/* Something else can be in the place of what was unloaded. */
uint32_t gn_method_name_of(const void *of, const char *text, const char *module)
{
	gn_mono id = (gn_mono)of;
	uint32_t index = gn_ids_find(methods.ids, id_of(id));
	const struct gn_name *name = name_of(index);
	struct gn_names names = {.token = 0};

	set_text(names.name, sizeof(names.name), text);
	set_text(names.module, sizeof(names.module), module);
	if (name && !is_same(name, &names)) {
		gn_ids_forget(methods.ids, id_of(id));
		name = NULL;
	}
	if (!name)
		name = add(id, &names, false, &index);
	if (name)
		tell(index, name);
	return name ? index : 0;
}

void gn_method_unhooked(gn_mono method)
{
	uint32_t index = gn_method_hooked(method);
	struct gn_name *name = (struct gn_name *)name_of(index);

	if (name && atomic_exchange(&name->hook, false))
		gn_site_unhooked(index);
}
