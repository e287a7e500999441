/* SPDX-License-Identifier: BSD-2-Clause */
/* The .NET CLR (CoreCLR 3.1 and newer), by its profiling interface. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooksite/clr/clsid.h"
#include "hooksite/clr/filter.h"
#include "runtime/clr_attach.h"
#include "runtime/clr_find.h"
#include "runtime/clr_ipc.h"
#include "runtime/clr_modules.h"

#define SITE(name, kind, ...)                                       \
	{                                                           \
		"clr_" name, NULL, GN_PROG_MANAGED, GN_KIND_##kind, \
			__VA_ARGS__                                 \
	}
#define FUNC .func = 1
/* An event of a family: which arguments of the site are its function and its
 * values. */
#define EVENT(site, rt, function, ...)                                        \
	{                                                                     \
		.name = "clr_" site, .prog = GN_PROG_MANAGED,                 \
		.kind = GN_KIND_EVENT, .func = function, .event = GN_RT_##rt, \
		.value = {                                                    \
			__VA_ARGS__                                           \
		}                                                             \
	}

static const struct gn_runtime_site sites[] = {
	SITE("enter", ENTER, FUNC, .frame = 2),
	SITE("leave", LEAVE, FUNC, .frame = 2),
	SITE("tailcall", TAILCALL, FUNC, .frame = 2),
	/* in the IL of functions; the places of values follow these
	 * arguments */
	SITE("il_enter", ENTER, FUNC, .frame = 2),
	SITE("il_leave", LEAVE, FUNC, .frame = 2),
	SITE("il_unwound", UNWIND_END, FUNC),
	SITE("il_awaits", AWAITS, FUNC, .frame = 2),
	SITE("il_awaited", AWAITED, FUNC, .frame = 2),
	SITE("il_resumed", RESUMED, FUNC, .frame = 2),
	SITE("il_suspended", SUSPENDED, FUNC, .frame = 2),
	/* of async methods; the frame key is the state */
	SITE("async_entered", ASYNC_ENTERED, FUNC, .frame = 2),
	SITE("async_suspends", ASYNC_SUSPENDS, FUNC, .frame = 2),
	SITE("async_completes", ASYNC_COMPLETES, FUNC, .frame = 2),
	SITE("async_faults", ASYNC_FAULTS, FUNC, .frame = 2),
	SITE("selected", SELECTED, FUNC, .frame = 2),
	SITE("unwind_begin", UNWIND_BEGIN, FUNC),
	SITE("unwind_end", UNWIND_END, FUNC),
	SITE("jit_begin", JIT_BEGIN, FUNC, .frame = 2),
	SITE("jit_end", JIT_END, FUNC, .frame = 2),
	SITE("code", CODE, FUNC, .frame = 2, .value = {3}),
	SITE("gc_begin", GC_BEGIN, .frame = 1),
	SITE("gc_end", GC_END, .func = 0),
	/* on the thread that suspends the others, around the whole
	 * suspension */
	SITE("suspend_begin", SUSPEND_BEGIN, .frame = 1),
	SITE("suspend_abort", SUSPEND_END, .func = 0),
	SITE("resume_end", SUSPEND_END, .func = 0),
	/* the frame key is whether the runtime took the library */
	SITE("init", RUNTIME, .frame = 3),
	/* around the library's work for a session */
	SITE("own_begin", OWN_BEGIN, .func = 0),
	SITE("own_end", OWN_END, .func = 0),
	/* of fast hooks; the frame key is what is offered or taken */
	SITE("fast", RING, FUNC, .frame = 2),
	GN_SITE_LIVES("clr_lives"),
	{"clr_name", NULL, GN_PROG_NAME, 0, FUNC, .frame = 6, .text = {2, 4}},
	{"clr_valued", NULL, GN_PROG_MANAGED, 0, FUNC, .frame = 2,
	 .flags = GN_SPEC_VALUED},
	{"clr_class", NULL, GN_PROG_MANAGED, 0, FUNC, .frame = 2,
	 .flags = GN_SPEC_CLASS},
	SITE("inlined", INLINED, FUNC, .frame = 2),
	SITE("unhooked", UNHOOKED, FUNC),
	SITE("precompiled_refused", REFUSED, FUNC),
	SITE("precompiled_ran", COPIES_RAN, FUNC, .frame = 2),
	EVENT("shutdown", SHUTDOWN, 0, 0),
	EVENT("appdomain_create_begin", DOMAIN_LOAD, 0, 0),
	EVENT("appdomain_create_end", DOMAIN_LOADED, 1, 2),
	EVENT("appdomain_shutdown_begin", DOMAIN_UNLOAD, 1, 0),
	EVENT("appdomain_shutdown_end", DOMAIN_UNLOADED, 1, 2),
	EVENT("assembly_load_begin", ASSEMBLY_LOAD, 0, 0),
	EVENT("assembly_load_end", ASSEMBLY_LOADED, 1, 2),
	EVENT("assembly_unload_begin", ASSEMBLY_UNLOAD, 1, 0),
	EVENT("assembly_unload_end", ASSEMBLY_UNLOADED, 1, 2),
	EVENT("module_load_begin", MODULE_LOAD, 0, 0),
	EVENT("module_load_end", MODULE_LOADED, 1, 2),
	EVENT("module_unload_begin", MODULE_UNLOAD, 1, 0),
	EVENT("module_unload_end", MODULE_UNLOADED, 1, 2),
	EVENT("class_load_begin", CLASS_LOAD, 0, 0),
	EVENT("class_load_end", CLASS_LOADED, 1, 2),
	EVENT("class_unload_begin", CLASS_UNLOAD, 1, 0),
	EVENT("class_unload_end", CLASS_UNLOADED, 1, 2),
	EVENT("rejit_begin", REJIT, 1, 0),
	EVENT("rejit_end", REJITTED, 1, 2),
	EVENT("jit_dynamic", DYNAMIC, 1, 0),
	EVENT("function_unload", FUNCTION_UNLOAD, 1, 0),
	EVENT("dynamic_unload", DYNAMIC_UNLOAD, 1, 0),
	EVENT("jit_cached_search_begin", SEARCH, 0, 0),
	EVENT("jit_cached_search_end", SEARCHED, 1, 2),
	EVENT("jit_inlining", INLINE, 1, 2),
	EVENT("thread_create", THREAD_CREATE, 0, 1),
	EVENT("thread_destroy", THREAD_DESTROY, 0, 1),
	EVENT("thread_assigned", THREAD_BIND, 0, 1, 2),
	EVENT("thread_name", THREAD_NAME, 1, 2),
	EVENT("exception_thrown", THROW, 1, 0),
	EVENT("exception_from", THROWN_IN, 1, 0),
	EVENT("catch_begin", CATCH, 1, 2),
	EVENT("catcher_end", CAUGHT, 0, 0),
	EVENT("search_function_begin", LOOK, 1, 0),
	EVENT("search_function_end", LOOKED, 0, 0),
	EVENT("search_filter_begin", FILTER, 1, 0),
	EVENT("search_filter_end", FILTERED, 0, 0),
	EVENT("search_catcher_found", FOUND, 1, 0),
	EVENT("unwind_function_begin", UNWIND, 1, 0),
	EVENT("unwind_function_end", UNWOUND, 0, 0),
	EVENT("finally_begin", FINALLY, 1, 0),
	EVENT("finally_end", FINALLY_END, 0, 0),
	/* events that end an interval */
	SITE("unmanaged_to_managed", TO_MANAGED, FUNC, .frame = 2,
	     .event = GN_RT_TO_MANAGED),
	SITE("managed_to_unmanaged", TO_NATIVE, FUNC, .frame = 2,
	     .event = GN_RT_TO_NATIVE),
	EVENT("suspend_end", STOPPED, 0, 0),
	EVENT("resume_begin", RESUME, 0, 0),
	EVENT("finalize_queued", FINALIZE, 1, 0),
	EVENT("handle_create", HANDLE_CREATE, 0, 1),
	EVENT("handle_destroy", HANDLE_DESTROY, 0, 1),
	EVENT("object_allocated", ALLOCATE, 1, 2),
};

