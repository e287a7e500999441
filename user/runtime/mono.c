/* SPDX-License-Identifier: BSD-2-Clause */
/* Mono, by its profiler interface, at which a preloaded library registers. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/preload.h>
#include "hooksite/clr/filter.h"
#include "runtime/call_sites.h"
#include "runtime/runtime.h"

#define SITE(site, what, ...)                                                  \
	{                                                                      \
		.name = site, .prog = GN_PROG_MANAGED, .kind = GN_KIND_##what, \
		__VA_ARGS__                                                    \
	}

#define EVENT(site, rt, ...) SITE(site, EVENT, .event = GN_RT_##rt, __VA_ARGS__)

static const struct gn_runtime_site sites[] = {
	GN_CALL_SITES,
	SITE("tailcall", TAILCALL, .func = 1, .frame = 2),
	SITE("unwound", UNWIND_END, .func = 1),
	SITE("jit_begin", JIT_BEGIN, .func = 1, .frame = 2),
	SITE("jit_end", JIT_END, .func = 1, .frame = 2),
	SITE("code", CODE, .func = 1, .frame = 2, .value = {3}),
	SITE("gc_begin", GC_BEGIN, .frame = 1),
	SITE("gc_end", GC_END, .func = 0),
	/* on the thread that suspends the others, around the whole
	 * suspension */
	SITE("suspend_begin", SUSPEND_BEGIN, .frame = 1),
	SITE("suspend_end", SUSPEND_END, .func = 0),
	EVENT("all_stopped", STOPPED, .func = 0),
	EVENT("resume_begin", RESUME, .func = 0),
	EVENT("throw", THROW, .func = 1),
	EVENT("thrown_in", THROWN_IN, .func = 1),
	EVENT("module_load_begin", MODULE_LOAD, .func = 0),
	EVENT("module_load_end", MODULE_LOADED, .func = 1, .value = {2}),
	EVENT("thread_create", THREAD_CREATE, .value = {1}),
	EVENT("thread_bind", THREAD_BIND, .value = {1, 2}),
	EVENT("thread_destroy", THREAD_DESTROY, .value = {1}),
	EVENT("thread_name", THREAD_NAME, .func = 1, .value = {2}),
	EVENT("shutdown", SHUTDOWN, .func = 0),
	SITE("unhooked", UNHOOKED, .func = 1),
};

static int prepare(struct gn_launch *l)
{
	l->refuses = true;
	return 0;
}

static int find(const char *home, gn_runtime_found_fn each, void *ctx)
{
	static const char installed[] = "/usr/bin/mono";
	char path[PATH_MAX];

	(void)home;
	return realpath(installed, path) ? each(ctx, path, "") : 0;
}

static const char *const limits[] = {
	"methods are seen only if the runtime starts under gnomon",
	NULL,
};

/* the second is Debian's name for any runtime of such programs */
static const char *const script_words[] = {"mono", "/usr/bin/cli", NULL};

/* "Finalizer" is a name that other runtimes use, too */
static const struct gn_role_glob thread_roles[] = {
	{"SGen worker", GN_ROLE_COLLECTOR},
	{"Thread Pool Wor", GN_ROLE_WORKER},
	{"Timer-Scheduler", GN_ROLE_SERVICE},
	{NULL, GN_ROLE_NONE},
};

static const struct gn_role_list roles = {
	.globs = gn_dotnet_waits,
	.threads = thread_roles,
};

static const char *const threads[] = {"SGen worker", NULL};

static const char *const interpreters[] = {"mono", "mono-sgen", NULL};

/* A method begins, ends or is unwound within them. */
static const char *const around[] = {"mono_profiler_raise_method_*", NULL};

extern const struct gn_runtime gn_runtime_mono;
const struct gn_runtime gn_runtime_mono = {
	.id = GN_RUNTIME_MONO,
	.title = "Mono runtime",
	.provider = "gnomon_mono",
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.library = GN_MONO_LIBRARY,
	.preloaded = true,
	.interpreters = interpreters,
	.language = "managed",
	.interpreter = "@(mono|mono-sgen|libmonosgen*.so*)",
	.around = around,
	.marker = "mono_jit_init",
	.script_words = script_words,
	.threads = threads,
	.roles = &roles,
	.image = "MZ",
	.image_word = "BSJB", /* where the metadata begin */
	.prepare = prepare,
	.find = find,
	.matches = gn_filter_hooks,
	.attached = "only its threads and time classes are seen, not its "
		    "methods; start it under gnomon to see those",
	.limits = limits,
	.get = "install mono-runtime",
};
