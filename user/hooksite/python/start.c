// SPDX-License-Identifier: BSD-2-Clause
/*
 * The hook-site library for CPython. The dynamic linker loads it before the
 * program (LD_PRELOAD). Its constructor adds an audit hook, which waits for the
 * main script.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/python.h>
#include "../fast.h"
#include "../preload/environment.h"
#include "api.h"
#include "functions.h"
#include "hook.h"
#include "sites.h"

static struct {
	char *filter;
	bool fast;  /* fast hooks are asked for */
	bool begun; /* the main script runs */
} python;

/* The thread that a thread is about to start is one of Python; its newest
 * thread state was this one before. */
static _Thread_local struct {
	bool is;
	void *newest;
} starts __attribute__((tls_model("initial-exec")));

static void *newest_thread(void)
{
	return gn_py.thread_head(gn_py.main_interpreter());
}

static void begin_main(void)
{
	bool fast;

	if (python.begun)
		return;
	python.begun = true;
	fast = python.fast &&
	       gn_fast_start(GN_PYTHON_SITE(fast), GN_PYTHON_HOOK(enter),
			     GN_PYTHON_HOOK(leave));
	if (!gn_functions_begin(python.filter, fast)) {
		GN_PYTHON_SITE(init)(-1);
		return;
	}
	gn_hook_begin(fast);
	GN_PYTHON_SITE(init)(0);
	gn_py.set_profile(gn_hook, NULL);
}

static int audit(const char *event, struct gn_py *args, void *ctx)
{
	(void)args, (void)ctx;
	if (!strncmp(event, "cpython.run_", strlen("cpython.run_")))
		begin_main();
	if (python.begun && !strncmp(event, "_thread.start_", 14)) {
		starts.is = true;
		starts.newest = newest_thread();
	}
	return 0;
}

/* A new thread inherits no profile function. The interpreter has made its
 * state, but the thread does not run yet. */
static void hook_new_thread(void)
{
	void *thread = newest_thread(), *own;

	if (thread == starts.newest)
		return; /* of another interpreter */
	if (gn_py.set_profile_of) {
		gn_py.set_profile_of(thread, gn_hook, NULL);
		return;
	}
	own = gn_py.swap(thread);
	gn_py.set_profile(gn_hook, NULL);
	gn_py.swap(own);
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
	if (starts.is) {
		starts.is = false;
		hook_new_thread();
	}
	return create(thread, attr, run, arg);
}

/* Removes what gnomon added to the environment. */
static void take_environment(char **envp)
{
	const char *filter = gn_environment_get(envp, GN_PYTHON_ENV_FILTER);
	const char *hooks = gn_environment_get(envp, GN_PYTHON_ENV);

	python.filter = filter ? strdup(filter) : NULL;
	python.fast = hooks && !strcmp(hooks, GN_PYTHON_FAST);
	gn_environment_drop(envp, GN_PYTHON_ENV_FILTER);
	gn_environment_drop(envp, GN_PYTHON_ENV);
	gn_environment_drop_library(envp, GN_PYTHON_LIBRARY);
}

/* glibc passes main()'s arguments to constructors. Other programs keep the
 * environment: they can start a Python. */
__attribute__((constructor)) static void begin(int argc, char **argv,
					       char **envp)
{
	int err = errno;

	(void)argc, (void)argv;
	if (gn_environment_get(envp, GN_PYTHON_ENV) && gn_py_find()) {
		take_environment(envp);
		gn_py.audit(audit, NULL);
	}
	errno = err;
}
