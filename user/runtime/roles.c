/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/roles.h"

#include <string.h>

#include <gnomon/event.h>
#include "hooksite/clr/filter.h"

static const struct gn_role_list *const lists[GN_RUNTIME_COUNT] = {
	[GN_RUNTIME_CLR] = &gn_clr_roles,
};

static bool matches(const char *glob, const char *name)
{
	/* most names part from most globs early */
	return *glob == *name &&
	       gn_glob(glob, strlen(glob), name, strlen(name));
}

static enum gn_role of_function(uint32_t runtime, const char *name)
{
	const struct gn_role_list *list =
		runtime < GN_RUNTIME_COUNT ? lists[runtime] : NULL;

	for (const struct gn_role_glob *g = list ? list->globs : NULL;
	     g && g->glob; g++)
		if (matches(g->glob, name))
			return g->role;
	return GN_ROLE_NONE;
}

static bool idle_thread(const char *name)
{
	for (size_t i = 0; i < GN_RUNTIME_COUNT; i++) {
		const char *const *t = lists[i] ? lists[i]->threads : NULL;

		for (; t && *t; t++)
			if (!strcmp(*t, name))
				return true;
	}
	return false;
}

const struct gn_roles gn_runtime_roles = {
	.of_function = of_function,
	.idle_thread = idle_thread,
};
