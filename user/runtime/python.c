/* SPDX-License-Identifier: BSD-2-Clause */
/* CPython, by its profile function, which a preloaded library sets. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/path.h>
#include <gnomon/preload.h>
#include "hooksite/python/filter.h"
#include "process/target.h"
#include "runtime/call_sites.h"
#include "runtime/runtime.h"

static const struct gn_runtime_site sites[] = {GN_CALL_SITES};

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
	"the main script on, or from the first code on that a program with "
	"libpython runs in it, and only in CPython 3.8 to 3.14 with a global "
	"lock",
	"threads that C code starts and subinterpreters can lack their first "
	"calls; subinterpreters from 3.12 on are not seen",
	"a program that sets a profile function of its own (sys.setprofile, "
	"cProfile before 3.12) takes gnomon's place in that thread",
	NULL,
};

static const char *const script_words[] = {"python", "pyenv", NULL};

static const char *const interpreters[] = {"python", NULL};

/* A function begins or ends within them. */
static const char *const around[] = {
	/* up to 3.11 */
	"call_trace*",
	"trace_function_*",
	/* from 3.12 on */
	"_Py_call_instrumentation*",
	"call_instrumentation_*",
	"call_one_instrument*",
	"call_profile_func*",
	"do_monitor_exc*",
	"monitor_unwind*",
	"sys_profile_*",
	NULL,
};

extern const struct gn_runtime gn_runtime_python;
const struct gn_runtime gn_runtime_python = {
	.id = GN_RUNTIME_CPYTHON,
	.title = "CPython",
	.provider = "gnomon_python",
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.library = GN_PYTHON_LIBRARY,
	.preloaded = true,
	.interpreters = interpreters,
	.language = "Python",
	.sampled = true,
	.interpreter = "*python3*",
	.around = around,
	.marker = "Py_BytesMain",
	.script_words = script_words,
	.find = find,
	.matches = gn_python_filter,
	.lock = {.variable = "_PyRuntime"},
	.attached = "only its threads and time classes are seen, not calls of "
		    "its functions; --snapshot 99 samples them, and if "
		    "gnomon starts it, it sees calls",
	.limits = limits,
	.get = "install python3",
};
