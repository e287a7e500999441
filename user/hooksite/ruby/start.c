// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for Ruby, which the preloaded library loads. It comes
 * after the interpreter has read the program and before it runs it.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/lock.h>
#include <gnomon/preload.h>
#include <gnomon/selected.h>
#include "../call_sites.h"
#include "../fast.h"
#include "../preload/runtime.h"
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
	gn_call_follow_forks();
	return gn_hook_begin(gn_call_begin(ruby.asked.fast));
}

static void tell_lock(void)
{
	const int *version = dlsym(RTLD_DEFAULT, "ruby_api_version");
	uint32_t how = version ? gn_lock_of_ruby(version[0], version[1]) : 0;
	ptrdiff_t at = how == GN_LOCK_RUBY_BEFORE ? 0 : gn_rb_context_at();

	if (how == GN_LOCK_RUBY_BEFORE || at)
		gn_site_call_lock(how, (uint64_t)at);
}

static int run_main(gn_preload_run_fn run, void *program)
{
	int status;

	if (!ruby.hooked)
		return run(program);
	ruby.hooked = false;
	if (!begin_hooks()) {
		gn_site_call_selected(GN_SELECTED_RUBIES_LEFT, 1);
		return run(program);
	}
	gn_site_call_init(0);
	tell_lock();
	gn_hook_enter_main();
	status = run(program);
	gn_hook_leave_main();
	return status;
}

/* A static interpreter calls its own function, which is found first. */
static bool is_shared(void)
{
	void *first = dlsym(RTLD_DEFAULT, "ruby_run_node");
	Dl_info info;

	return first && dladdr(first, &info) &&
	       strstr(info.dli_fname, GN_PRELOAD_LIBRARY);
}

void gn_preload_start(const struct gn_preloaded *asked,
		      struct gn_preload_calls *calls)
{
	ruby.asked = *asked;
	gn_fast_lives_at(asked->own_site);
	ruby.hooked = gn_rb_find() && is_shared();
	calls->run = run_main;
	if (!ruby.hooked)
		gn_site_call_selected(GN_SELECTED_RUBIES_LEFT, 1);
}
