// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for Mono, which the preloaded library loads. It
 * registers as a profiler, before the runtime starts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "../fast.h"
#include "../preload/runtime.h"
#include "api.h"
#include "hook.h"
#include "methods.h"

/* Precompiled code has no hooks, and copies of methods. With this option the
 * runtime compiles all methods itself. The program never sees the variable. */
#define OPTIONS	    "MONO_ENV_OPTIONS"
#define NO_COMPILED "-O=-aot"

static char *options; /* those of the user */

static void restore_options(void)
{
	int err = errno;

	if (options)
		setenv(OPTIONS, options, 1);
	else
		unsetenv(OPTIONS);
	errno = err;
}

static bool add_option(void)
{
	const char *own = getenv(OPTIONS);
	char *all;
	bool done;

	options = own ? strdup(own) : NULL;
	if (asprintf(&all, "%s%s" NO_COMPILED, own ? own : "", own ? " " : "") <
	    0)
		return false;
	done = !setenv(OPTIONS, all, 1);
	free(all);
	return done;
}

/* The interpreter does not report all calls. */
static bool is_interpreted(char **argv)
{
	static const char option[] = "--interp";
	const char *more = getenv(OPTIONS);

	for (argv += *argv != NULL; *argv && **argv == '-'; argv++)
		if (!strncmp(*argv, option, strlen(option)))
			return true;
	return more && strstr(more, option);
}

static bool begin_hooks(const struct gn_preloaded *asked)
{
	return gn_methods_begin(asked->filter) && add_option() &&
	       gn_hook_begin(asked->fast, asked->families, restore_options);
}

void gn_preload_start(const struct gn_preloaded *asked,
		      struct gn_preload_calls *calls)
{
	(void)calls;
	gn_fast_lives_at(asked->own_site);
	if (gn_mono_find(asked->loaded) && !is_interpreted(asked->argv) &&
	    begin_hooks(asked))
		gn_site_call_init(0);
	else
		gn_site_call_selected(GN_SELECTED_MONOS_LEFT, 1);
}
