/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/roles.h"

#include <string.h>

#include <gnomon/event.h>
#include "hooksite/clr/filter.h"
#include "runtime/runtime.h"

static bool matches(const char *glob, const char *name)
{
	/* most names part from most globs early */
	return *glob == *name &&
	       gn_glob(glob, strlen(glob), name, strlen(name));
}

static enum gn_role of_function(uint32_t runtime, const char *name)
{
	const struct gn_runtime *rt = gn_runtime_of(runtime);

	for (const struct gn_role_glob *g = rt && rt->roles ? rt->roles->globs
							    : NULL;
	     g && g->glob; g++)
		if (matches(g->glob, name))
			return g->role;
	return GN_ROLE_NONE;
}

static bool is_one_of(const char *const *globs, const char *name)
{
	for (; globs && *globs; globs++)
		if (matches(*globs, name))
			return true;
	return false;
}

static bool idle_thread(const char *name)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (rt->roles && is_one_of(rt->roles->threads, name))
			return true;
	return false;
}

static bool collector_thread(const char *name)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (rt->roles && is_one_of(rt->roles->collectors, name))
			return true;
	return false;
}

const struct gn_roles gn_runtime_roles = {
	.of_function = of_function,
	.idle_thread = idle_thread,
	.collector_thread = collector_thread,
};
