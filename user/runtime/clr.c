/* SPDX-License-Identifier: BSD-2-Clause */
/* The .NET CLR (CoreCLR 3.1 and newer), by its profiling interface. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooksite/clr/clsid.h"
#include "hooksite/clr/filter.h"
#include "runtime/clr_attach.h"
#include "runtime/clr_find.h"

/* Registers: ELT3 hooks of the runtime on x86-64 (enter: r14 index, r15 the
 * caller's sp; leave and tailcall: rdi, rsi), the rest plain calls. Those of
 * clr_il_* are in the functions' IL. */
static const struct gn_runtime_site sites[] = {
	{"clr_enter", GN_PROG_MANAGED, GN_KIND_ENTER, GN_SRC_R14, GN_SRC_R15},
	{"clr_leave", GN_PROG_MANAGED, GN_KIND_LEAVE, GN_SRC_DI, GN_SRC_SI},
	{"clr_tailcall", GN_PROG_MANAGED, GN_KIND_TAILCALL, GN_SRC_DI,
	 GN_SRC_SI},
	{"clr_il_enter", GN_PROG_MANAGED, GN_KIND_ENTER, GN_SRC_DI, GN_SRC_SI},
	{"clr_il_leave", GN_PROG_MANAGED, GN_KIND_LEAVE, GN_SRC_DI, GN_SRC_SI},
	{"clr_il_unwound", GN_PROG_MANAGED, GN_KIND_UNWIND_END, GN_SRC_DI,
	 GN_SRC_NONE},
	{"clr_selected", GN_PROG_MANAGED, GN_KIND_SELECTED, GN_SRC_DI,
	 GN_SRC_SI},
	{"clr_unwind_begin", GN_PROG_MANAGED, GN_KIND_UNWIND_BEGIN, GN_SRC_DI,
	 GN_SRC_NONE},
	{"clr_unwind_end", GN_PROG_MANAGED, GN_KIND_UNWIND_END, GN_SRC_DI,
	 GN_SRC_NONE},
	{"clr_jit_begin", GN_PROG_MANAGED, GN_KIND_JIT_BEGIN, GN_SRC_DI,
	 GN_SRC_NONE},
	{"clr_jit_end", GN_PROG_MANAGED, GN_KIND_JIT_END, GN_SRC_DI,
	 GN_SRC_NONE},
	{"clr_gc_begin", GN_PROG_MANAGED, GN_KIND_GC_BEGIN, GN_SRC_NONE,
	 GN_SRC_NONE},
	{"clr_gc_end", GN_PROG_MANAGED, GN_KIND_GC_END, GN_SRC_NONE,
	 GN_SRC_NONE},
	/* on the thread that suspends the others, around all of it */
	{"clr_suspend_begin", GN_PROG_MANAGED, GN_KIND_SUSPEND_BEGIN,
	 GN_SRC_NONE, GN_SRC_NONE},
	{"clr_suspend_abort", GN_PROG_MANAGED, GN_KIND_SUSPEND_END, GN_SRC_NONE,
	 GN_SRC_NONE},
	{"clr_resume_end", GN_PROG_MANAGED, GN_KIND_SUSPEND_END, GN_SRC_NONE,
	 GN_SRC_NONE},
	{"clr_init", GN_PROG_MANAGED, GN_KIND_RUNTIME, GN_SRC_NONE,
	 GN_SRC_NONE},
	{"clr_name", GN_PROG_NAME, 0, GN_SRC_DI, GN_SRC_NONE},
	{"clr_inlined", GN_PROG_MANAGED, GN_KIND_INLINED, GN_SRC_DI, GN_SRC_SI},
	{"clr_unhooked", GN_PROG_MANAGED, GN_KIND_UNHOOKED, GN_SRC_DI,
	 GN_SRC_NONE},
	{"clr_precompiled_refused", GN_PROG_MANAGED, GN_KIND_REFUSED, GN_SRC_DI,
	 GN_SRC_NONE},
	{"clr_precompiled_ran", GN_PROG_MANAGED, GN_KIND_COPIES_RAN, GN_SRC_DI,
	 GN_SRC_SI},
};

static int add(char **env, size_t i, const char *name, const char *value)
{
	return asprintf(&env[i], "%s=%s", name, value) < 0 ? -ENOMEM : 0;
}

/* Another profiler: the runtime takes one only. */
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

/* What keeps the runtime from loading any profiler. Numbers are hexadecimal;
 * the older prefix counts where the newer one is not set. */
static const char *hindered(void)
{
	static const char *const names[][2] = {
		{"DOTNET_EnableDiagnostics", "COMPlus_EnableDiagnostics"},
		{"DOTNET_EnableDiagnostics_Profiler",
		 "COMPlus_EnableDiagnostics_Profiler"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *name = names[i][getenv(names[i][0]) ? 0 : 1];
		const char *value = getenv(name);

		if (value && *value && !strtoul(value, NULL, 16))
			return name;
	}
	return NULL;
}

static int environment(const char *library, const char *filter,
		       const char *inlining, const char *hooks, char ***out,
		       const char **why)
{
	char **env;

	*why = occupied();
	if (*why)
		return -EBUSY;
	env = calloc(9, sizeof(*env));
	if (!env)
		return -ENOMEM;
	if (add(env, 0, "CORECLR_ENABLE_PROFILING", "1") ||
	    add(env, 1, "CORECLR_PROFILER", GN_CLR_CLSID) ||
	    add(env, 2, "CORECLR_PROFILER_PATH", library) ||
	    /* the runtime prefers this one, which may be set already */
	    add(env, 3, "CORECLR_PROFILER_PATH_64", library) ||
	    add(env, 4, GN_CLR_ENV_INLINE, inlining) ||
	    add(env, 5, GN_CLR_ENV_HOOKS, hooks) ||
	    ((*filter || getenv(GN_CLR_ENV_FILTER)) &&
	     add(env, 6, GN_CLR_ENV_FILTER, filter))) {
		gn_environment_free(env);
		return -ENOMEM;
	}
	*out = env;
	return 0;
}

extern const struct gn_runtime gn_runtime_clr;
const struct gn_runtime gn_runtime_clr = {
	.id = GN_RUNTIME_CLR,
	.title = ".NET CLR",
	.library = GN_CLR_LIBRARY,
	.provider = GN_CLR_PROVIDER,
	.sites = sites,
	.nsites = sizeof(sites) / sizeof(sites[0]),
	.marker = "hostfxr",
	.core = "libcoreclr.so",
	.thread = ".NET SynchManag",
	.matches = gn_filter_hooks,
	.environment = environment,
	.hindered = hindered,
	.find = gn_clr_find,
	.attach = &gn_clr_attach,
	.get = "install .NET by its vendor's packages or dotnet-install.sh",
};
