// SPDX-License-Identifier: BSD-2-Clause
/*
 * The library that the dynamic linker loads before a program (LD_PRELOAD). Its
 * constructor loads the library of the runtime that the program runs.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gnomon/preload.h>
#include <gnomon/selected.h>
#include "hooksite/preload/environment.h"
#include "hooksite/preload/exec.h"
#include "hooksite/preload/jvm.h"
#include "hooksite/preload/later.h"
#include "hooksite/preload/lent.h"
#include "hooksite/preload/next.h"
#include "hooksite/preload/runtime.h"
#include "hooksite/preload/sites.h"

#define EXPORT __attribute__((visibility("default")))

/* NULL in programs without the runtime */
#define WEAK __attribute__((weak, visibility("default")))
WEAK extern void Py_GetVersion(void);
WEAK extern void ruby_process_options(void);
WEAK extern void mono_profiler_create(void);
/* of PHP without threads */
WEAK extern char executor_globals[];
WEAK extern void zend_get_executed_filename_ex(void);
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
	struct gn_preloaded asked;
	atomic_bool awaits;	 /* a runtime can come */
	atomic_ullong libraries; /* that were loaded when it was looked for */
} preload;

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
			  void *(*run)(void *), void *arg)
{
	create_fn create = preload.create;

	/* a constructor of another library can come here before ours */
	if (!create)
		create = (create_fn)gn_next("pthread_create");
	if (preload.calls.thread)
		preload.calls.thread();
	return create(thread, attr, run, arg);
}

EXPORT void tzset(void)
{
	void (*next)(void);

	*(void **)&next = gn_next("tzset");
	next();
	if (preload.calls.zone)
		preload.calls.zone();
}

EXPORT int ruby_run_node(void *program);

/* Ruby's main() calls it, after it has read the program. */
int ruby_run_node(void *program)
{
	gn_preload_run_fn run;

	/* the interpreter has this function */
	*(void **)&run = gn_next("ruby_run_node");
	return preload.calls.run ? preload.calls.run(run, program)
				 : run(program);
}

static const char *library_of_runtime(void)
{
	return Py_GetVersion	      ? GN_PYTHON_LIBRARY
	       : ruby_process_options ? GN_RUBY_LIBRARY
	       : mono_profiler_create ? GN_MONO_LIBRARY
	       : zend_get_executed_filename_ex && executor_globals
		       ? GN_PHP_LIBRARY
		       : NULL;
}

/* The runtimes that can come later. */
static const struct later {
	const char *file, *function, *library;
} laters[] = {
	{"libpython3", "Py_GetVersion", GN_PYTHON_LIBRARY},
	{"libmonosgen-2.0.so", "mono_profiler_create", GN_MONO_LIBRARY},
	{"libphp", "zend_get_executed_filename_ex", GN_PHP_LIBRARY},
};

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
	handle = gn_next_dlopen()(path, RTLD_NOW);
	free(path);
	if (handle)
		*(void **)&start = gn_next_dlsym()(handle, GN_PRELOAD_START);
	dlerror(); /* the program must not find an error that is not its own */
	return start;
}

void gn_later_jvm(const char *file, int mode, gn_dlopen_fn next)
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
	/* a JVM that fails, or only writes an archive, never says it itself */
	gn_site_preload_selected(GN_SELECTED_JVMS, 1);
	begin(&preload.jvm, &preload.calls);
	preload.jvm.filter = NULL;
	gn_jvm_await(handle, preload.calls.jvm);
}

static bool asks_for_none(char **envp)
{
	return gn_environment_is_kind(gn_environment_get(envp, GN_PRELOAD_ENV),
				      GN_PRELOAD_NONE);
}

static void begin_runtime(const char *library)
{
	gn_preload_start_fn start = load(library);

	if (!start)
		return;
	gn_site_preload_selected(GN_SELECTED_INTERPRETERS, 1);
	start(&preload.asked, &preload.calls);
}

struct found {
	const struct later *runtime;
	bool first;
	char path[PATH_MAX];
};

static int look_at(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const char *name = strrchr(info->dlpi_name, '/');
	struct found *f = ctx;

	(void)size;
	if (f->first && atomic_exchange(&preload.libraries, info->dlpi_adds) ==
				info->dlpi_adds)
		return -1;
	f->first = false;
	for (size_t i = 0; name && i < sizeof(laters) / sizeof(laters[0]); i++)
		if (!strncmp(name + 1, laters[i].file,
			     strlen(laters[i].file)) &&
		    strlen(info->dlpi_name) < sizeof(f->path)) {
			f->runtime = &laters[i];
			strcpy(f->path, info->dlpi_name);
			return 1;
		}
	return 0;
}

void gn_later_look(void)
{
	struct found f = {.first = true};
	void *loaded = NULL;

	if (!atomic_load(&preload.awaits) || !gn_exec_is_traced())
		return;
	if (dl_iterate_phdr(look_at, &f) > 0)
		loaded = gn_next_dlopen()(f.path, RTLD_LAZY | RTLD_NOLOAD);
	if (loaded && gn_next_dlsym()(loaded, f.runtime->function) &&
	    atomic_exchange(&preload.awaits, false)) {
		preload.asked.loaded = loaded;
		begin_runtime(f.runtime->library);
	} else if (loaded) {
		dlclose(loaded);
	}
}

static void start(char **argv, char **envp)
{
	const char *library = library_of_runtime();
	bool none = asks_for_none(envp);

	preload.asked = gn_environment_take(envp);
	preload.asked.argv = argv;
	preload.asked.own_site = gn_exec_own_site();
	if (gn_environment_get(envp, GN_PRELOAD_ENV_JVM)) {
		gn_environment_drop(envp, GN_PRELOAD_ENV_JVM);
		preload.jvm = preload.asked;
		preload.jvm.filter = preload.asked.filter
					     ? strdup(preload.asked.filter)
					     : NULL;
	}
	if (none)
		return;
	if (library)
		begin_runtime(library);
	else
		preload.awaits = true;
}

/* glibc passes main()'s arguments to constructors. */
__attribute__((constructor)) static void begin(int argc, char **argv,
					       char **envp)
{
	int err = errno;

	(void)argc;
	preload.create = (create_fn)gn_next("pthread_create");
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
