/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gnomon/hooksite.h>
#include "elf/notes.h"

/* A launcher's marker is looked for in no more than this much of its file. */
#define MARKER_BYTES (256u << 20)

extern const struct gn_runtime gn_runtime_clr;

static const struct gn_runtime *const runtimes[] = {
	&gn_runtime_clr,
};

const struct gn_runtime *gn_runtime_at(size_t i)
{
	return i < sizeof(runtimes) / sizeof(runtimes[0]) ? runtimes[i] : NULL;
}

void gn_environment_free(char **env)
{
	for (char **e = env; e && *e; e++)
		free(*e);
	free(env);
}

/* True when `word` is somewhere in the file. */
static bool file_has(const char *path, const char *word)
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

bool gn_runtime_starts(const struct gn_runtime *rt, const char *program)
{
	return rt->marker && file_has(program, rt->marker);
}

/* Beside an installed program, then where the build leaves it. */
int gn_runtime_library(const struct gn_runtime *rt, char *path, size_t size)
{
	static const char *const places[] = {GNOMON_LIBRARY_RELATIVE,
					     "hooksite", "../user/hooksite"};
	char exe[PATH_MAX];
	char tried[PATH_MAX * 2];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (len < 0)
		return -errno;
	exe[len] = 0;
	slash = strrchr(exe, '/');
	if (!slash)
		return -ENOENT;
	*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char real[PATH_MAX];

		snprintf(tried, sizeof(tried), "%s/%s/%s", exe, places[i],
			 rt->library);
		if (!realpath(tried, real))
			continue;
		if ((size_t)snprintf(path, size, "%s", real) >= size)
			return -ENAMETOOLONG;
		return 0;
	}
	return -ENOENT;
}

static int add_site(const struct gn_runtime *rt,
		    const struct gn_runtime_site *site, size_t file,
		    const struct gn_note *notes, size_t count, bool nop5,
		    struct gn_probes *probes)
{
	uint64_t cookie = GN_COOKIE(GN_FUNC(rt->id, 0), 0, site->kind,
				    site->func, site->frame);

	for (size_t i = 0; i < count; i++)
		if (!strcmp(notes[i].provider, rt->provider) &&
		    !strcmp(notes[i].name, site->name))
			return gn_probes_add(probes, file, site->prog,
					     notes[i].offset +
						     (nop5 ? GN_SITE_NOP5 : 0),
					     cookie);
	return -ENOENT;
}

int gn_runtime_probes(const struct gn_runtime *rt, const char *library,
		      size_t file, bool nop5, struct gn_probes *probes)
{
	struct gn_note *notes = NULL;
	size_t count = 0;
	int err = gn_notes_read(library, &notes, &count);

	for (size_t i = 0; !err && i < rt->nsites; i++)
		err = add_site(rt, &rt->sites[i], file, notes, count, nop5,
			       probes);
	free(notes);
	return err;
}
