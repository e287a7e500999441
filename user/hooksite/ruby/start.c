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

#include <gnomon/lock.h>
#include <gnomon/preload.h>
#include <gnomon/selected.h>
#include "../call_sites.h"
#include "../preload/environment.h"
#include "api.h"
#include "functions.h"
#include "hook.h"

static struct {
	struct gn_preloaded asked;
	bool hooked;
} ruby;

static bool begin_hooks(void)
{
	if (!gn_rb_check())
		return false;
	gn_functions_begin(ruby.asked.filter);
	return gn_hook_begin(gn_call_begin(ruby.asked.fast));
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
		gn_site_call_selected(GN_SELECTED_RUBIES_LEFT, 1);
		return run(node);
	}
	gn_site_call_init(0);
	gn_site_call_lock(GN_LOCK_RUBY_BEFORE, 0);
	gn_hook_enter_main();
	status = run(node);
	gn_hook_leave_main();
	return status;
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
		ruby.asked = gn_environment_take(
			envp, GN_RUBY_LIBRARY, GN_RUBY_ENV, GN_RUBY_ENV_FILTER);
		if (!ruby.hooked)
			gn_site_call_selected(GN_SELECTED_RUBIES_LEFT, 1);
	}
	errno = err;
}
