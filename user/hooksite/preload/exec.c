// SPDX-License-Identifier: BSD-2-Clause
/*
 * A child of vfork() calls most of these, too, in its parent's memory: they
 * change no memory but their stack, and take none.
 */
#include "hooksite/preload/exec.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gnomon/hooksite.h>
#include <gnomon/preload.h>
#include "hooksite/preload/environment.h"
#include "hooksite/preload/gate.h"
#include "hooksite/preload/lent.h"
#include "hooksite/preload/next.h"
#include "hooksite/preload/program.h"
#include "hooksite/preload/sites.h"

#define EXPORT	 __attribute__((visibility("default")))
#define PRELOAD	 "LD_PRELOAD="
#define MINE	 5
#define MOST_ENV 8192
#define LONGEST	 32768 /* LD_PRELOAD */

extern char **environ;

/* Which of them is called, and with what. */
struct start {
	int (*call)(const struct start *s, char *const *envp);
	const char *file;
	char *const *argv;
	bool exec; /* the process itself becomes the program */
	/* of posix_spawn() */
	pid_t *pid;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attr;
};

typedef int (*exec_fn)(const char *, char *const *, char *const *);
typedef int (*spawn_fn)(pid_t *, const char *,
			const posix_spawn_file_actions_t *,
			const posix_spawnattr_t *, char *const *,
			char *const *);

static struct {
	char *library;		       /* its path */
	const volatile uint16_t *site; /* gnomon's own */
	struct stat file;	       /* the library */
	char *entry[MINE];	       /* NAME=VALUE; NULL: none */
	const char *gate;	       /* the value in the last one, or NULL */
	bool is;
	exec_fn execve, execvpe;
	spawn_fn spawn, spawnp;
} kept;

static const char *const mine[MINE] = {GN_PRELOAD_ENV, GN_PRELOAD_ENV_FILTER,
				       GN_PRELOAD_ENV_EVENTS,
				       GN_PRELOAD_ENV_JVM, GN_PRELOAD_ENV_GATE};

static char *keep(char **envp, const char *name)
{
	const char *value = gn_environment_get(envp, name);
	char *text;

	return value && asprintf(&text, "%s=%s", name, value) > 0 ? text : NULL;
}

void gn_exec_begin(void)
{
	if (kept.execve)
		return;
	kept.execvpe = (exec_fn)gn_next("execvpe");
	kept.spawn = (spawn_fn)gn_next("posix_spawn");
	kept.spawnp = (spawn_fn)gn_next("posix_spawnp");
	kept.execve = (exec_fn)gn_next("execve");
}

/* Without a number: a site that is every gnomon's. */
static const volatile uint16_t *find_site(const char *hooks)
{
	unsigned int n = gn_environment_own(hooks);

	if (n == GN_SITE_OWN_MOST)
		return (const void *)(uintptr_t)gn_site_preload_selected;
	return gn_site_own(gn_site_preload_lives, n);
}

void gn_exec_keep(char **envp)
{
	Dl_info info;

	if (!dladdr(&kept, &info))
		return;
	kept.library = strdup(info.dli_fname);
	for (int i = 0; i < MINE; i++)
		kept.entry[i] = keep(envp, mine[i]);
	if (kept.entry[MINE - 1])
		kept.gate = strchr(kept.entry[MINE - 1], '=') + 1;
	kept.site = find_site(gn_environment_get(envp, GN_PRELOAD_ENV));
	kept.is = kept.library && kept.entry[0] &&
		  !stat(kept.library, &kept.file);
}

const void *gn_exec_own_site(void)
{
	return (const void *)kept.site;
}

/* gnomon has its probe in this library only while it traces the process. */
bool gn_exec_is_traced(void)
{
	return kept.site && *kept.site != GN_SITE_BARE;
}

/* The program's user and its root, which may be others by now, must see the
 * library: the dynamic linker would complain. */
