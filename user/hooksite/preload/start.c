// SPDX-License-Identifier: BSD-2-Clause
/*
 * The library that the dynamic linker loads before a program (LD_PRELOAD). Its
 * constructor loads the library of the runtime that the program runs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/preload.h>
#include <gnomon/selected.h>
#include "hooksite/preload/dlopen.h"
#include "hooksite/preload/environment.h"
#include "hooksite/preload/exec.h"
#include "hooksite/preload/jvm.h"
#include "hooksite/preload/lent.h"
#include "hooksite/preload/runtime.h"
#include "hooksite/preload/sites.h"

#define EXPORT __attribute__((visibility("default")))

/* NULL in programs without the runtime */
#define WEAK __attribute__((weak, visibility("default")))
WEAK extern void Py_GetVersion(void);
WEAK extern void ruby_process_options(void);
WEAK extern void mono_profiler_create(void);
/* of .NET, if the program is linked with it; .NET 5 has the second one only */
WEAK extern void DotNetRuntimeInfo(void);
WEAK extern void g_dacTable(void);

typedef int (*create_fn)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
			 void *);

static struct {
	struct gn_preload_calls calls;
	create_fn create;
	/* what a JVM gets that this process loads; no filter: nothing */
	struct gn_preloaded jvm;
} preload;

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg)
{
	create_fn create = preload.create;

	/* a constructor of another library can come here before ours */
	if (!create)
		create = (create_fn)dlsym(RTLD_NEXT, "pthread_create");
	if (preload.calls.thread)
		preload.calls.thread();
	return create(thread, attr, run, arg);
}

EXPORT int ruby_run_node(void *program);

/* Ruby's main() calls it, after it has read the program. */
int ruby_run_node(void *program)
{
	gn_preload_run_fn run;

	/* the interpreter has this function */
	*(void **)&run = dlsym(RTLD_NEXT, "ruby_run_node");
	return preload.calls.run ? preload.calls.run(run, program)
				 : run(program);
}

static const char *library_of_runtime(void)
{
	return Py_GetVersion	      ? GN_PYTHON_LIBRARY
	       : ruby_process_options ? GN_RUBY_LIBRARY
	       : mono_profiler_create ? GN_MONO_LIBRARY
				      : NULL;
}

/* Finds the function of the library of this name, beside this one. */
static gn_preload_start_fn load(const char *library)
{
	gn_preload_start_fn start = NULL;
	const char *slash;
	void *handle;
	Dl_info info;
	char *path;

	if (!dladdr((void *)gn_site_preload_selected, &info))
		return NULL;
	slash = strrchr(info.dli_fname, '/');
	if (!slash || asprintf(&path, "%.*s/%s", (int)(slash - info.dli_fname),
			       info.dli_fname, library) < 0)
		return NULL;
	handle = dlopen(path, RTLD_NOW);
	free(path);
	if (handle)
		*(void **)&start = dlsym(handle, GN_PRELOAD_START);
	dlerror(); /* the program must not find an error that is not its own */
	return start;
}

void gn_preload_jvm(const char *file, int mode, gn_dlopen_fn next)
{
	gn_preload_start_fn begin;
	void *handle;

	if (!preload.jvm.filter || !gn_exec_is_traced())
		return;
	/* first: gnomon asks for it when the JVM is loaded */
	begin = load(GN_JAVA_LIBRARY);
	handle = begin ? next(file, mode) : NULL;
	if (!handle)
		return;
	begin(&preload.jvm, &preload.calls);
	preload.jvm.filter = NULL;
	gn_jvm_await(handle, preload.calls.jvm);
}

static bool asks_for_none(char **envp)
{
	return gn_environment_is_kind(gn_environment_get(envp, GN_PRELOAD_ENV),
				      GN_PRELOAD_NONE);
}

static void start(char **argv, char **envp)
{
	const char *library = asks_for_none(envp) ? NULL : library_of_runtime();
	struct gn_preloaded asked = gn_environment_take(
		envp, GN_PRELOAD_LIBRARY, GN_PRELOAD_ENV, GN_PRELOAD_ENV_FILTER,
		GN_PRELOAD_ENV_EVENTS);
	gn_preload_start_fn begin = library ? load(library) : NULL;

	asked.own_site = gn_exec_own_site();
	if (gn_environment_get(envp, GN_PRELOAD_ENV_JVM)) {
		gn_environment_drop(envp, GN_PRELOAD_ENV_JVM);
		preload.jvm = asked;
		preload.jvm.filter = asked.filter ? strdup(asked.filter) : NULL;
	}
	if (!begin) {
		free(asked.filter);
		return;
	}
	asked.argv = argv;
	gn_site_preload_selected(GN_SELECTED_INTERPRETERS, 1);
	begin(&asked, &preload.calls);
}

/* glibc passes main()'s arguments to constructors. */
__attribute__((constructor)) static void begin(int argc, char **argv,
					       char **envp)
{
	int err = errno;

	(void)argc;
	preload.create = (create_fn)dlsym(RTLD_NEXT, "pthread_create");
	gn_exec_begin();
	if (gn_environment_get(envp, GN_PRELOAD_ENV)) {
		gn_exec_keep(envp);
		gn_lent_take(envp);
		start(argv, envp);
		if (DotNetRuntimeInfo || g_dacTable)
			gn_lent_give();
	}
	errno = err;
}
