// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for CPython, which the preloaded library loads. It adds
 * an audit hook, which waits for the main script.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "../fast.h"
#include "../preload/runtime.h"
#include "api.h"
#include "functions.h"
#include "hook.h"

static struct {
	struct gn_preloaded asked;
	bool begun; /* the main script runs */
	bool hooked;
	uint64_t newest; /* number of the newest thread that has the hook */
} python;

/* The calling thread is about to start a thread of Python (from 3.12 on). */
static _Thread_local bool starts __attribute__((tls_model("initial-exec")));

static uint64_t id_of(void *thread)
{
	return gn_py.thread_id ? gn_py.thread_id(thread) : 0;
}

/* The lock is in the state of the runtime: from 3.12 on in that of the main
 * interpreter, which is a part of it. */
static void tell_lock(void)
{
	void *runtime = dlsym(RTLD_DEFAULT, "_PyRuntime");
	const ElfW(Sym) * symbol;
	Dl_info info;

	if (runtime &&
	    dladdr1(runtime, &info, (void **)&symbol, RTLD_DL_SYMENT) && symbol)
		gn_site_call_lock(symbol->st_size, (uintptr_t)runtime);
}

static void begin_main(void)
{
	const struct gn_call_hooks *hooks;

	if (python.begun)
		return;
	python.begun = true;
	gn_call_follow_forks();
	hooks = gn_call_begin(python.asked.fast);
	if (!gn_functions_begin(python.asked.filter)) {
		gn_site_call_selected(GN_SELECTED_PYTHONS_LEFT, 1);
		return;
	}
	gn_hook_begin(hooks);
	python.newest = id_of(gn_py.thread());
	python.hooked = true;
	gn_site_call_init(0);
	tell_lock();
	gn_hook_set();
}

/* greenlet switches between stacks of calls, which no event tells. */
static void see_import(struct gn_py *args)
{
	struct gn_py *name = gn_py.tuple_item(args, 0);
	const char *text = name ? gn_py.utf8(name, NULL) : NULL;

	if (!text)
		gn_py.clear_error();
	else if (!strcmp(text, "greenlet._greenlet") ||
		 !strcmp(text, "_greenlet"))
		gn_site_call_selected(GN_SELECTED_GREENLETS, 1);
}

static int audit(const char *event, struct gn_py *args, void *ctx)
{
	(void)ctx;
	if (!strncmp(event, "cpython.run_", strlen("cpython.run_")))
		begin_main();
	if (!strncmp(event, "_thread.start_", strlen("_thread.start_")))
		starts = python.hooked;
	if (python.hooked && !strcmp(event, "sys.setprofile"))
		gn_hook_replaced();
	if (python.hooked && !strcmp(event, "import"))
		see_import(args);
	return 0;
}

/* Up to 3.11 no event tells that a thread is about to start. But only the
 * holder of the global lock can start one. */
static bool starts_thread(void)
{
	bool is = starts;

	starts = false;
	return is || (python.hooked && gn_py.minor < 12 && gn_py.has_lock());
}

/* A new thread inherits no profile function. The interpreter has made its
 * state, but the thread does not run yet. */
static void hook_new_thread(void)
{
	void *thread = gn_py.thread_head(gn_py.main_interpreter());
	uint64_t id = id_of(thread);

	if (id && id <= python.newest)
		return; /* the thread is of another interpreter, or native */
	python.newest = id;
	gn_hook_set_of(thread);
}

static void see_thread(void)
{
	if (starts_thread())
		hook_new_thread();
}

void gn_preload_start(const struct gn_preloaded *asked,
		      struct gn_preload_calls *calls)
{
	python.asked = *asked;
	gn_fast_lives_at(asked->own_site);
	calls->thread = see_thread;
	if (!gn_py_find() || gn_py.audit(audit, NULL))
		gn_site_call_selected(GN_SELECTED_PYTHONS_LEFT, 1);
}
