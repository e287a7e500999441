/* SPDX-License-Identifier: BSD-2-Clause */
/* Which runtime a program's file names, has or starts. */
#include "runtime/runtime.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/path.h>
#include "hooksite/clr/filter.h"

/* How much of a file is searched for a word. */
#define MARKER_BYTES (256u << 20)

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

bool gn_runtime_starts(const struct gn_runtime *rt, const char *program)
{
	return (rt->marker && gn_runtime_file_has(program, rt->marker)) ||
	       gn_runtime_is_image(rt, program) ||
	       gn_runtime_script_option(rt, program) ||
	       has_script_word(rt, program);
}

bool gn_runtime_is_file(const char *glob, const char *path)
{
	static const char deleted[] = " (deleted)";
	const char *name = gn_base_name(path);
	size_t len = strlen(name), word = sizeof(deleted) - 1;

	if (len > word && !strcmp(name + len - word, deleted))
		len -= word;
	return glob && gn_glob(glob, strlen(glob), name, len);
}

bool gn_runtime_is_core(const struct gn_runtime *rt, const char *path)
{
	return gn_runtime_is_file(rt->core, path) ||
	       gn_runtime_is_file(rt->core_library, path);
}
