// SPDX-License-Identifier: BSD-2-Clause
/*
 * A child of vfork() calls these, too, in its parent's memory: they change no
 * memory but their stack, and take none.
 */
#include "exec.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnomon/preload.h>
#include "../call_hooks.h"
#include "../preload/environment.h"

#define PRELOAD	 "LD_PRELOAD"
#define MINE	 3
#define MOST_ENV 8192

extern char **environ;

typedef int (*execve_fn)(const char *, char *const *, char *const *);
typedef int (*spawn_fn)(pid_t *, const char *,
			const posix_spawn_file_actions_t *,
			const posix_spawnattr_t *, char *const *,
			char *const *);

static struct {
	char *entry[MINE]; /* NAME=VALUE; NULL: none */
	struct stat file;  /* the interpreter's */
	bool is;
	execve_fn execve;
	spawn_fn spawn;
} kept;

static char *keep(char **envp, const char *name)
{
	const char *value = gn_environment_get(envp, name);
	char *text;

	return value && asprintf(&text, "%s=%s", name, value) > 0 ? text : NULL;
}

static char *keep_library(void)
{
	Dl_info info;
	char *text;

	return dladdr(&kept, &info) && asprintf(&text, PRELOAD "=%s",
						info.dli_fname) > 0
		       ? text
		       : NULL;
}

/* A constructor of another library can come here before ours. */
void gn_exec_begin(void)
{
	kept.execve = (execve_fn)dlsym(RTLD_NEXT, "execve");
	kept.spawn = (spawn_fn)dlsym(RTLD_NEXT, "posix_spawn");
}

void gn_exec_keep(char **envp)
{
	kept.entry[0] = keep_library();
	kept.entry[1] = keep(envp, GN_PYTHON_ENV);
	kept.entry[2] = keep(envp, GN_PYTHON_ENV_FILTER);
	kept.is = kept.entry[0] && kept.entry[1] &&
		  !stat("/proc/self/exe", &kept.file);
}

/* A program that preloads something itself is left alone. */
static bool is_same(const char *path, char *const *envp, size_t *n)
{
	struct stat st;

	*n = 0;
	if (!kept.is || !envp || gn_call_is_over() || stat(path, &st) ||
	    st.st_dev != kept.file.st_dev || st.st_ino != kept.file.st_ino)
		return false;
	for (; envp[*n]; ++*n)
		if (*n == MOST_ENV ||
		    !strncmp(envp[*n], PRELOAD "=", sizeof(PRELOAD)))
			return false;
	return true;
}

static void add(char **all, char *const *envp, size_t n)
{
	memcpy(all, envp, n * sizeof(*all));
	for (int i = 0; i < MINE; i++)
		if (kept.entry[i])
			all[n++] = kept.entry[i];
	all[n] = NULL;
}

__attribute__((visibility("default"))) int
execve(const char *path, char *const *argv, char *const *envp)
{
	size_t n;

	if (!kept.execve)
		gn_exec_begin();
	if (!is_same(path, envp, &n))
		return kept.execve(path, argv, envp);
	char *all[n + MINE + 1];

	add(all, envp, n);
	return kept.execve(path, argv, all);
}

__attribute__((visibility("default"))) int execv(const char *path,
						 char *const *argv)
{
	return execve(path, argv, environ);
}

__attribute__((visibility("default"))) int
posix_spawn(pid_t *pid, const char *path,
	    const posix_spawn_file_actions_t *actions,
	    const posix_spawnattr_t *attr, char *const *argv, char *const *envp)
{
	size_t n;

	if (!kept.spawn)
		gn_exec_begin();
	if (!is_same(path, envp, &n))
		return kept.spawn(pid, path, actions, attr, argv, envp);
	char *all[n + MINE + 1];

	add(all, envp, n);
	return kept.spawn(pid, path, actions, attr, argv, all);
}