/* The variable that asks for another profiler, or NULL. The runtime takes only
 * one. */
static const char *occupied(void)
{
	static const char *const names[] = {"CORECLR_ENABLE_PROFILING",
					    "DOTNET_ENABLE_PROFILING"};

	for (size_t i = 0; i < 2; i++) {
		const char *value = getenv(names[i]);

		if (value && strcmp(value, "0") && *value)
			return names[i];
	}
	return NULL;
}

/* The variable that keeps the runtime from loading any profiler, or NULL.
 * Values are hexadecimal. The older prefix counts if the newer one is not
 * set. */
static const char *hindered(gn_env_fn get, const void *env)
{
	static const char *const names[][2] = {
		{"DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics"},
		{"DOTNET_EnableDiagnostics_Profiler",
		 "COMPlus_EnableDiagnostics_Profiler"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i][get(env, names[i][0]) ? 0 : 1];
		const char *value = get(env, name);

		if (value && *value && !strtoul(value, NULL, 16))
			return name;
	}
	return NULL;
}

/*
 * The JIT can turn a method's tail call to itself into a loop. Hooks that the
 * runtime makes are outside of that loop: 21 calls look like one. If this
 * variable is 0, such a call is a jump, which has hooks. .NET 3.1 knows only
 * the older prefix, later versions know both.
 */
