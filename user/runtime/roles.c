/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/roles.h"

#include <string.h>

#include <gnomon/event.h>
#include "hooksite/clr/filter.h"
#include "runtime/runtime.h"

static enum gn_role in_list(const struct gn_role_glob *g, const char *name)
{
	size_t len = strlen(name);

	/* the first byte rules most globs out */
	for (; g && g->glob; g++)
		if (*g->glob == *name &&
		    gn_glob(g->glob, strlen(g->glob), name, len))
			return g->role;
	return GN_ROLE_NONE;
}

static enum gn_role of_function(uint32_t runtime, const char *name)
{
	const struct gn_runtime *rt = gn_runtime_of(runtime);

	return in_list(rt && rt->roles ? rt->roles->globs : NULL, name);
}

static enum gn_role of_thread(const char *name)
{
	enum gn_role role = GN_ROLE_NONE;
	const struct gn_runtime *rt;

	for (size_t i = 0; !role && (rt = gn_runtime_at(i)); i++)
		if (rt->roles)
			role = in_list(rt->roles->threads, name);
	return role;
}

static uint32_t runtime_of(const char *name)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (gn_runtime_makes(rt, name))
			return (uint32_t)rt->id;
	return 0;
}

const struct gn_roles gn_runtime_roles = {
	.of_function = of_function,
	.of_thread = of_thread,
	.runtime_of = runtime_of,
};
