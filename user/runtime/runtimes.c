/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/path.h>
#include "elf/elf_file.h"
#include "hooksite/clr/filter.h"

/* How much of a file is searched for a word. */
#define MARKER_BYTES (256u << 20)

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
	for (size_t i = 0; rt->preloaded && rt->interpreters[i]; i++) {
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

bool gn_runtime_is_core(const struct gn_runtime *rt, const char *path)
{
	const char *name = gn_base_name(path);

	return rt->core &&
	       gn_glob(rt->core, strlen(rt->core), name, strlen(name));
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

bool gn_runtime_file_has(const char *path, const char *word)
{
	enum { CHUNK = 1 << 16, OVERLAP = 64 };
	size_t len = strlen(word), kept = 0, total = 0;
	char *buf = malloc(CHUNK + OVERLAP);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool has = false;
	ssize_t n;

	while (buf && fd >= 0 && len && len <= OVERLAP && !has &&
	       total < MARKER_BYTES && (n = read(fd, buf + kept, CHUNK)) > 0) {
		size_t have = kept + (size_t)n;

		has = memmem(buf, have, word, len);
		/* the word can lie across two chunks */
		kept = have < len - 1 ? have : len - 1;
		memmove(buf, buf + have - kept, kept);
		total += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	free(buf);
	return has;
}

bool gn_runtime_is_script(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char first[2];
	bool is = fd >= 0 && read(fd, first, 2) == 2 && first[0] == '#' &&
		  first[1] == '!';

	if (fd >= 0)
		close(fd);
	return is;
}

static bool has_script_word(const struct gn_runtime *rt, const char *program)
{
	const char *const *word = rt->script_words;

	if (!word || !gn_runtime_is_script(program))
		return false;
	while (*word && !gn_runtime_file_has(program, *word))
		word++;
	return *word;
}

bool gn_runtime_is_image(const struct gn_runtime *rt, const char *program)
{
	size_t len = rt->image ? strlen(rt->image) : 0;
	int fd = len ? open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	char first[8];
	bool is = fd >= 0 && len <= sizeof(first) &&
		  read(fd, first, len) == (ssize_t)len &&
		  !memcmp(first, rt->image, len);

	if (fd >= 0)
		close(fd);
	return is && gn_runtime_file_has(program, rt->image_word);
}

bool gn_runtime_starts(const struct gn_runtime *rt, const char *program)
{
	return (rt->marker && gn_runtime_file_has(program, rt->marker)) ||
	       gn_runtime_is_image(rt, program) ||
	       gn_runtime_script_option(rt, program) ||
	       has_script_word(rt, program);
}

const struct gn_runtime *gn_runtime_started_by(const char *program)
{
	const struct gn_runtime *rt;

	for (size_t i = 0; (rt = gn_runtime_at(i)); i++)
		if (gn_runtime_starts(rt, program))
			return rt;
	return NULL;
}

const char *gn_runtime_script_option(const struct gn_runtime *rt,
				     const char *program)
{
	if (!rt->script_options || !gn_runtime_is_script(program))
		return NULL;
	for (const char *const *name = rt->script_options; *name; name++)
		if (gn_runtime_file_has(program, *name))
			return *name;
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
