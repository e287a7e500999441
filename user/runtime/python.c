/* SPDX-License-Identifier: BSD-2-Clause */
/* CPython, by its profile function, which a preloaded library sets. */
#include <stdlib.h>

#include <gnomon/python.h>
#include "hooksite/python/filter.h"
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
	.matches = gn_python_filter,
	.attached = "only its threads and time classes are seen, not its "
		    "functions; start it under gnomon to see those",
	.limits = limits,
	.get = "install python3",
};
