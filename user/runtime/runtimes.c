/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/path.h>
#include "elf/elf_file.h"
#include "hooksite/clr/filter.h"

/* clang-format off */
#define RUNTIMES(X) \
	X(clr) \
	X(hotspot) \
	X(mono) \
	X(php) \
	X(python) \
	X(ruby)
/* clang-format on */

#define RUNTIME_EXTERN(name) extern const struct gn_runtime gn_runtime_##name;
#define RUNTIME_ROW(name)    &gn_runtime_##name,
RUNTIMES(RUNTIME_EXTERN)

static const struct gn_runtime *const runtimes[] = {RUNTIMES(RUNTIME_ROW)};

const struct gn_runtime *gn_runtime_at(size_t i)
{
	return i < sizeof(runtimes) / sizeof(runtimes[0]) ? runtimes[i] : NULL;
}

const struct gn_runtime *gn_runtime_of(uint32_t id)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (rt->id == id)
			return rt;
		else if (rt->methods && rt->methods->id == id)
			return rt->methods;
	return NULL;
}

static bool is_interpreter(const struct gn_runtime *rt, const char *name)
{
	for (size_t i = 0; rt->interpreters && rt->interpreters[i]; i++) {
		size_t len = strlen(rt->interpreters[i]);

		if (!strncmp(name, rt->interpreters[i], len) &&
		    !name[len + strspn(name + len, "0123456789.")])
			return true;
	}
	return false;
}

const struct gn_runtime *gn_runtime_interpreter(const char *program)
{
	const char *name = gn_base_name(program);
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (is_interpreter(rt, name))
			return rt;
	return NULL;
}

bool gn_runtime_makes(const struct gn_runtime *rt, const char *thread)
{
	for (size_t i = 0; rt->threads && rt->threads[i]; i++)
		if (!strcmp(rt->threads[i], thread))
			return true;
	return rt->own_thread && !strcmp(rt->own_thread, thread);
}

bool gn_runtime_stops(const struct gn_runtime *rt)
{
	for (size_t i = 0; i < rt->nsites; i++)
		if (rt->sites[i].kind == GN_KIND_SUSPEND_BEGIN)
			return true;
	return false;
}

const struct gn_runtime *gn_runtime_with_core(const char *path)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (!rt->library && gn_runtime_is_core(rt, path))
			return rt;
	return NULL;
}

bool gn_runtime_is_interpreter(const struct gn_runtime *rt, const char *path)
{
	return rt->interpreter &&
	       !fnmatch(rt->interpreter, gn_base_name(path), FNM_EXTMATCH);
}

const struct gn_runtime *gn_runtime_with_interpreter(const char *path)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (gn_runtime_is_interpreter(rt, path))
			return rt;
	return NULL;
}

const struct gn_runtime *gn_runtime_started_by(const char *program)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (gn_runtime_starts(rt, program))
			return rt;
	return NULL;
}

bool gn_runtime_has_musl(pid_t pid)
{
	char exe[32];

	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	return gn_elf_needs_musl(exe);
}

/* Beside an installed program, then where the build leaves it. */
int gn_runtime_library(const struct gn_runtime *rt, bool musl, char *path,
		       size_t size)
{
	static const char *const places[] = {GNOMON_LIBRARY_RELATIVE,
					     "hooksite", "../user/hooksite"};
	const char *name = musl ? rt->library_musl : rt->library;
	char exe[PATH_MAX];
	char tried[PATH_MAX * 2];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (len < 0)
		return -errno;
	if (!name)
		return -ENOENT;
	exe[len] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return -ENOENT;
	*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char real[PATH_MAX];

		snprintf(tried, sizeof(tried), "%s/%s/%s", exe, places[i],
			 name);
		if (!realpath(tried, real))
			continue;
		if ((size_t)snprintf(path, size, "%s", real) >= size)
			return -ENAMETOOLONG;
		return 0;
	}
	return -ENOENT;
}
