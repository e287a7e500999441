/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/attach_awaited.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/session_internal.h"

/* The probes of one program in all files. */
struct batch {
	const char **paths;
	uint64_t *offsets, *cookies, *counters;
	size_t count;
	const struct gn_file *file; /* of the first probe */
};

/* Where the files can be opened. */
typedef char place[GN_FILE_PLACE];

bool gn_awaited_has(const struct gn_session *s, const struct gn_probe_group *g)
{
	return s->mode == GN_ATTACH_SINGLE && s->files.file[g->file].awaited;
}

static int make_room(struct batch *b, size_t count)
{
	b->paths = calloc(count, sizeof(*b->paths));
	b->offsets = calloc(count, sizeof(*b->offsets));
	b->cookies = calloc(count, sizeof(*b->cookies));
	b->counters = calloc(count, sizeof(*b->counters));
	return b->paths && b->offsets && b->cookies && b->counters ? 0
								   : -ENOMEM;
}

static void free_batch(struct batch *b)
{
	free(b->paths);
	free(b->offsets);
	free(b->cookies);
	free(b->counters);
}

static void add(struct batch *b, const struct gn_probe_group *g,
		const char *path)
{
	size_t n = g->count;

	for (size_t i = 0; i < n; i++)
		b->paths[b->count + i] = path;
	memcpy(b->offsets + b->count, g->offsets, n * sizeof(*b->offsets));
	memcpy(b->cookies + b->count, g->cookies, n * sizeof(*b->cookies));
	memcpy(b->counters + b->count, g->counters, n * sizeof(*b->counters));
	b->count += n;
}

/* The i-th group, if it is of this program, with links of this kind. */
static const struct gn_probe_group *take(const struct gn_session *s, size_t i,
					 enum gn_prog prog, bool private)
{
	const struct gn_probe_group *g = &s->probes.group[i];

	return gn_awaited_has(s, g) && g->prog == prog &&
			       gn_session_private(s, &s->files.file[g->file],
						  prog) == private
		       ? g
		       : NULL;
}

static int collect(struct gn_session *s, place *places, enum gn_prog prog,
		   bool private, struct batch *b)
{
	const struct gn_probe_group *g;
	size_t count = 0;

	for (size_t i = 0; i < s->probes.count; i++)
		if ((g = take(s, i, prog, private)))
			count += g->count;
	if (!count)
		return 0;
	if (make_room(b, count))
		return gn_session_fail(s, -ENOMEM, 1, "no memory");
	for (size_t i = 0; i < s->probes.count; i++) {
		g = take(s, i, prog, private);
		if (!g)
			continue;
		b->file = b->file ?: &s->files.file[g->file];
		add(b, g, places[g->file]);
	}
	return 0;
}

static int attach(struct gn_session *s, const struct batch *b,
		  enum gn_prog prog, pid_t pid, int file)
{
	const struct gn_probe_set set = {
		.paths = b->paths,
		.offsets = b->offsets,
		.cookies = b->cookies,
		.counters = b->counters,
		.count = b->count,
		.pid = pid,
		.file = file,
	};

	return gn_session_attach_set(s, prog, &set, b->file->path);
}

static int attach_program(struct gn_session *s, place *places,
			  enum gn_prog prog, bool private, int file)
{
	struct batch b = {.count = 0};
	size_t n;
	const pid_t *pids = gn_session_first(s, &n);
	int err = collect(s, places, prog, private, &b);

	if (b.count && !err && !private)
		err = attach(s, &b, prog, 0, file);
	while (b.count && !err && private && n--)
		err = attach(s, &b, prog, pids[n], file);
	free_batch(&b);
	return err;
}

/* Returns the descriptor of the first file, which stands for all; 0: there is
 * none. */
static int guard(struct gn_session *s, place *places)
{
	int first = 0;

	for (size_t i = 0; i < s->probes.count; i++) {
		const struct gn_probe_group *g = &s->probes.group[i];
		const struct gn_file *file = &s->files.file[g->file];

		if (!gn_awaited_has(s, g) || *places[g->file])
			continue;
		first = first ?: file->fd;
		gn_file_place(file->fd, places[g->file]);
		if (!s->mute)
			gn_written_guard(s->written, file,
					 (uint32_t)g->file + 1, first);
	}
	return first;
}

int gn_awaited_attach(struct gn_session *s)
{
	place *places = calloc(s->files.count + 1, sizeof(*places));
	int err = 0, first;

	if (!places)
		return gn_session_fail(s, -ENOMEM, 1, "no memory");
	first = guard(s, places);
	for (int p = 0; first && !err && p < GN_PROG_COUNT; p++) {
		err = attach_program(s, places, (enum gn_prog)p, false, first);
		if (!err)
			err = attach_program(s, places, (enum gn_prog)p, true,
					     first);
	}
	free(places);
	return err;
}
