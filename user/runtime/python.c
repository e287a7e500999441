/* SPDX-License-Identifier: BSD-2-Clause */
/* CPython, by its profile function, which a preloaded library sets. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include <gnomon/python.h>
#include "hooksite/python/filter.h"
#include "process/target.h"
#include "runtime/runtime.h"

#define SITE(site, what)                                         \
	{                                                        \
		.name = "python_" site, .prog = GN_PROG_MANAGED, \
		.kind = GN_KIND_##what, .func = 1, .frame = 2    \
	}

static const struct gn_runtime_site sites[] = {
	SITE("enter", ENTER),
	SITE("leave", LEAVE),
	SITE("resumed", RESUMED),
	SITE("suspended", SUSPENDED),
	/* the frame key is what is offered or taken */
	SITE("fast", RING),
	SITE("selected", SELECTED),
	/* the frame key is 0 */
	{"python_init", NULL, GN_PROG_MANAGED, GN_KIND_RUNTIME, .frame = 1},
	{"python_name", NULL, GN_PROG_NAME, 0, .func = 1, .frame = 6,
	 .text = {2, 4}},
};

static int prepare(struct gn_launch *l)
{
	int err = gn_launch_preload(l, l->library);

	if (!err)
		err = gn_launch_env(l, GN_PYTHON_ENV,
				    l->fast ? GN_PYTHON_FAST
					    : GN_PYTHON_PROBES);
	if (!err && (*l->filter || getenv(GN_PYTHON_ENV_FILTER)))
		err = gn_launch_env(l, GN_PYTHON_ENV_FILTER, l->filter);
	return err;
}

/* Takes an interpreter whose file has its version as its name. */
static int take(const char *path, gn_runtime_found_fn each, void *ctx)
{
	static const char prefix[] = "python";
	char real[PATH_MAX];
	const char *name;

	if (!realpath(path, real))
		return 0;
	name = gn_base_name(real);
	if (strncmp(name, prefix, strlen(prefix)) || !strchr(name, '.'))
		return 0;
	return each(ctx, real, name + strlen(prefix));
}

/* The one in PATH, and the system's. */
static int find(const char *home, gn_runtime_found_fn each, void *ctx)
{
	static const char system[] = "/usr/bin/python3";
	char path[PATH_MAX];
	int err = 0;

	(void)home;
	if (!gn_target_resolve("python3", path) && strcmp(path, system))
		err = take(path, each, ctx);
	return err ? err : take(system, each, ctx);
}

static const char *const limits[] = {
	"functions are seen only if the interpreter starts under gnomon, from "
	"the main script on, and only in CPython 3.8 to 3.13 with a global "
	"lock",
	"a program that sets a profile function of its own (sys.setprofile, "
	"cProfile before 3.12) takes gnomon's place in that thread",
	NULL,
};

static const char *const script_words[] = {"python", "pyenv", NULL};

extern const struct gn_runtime gn_runtime_python;
const struct gn_runtime gn_runtime_python = {
	.id = GN_RUNTIME_CPYTHON,
	.title = "CPython",
	.provider = GN_PYTHON_PROVIDER,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.library = GN_PYTHON_LIBRARY,
	.preloaded = true,
	.marker = "Py_BytesMain",
	.script_words = script_words,
	.prepare = prepare,
	.find = find,
	.matches = gn_python_filter,
	.attached = "only its threads and time classes are seen, not its "
		    "functions; start it under gnomon to see those",
	.limits = limits,
	.get = "install python3",
};