static bool sees_library(void)
{
	int fd = open(kept.library, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool same;

	if (fd < 0)
		return false;
	same = !fstat(fd, &st) && st.st_dev == kept.file.st_dev &&
	       st.st_ino == kept.file.st_ino;
	close(fd);
	return same;
}

/* What a program gets. */
enum gift {
	NOTHING,
	LIBRARY,
	VARIABLES, /* those that .NET needs; the program can see them */
};

static enum gift gift_by_fit(const char *path)
{
	enum gn_program_fit fit = gn_program_fit(path, geteuid());

	if (fit == GN_PROGRAM_ALONE || !sees_library())
		return NOTHING;
	if (fit == GN_PROGRAM_FITS && geteuid() == getuid() &&
	    getegid() == getgid())
		return LIBRARY;
	return gn_lent_count() ? VARIABLES : NOTHING;
}

static enum gift gift_of(const char *path)
{
	int err = errno;
	enum gift gift =
		kept.is && gn_exec_is_traced() ? gift_by_fit(path) : NOTHING;

	errno = err;
	return gift;
}

/* Counts the entries, and finds that of LD_PRELOAD. False: no room for ours, or
 * they are there. */
static bool look(char *const *envp, size_t *n, const char **list, size_t *at)
{
	*list = NULL;
	for (*n = 0; envp && envp[*n]; ++*n) {
		if (*n == MOST_ENV)
			return false;
		if (!*list && !strncmp(envp[*n], PRELOAD, strlen(PRELOAD))) {
			*list = envp[*n] + strlen(PRELOAD);
			*at = *n;
		}
	}
	if (!*list)
		*at = *n;
	return !*list ||
	       (strlen(*list) < LONGEST &&
		!gn_environment_has_library(*list, GN_PRELOAD_LIBRARY));
}

static void add(char **all, char *const *envp, size_t n, size_t at, char *list)
{
	if (n)
		memcpy(all, envp, n * sizeof(*all));
	all[at] = list;
	n += at == n;
	for (int i = 0; i < MINE; i++)
		if (kept.entry[i])
			all[n++] = kept.entry[i];
	for (size_t i = 0; i < gn_lent_count(); i++)
		all[n++] = gn_lent_entry(i);
	all[n] = NULL;
}

static size_t size_of_list(const char *list)
{
	return sizeof(PRELOAD) + strlen(kept.library) +
	       (list ? strlen(list) + 1 : 0);
}

/* The user's own libraries come first, as a sanitizer must. */
static void put_list(char *to, const char *list)
{
	to = stpcpy(to, PRELOAD);
	if (list)
		to = stpcpy(stpcpy(to, list), ":");
	strcpy(to, kept.library);
}

static int start_with(const struct start *s, const char *path,
		      char *const *envp)
{
	size_t n, at;
	const char *list;
	enum gift gift;
	int result;

	gn_exec_begin();
	if (kept.gate && gn_exec_is_traced())
		gn_gate_pass(kept.gate, path, s->exec);
	gift = gift_of(path);
	if (!gift || !look(envp, &n, &list, &at))
		return s->call(s, envp);
	char *all[n + MINE + gn_lent_count() + 2], text[size_of_list(list)];

	if (gift == LIBRARY) {
		put_list(text, list);
		add(all, envp, n, at, text);
	} else {
		gn_lent_merge(all, envp, n);
	}
	result = s->call(s, all);
	if (result == E2BIG || (result < 0 && errno == E2BIG))
		result = s->call(s, envp);
	return result;
}

/* Joins them. False: there is no room. */
static bool join(char path[PATH_MAX], const char *folder, size_t len,
		 const char *file)
{
	size_t size = strlen(file) + 1;

	if (len + 1 + size > PATH_MAX)
		return false;
	memcpy(path, folder, len);
	if (len)
		path[len++] = '/';
	memcpy(path + len, file, size);
	return true;
}

/* Where execvp() finds the file; else the file. */
static const char *find(const char *file, char path[PATH_MAX])
{
	const char *folder = getenv("PATH") ?: "/bin:/usr/bin";

	if (strchr(file, '/'))
		return file;
	for (;;) {
		size_t len = strcspn(folder, ":");
		struct stat st;

		if (join(path, folder, len, file) && !stat(path, &st) &&
		    S_ISREG(st.st_mode) && !access(path, X_OK))
			return path;
		if (!folder[len])
			return file;
		folder += len + 1;
	}
}

static int call_execve(const struct start *s, char *const *envp)
{
	return kept.execve(s->file, s->argv, envp);
}

static int call_execvpe(const struct start *s, char *const *envp)
{
	return kept.execvpe(s->file, s->argv, envp);
}

static int call_spawn(const struct start *s, char *const *envp)
{
	return kept.spawn(s->pid, s->file, s->actions, s->attr, s->argv, envp);
}

static int call_spawnp(const struct start *s, char *const *envp)
{
	return kept.spawnp(s->pid, s->file, s->actions, s->attr, s->argv, envp);
}

EXPORT int execve(const char *path, char *const *argv, char *const *envp)
{
	const struct start s = {
		.call = call_execve, .file = path, .argv = argv, .exec = true};

	return start_with(&s, path, envp);
}

EXPORT int execv(const char *path, char *const *argv)
{
	return execve(path, argv, environ);
}

EXPORT int execvpe(const char *file, char *const *argv, char *const *envp)
{
	const struct start s = {
		.call = call_execvpe, .file = file, .argv = argv, .exec = true};
	char path[PATH_MAX];

	return start_with(&s, find(file, path), envp);
}

EXPORT int execvp(const char *file, char *const *argv)
{
	return execvpe(file, argv, environ);
}

int gn_exec_spawn(pid_t *pid, const char *path,
		  const posix_spawn_file_actions_t *actions,
		  const posix_spawnattr_t *attr, char *const *argv,
		  char *const *envp)
{
	const struct start s = {call_spawn, path,    argv, false,
				pid,	    actions, attr};

	return start_with(&s, path, envp);
}

EXPORT int posix_spawn(pid_t *pid, const char *path,
		       const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attr, char *const *argv,
		       char *const *envp)
{
	return gn_exec_spawn(pid, path, actions, attr, argv, envp);
}

EXPORT int posix_spawnp(pid_t *pid, const char *file,
			const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attr, char *const *argv,
			char *const *envp)
{
	const struct start s = {call_spawnp, file,    argv, false,
				pid,	     actions, attr};
	char path[PATH_MAX];

	return start_with(&s, find(file, path), envp);
}

/* Makes an array of the arguments from `first` to NULL. */
#define COLLECT(argv, first, list)                                     \
	va_list list;                                                  \
	size_t argv##_n = 0;                                           \
	va_start(list, first);                                         \
	for (const char *a = first; a; a = va_arg(list, const char *)) \
		argv##_n++;                                            \
	va_end(list);                                                  \
	char *argv[argv##_n + 1];                                      \
	va_start(list, first);                                         \
	argv[0] = (char *)first;                                       \
	for (size_t i = 1; i <= argv##_n; i++)                         \
	argv[i] = va_arg(list, char *)

EXPORT int execl(const char *path, const char *arg, ...)
{
	COLLECT(argv, arg, list);
	va_end(list);
	return execve(path, argv, environ);
}

EXPORT int execlp(const char *file, const char *arg, ...)
{
	COLLECT(argv, arg, list);
	va_end(list);
	return execvpe(file, argv, environ);
}

EXPORT int execle(const char *path, const char *arg, ...)
{
	char *const *envp;

	COLLECT(argv, arg, list);
	envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, envp);
}