#define KEEP_TAIL_CALLS "COMPlus_TailCallLoopOpt"

static int prepare(struct gn_launch *l)
{
	char own[16];
	int err;

	l->why = occupied();
	if (l->why)
		return -EBUSY;
	err = gn_launch_lend(l, "CORECLR_ENABLE_PROFILING", "1");
	if (!err)
		err = gn_launch_lend(l, "CORECLR_PROFILER", GN_CLR_CLSID);
	if (!err)
		err = gn_launch_lend(l, "CORECLR_PROFILER_PATH", l->library);
	/* the runtime prefers this one, which may be set already */
	if (!err)
		err = gn_launch_lend(l, "CORECLR_PROFILER_PATH_64", l->library);
	if (!err)
		err = gn_launch_lend(l, GN_CLR_ENV_INLINE, l->inlining);
	if (!err)
		err = gn_launch_lend(l, GN_CLR_ENV_HOOKS, l->hooks);
	/* what is lent, the library takes back if it has hooks of its own */
	if (!err && (!*l->hooks || l->lends) &&
	    !gn_filter_hooks_nothing(l->filter))
		err = gn_launch_lend(l, KEEP_TAIL_CALLS, "0");
	snprintf(own, sizeof(own), "%u", gn_runtime_own_site());
	if (!err)
		err = gn_launch_lend(l, GN_CLR_ENV_LIVES, own);
	if (!err && (l->fast || getenv(GN_CLR_ENV_FAST)))
		err = gn_launch_lend(l, GN_CLR_ENV_FAST, l->fast ? "1" : "");
	if (!err && (*l->values || getenv(GN_CLR_ENV_VALUES)))
		err = gn_launch_lend(l, GN_CLR_ENV_VALUES, l->values);
	if (!err)
		err = gn_launch_lend(l, GN_CLR_ENV_EVENTS, l->families);
	if (!err && (*l->filter || getenv(GN_CLR_ENV_FILTER)))
		err = gn_launch_lend(l, GN_CLR_ENV_FILTER, l->filter);
	return err;
}

static const char *const limits[] = {
	"in a program that already runs, only methods that -f names are seen, "
	"and only in .NET 8 and later",
	NULL,
};

static const char *const unhooked[] = {
	"a call that is already running is not seen; the next call of the "
	"method is",
	"calls that a compiler replaced by instructions (intrinsics) are not "
	"seen",
	"methods of assemblies that can be unloaded, and methods that are "
	"generated at run time (dynamic methods, emitted assemblies), get no "
	"hooks",
	NULL,
};

static bool listens(pid_t pid)
{
	char why[GN_WHY_MAX];
	int fd = gn_clr_ipc_find(pid, why);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

extern const struct gn_runtime gn_runtime_clr;
/* Programs that were compiled ahead have some of the others, too. */
static const char *const threads[] = {
	".NET SynchManag", /* before .NET 11 */
	".NET Debugger",
	".NET Tiered JIT", /* from .NET 11 on; the others can be turned off */
	NULL,
};

const struct gn_runtime gn_runtime_clr = {
	.id = GN_RUNTIME_CLR,
	.title = ".NET CLR",
	.library = GN_CLR_LIBRARY,
	.library_musl = GN_CLR_LIBRARY_MUSL,
	.provider = GN_CLR_PROVIDER,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.marker = "hostfxr",
	.core = "libcoreclr.so",
	.threads = threads,
	.first_thread = ".NET EventPipe",
	.last_thread = ".NET Finalizer",
	.listens = listens,
	.matches = gn_filter_hooks,
	.prepare = prepare,
	.hindered = hindered,
	.find = gn_clr_find,
	.roles = &gn_clr_roles,
	.attached =
		"only threads and time classes of its managed code are seen",
	.limits = limits,
	.attach = &gn_clr_attach,
	.managed = gn_clr_modules,
	.unhooked = unhooked,
	.get = "install .NET from its vendor's packages or with "
	       "dotnet-install.sh",
};
