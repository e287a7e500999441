// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for CPython. The dynamic linker loads it before the
 * program (LD_PRELOAD). Its constructor adds an audit hook, which waits for the
 * main script.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/preload.h>
#include <gnomon/selected.h>
#include "../call_sites.h"
#include "../preload/environment.h"
#include "api.h"
#include "exec.h"
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

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
			 void *);

__attribute__((visibility("default"))) int
pthread_create(pthread_t *thread, const pthread_attr_t *attr,
	       void *(*run)(void *), void *arg)
{
	static create_fn create;

	if (!create)
		create = (create_fn)dlsym(RTLD_NEXT, "pthread_create");
	if (starts_thread())
		hook_new_thread();
	return create(thread, attr, run, arg);
}

/* glibc passes main()'s arguments to constructors. Other programs keep the
 * environment: they can start a Python. */
__attribute__((constructor)) static void begin(int argc, char **argv,
					       char **envp)
{
	int err = errno;

	(void)argc, (void)argv;
	gn_exec_begin();
	if (gn_environment_get(envp, GN_PYTHON_ENV) && gn_py_is_here()) {
		gn_exec_keep(envp);
		python.asked = gn_environment_take(envp, GN_PYTHON_LIBRARY,
						   GN_PYTHON_ENV,
						   GN_PYTHON_ENV_FILTER);
		if (!gn_py_find() || gn_py.audit(audit, NULL))
			gn_site_call_selected(GN_SELECTED_PYTHONS_LEFT, 1);
	}
	errno = err;
}
