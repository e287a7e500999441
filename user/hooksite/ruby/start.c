// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for Ruby. The dynamic linker loads it before the
 * program (LD_PRELOAD), so that the interpreter's main() calls this
 * ruby_run_node(), after it has read the program and before it runs it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/ruby.h>
#include <gnomon/selected.h>
#include "../fast.h"
#include "../preload/environment.h"
#include "api.h"
#include "functions.h"
#include "hook.h"
#include "sites.h"

static struct {
	char *filter;
	bool hooked, fast;
} ruby;

static bool begin_hooks(void)
{
	bool fast;

	if (!gn_rb_check())
		return false;
	fast = ruby.fast &&
	       gn_fast_start(GN_RUBY_SITE(fast), GN_RUBY_HOOK(enter),
			     GN_RUBY_HOOK(leave));
	gn_functions_begin(ruby.filter, fast);
	return gn_hook_begin(fast);
}

__attribute__((visibility("default"))) int ruby_run_node(void *node);

int ruby_run_node(void *node)
{
	int (*run)(void *node);
	int status;

	/* the interpreter has this function */
	*(void **)&run = dlsym(RTLD_NEXT, "ruby_run_node");
	if (!ruby.hooked)
		return run(node);
	ruby.hooked = false;
	if (!begin_hooks()) {
		GN_RUBY_SITE(selected)(GN_SELECTED_RUBIES_LEFT, 1);
		return run(node);
	}
	GN_RUBY_SITE(init)(0);
	gn_hook_enter_main();
	status = run(node);
	gn_hook_leave_main();
	return status;
}

/* Removes what gnomon added to the environment. */
static void take_environment(char **envp)
{
	const char *filter = gn_environment_get(envp, GN_RUBY_ENV_FILTER);
	const char *hooks = gn_environment_get(envp, GN_RUBY_ENV);

	ruby.filter = filter ? strdup(filter) : NULL;
	ruby.fast = hooks && !strcmp(hooks, GN_RUBY_FAST);
	gn_environment_drop(envp, GN_RUBY_ENV_FILTER);
	gn_environment_drop(envp, GN_RUBY_ENV);
	gn_environment_drop_library(envp, GN_RUBY_LIBRARY);
}

/* A static interpreter calls its own function, which is found first. */
static bool is_ours(void)
{
	return dlsym(RTLD_DEFAULT, "ruby_run_node") == (void *)ruby_run_node;
}

static bool has_ruby(void)
{
	return dlsym(RTLD_NEXT, "ruby_run_node") || !is_ours();
}

/* glibc passes main()'s arguments to constructors. Other programs keep the
 * environment: they can start a Ruby. */
__attribute__((constructor)) static void begin(int argc, char **argv,
					       char **envp)
{
	int err = errno;

	(void)argc, (void)argv;
	if (gn_environment_get(envp, GN_RUBY_ENV) && has_ruby()) {
		ruby.hooked = gn_rb_find() && is_ours();
		take_environment(envp);
		if (!ruby.hooked)
			GN_RUBY_SITE(selected)(GN_SELECTED_RUBIES_LEFT, 1);
	}
	errno = err;
}
