/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/copied.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/session_internal.h"
#include "capture/tell.h"
#include "process/files.h"
#include "process/maps.h"

/* The most places of a file to look at: one probe decides. */
#define LOOKS_MAX 64

/* What is known of one file in one process. */
struct look {
	const struct gn_file *file;
	int mem;	/* /proc/PID/mem */
	size_t without; /* places that have no probe */
	bool probed;	/* a place has one, or cannot be read */
};

/* Only a probe makes code in memory differ from the file. */
static void look_at(struct look *l, const struct gn_mapping *m, uint64_t offset)
{
	uint8_t here, there;

	if (pread(l->file->fd, &there, 1, (off_t)offset) != 1 ||
	    pread(l->mem, &here, 1, (off_t)(m->start + offset - m->offset)) !=
		    1 ||
	    here != there)
		l->probed = true;
	else
		l->without++;
}

static void look_in(const struct gn_session *s, struct look *l,
		    const struct gn_mapping *m)
{
	for (size_t i = 0; i < s->probes.count; i++) {
		const struct gn_probe_group *g = &s->probes.group[i];

		if (&s->files.file[g->file] != l->file)
			continue;
		for (size_t k = 0; k < g->count; k++) {
			uint64_t offset = g->offsets[k];

			if (l->probed || l->without == LOOKS_MAX)
				return;
			if (offset >= m->offset &&
			    offset - m->offset < m->end - m->start)
				look_at(l, m, offset);
		}
	}
}

static bool is_copied(const struct gn_session *s, const struct gn_file *file,
		      pid_t pid)
{
	struct look l = {.file = file};
	struct gn_mapping m = {0};
	struct gn_maps maps;
	char path[32];

	if (gn_maps_open(&maps, pid))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	l.mem = open(path, O_RDONLY | O_CLOEXEC);
	/* the kernel puts probes only into such mappings of the file */
	while (l.mem >= 0 && gn_maps_next(&maps, &m) > 0)
		if (m.exec && !m.write && !m.shared &&
		    gn_file_same(&m.file, &file->id))
			look_in(s, &l, &m);
	gn_maps_close(&maps);
	if (l.mem >= 0)
		close(l.mem);
	return l.without && !l.probed;
}

static bool has_probes(const struct gn_session *s, size_t file)
{
	for (size_t i = 0; i < s->probes.count; i++)
		if (s->probes.group[i].file == file)
			return true;
	return false;
}

void gn_copied_tell(const struct gn_session *s)
{
	/* if the kernel refused probes, their absence proves nothing */
	if (s->opts.command || s->refused)
		return;
	for (size_t i = 0; i < s->files.count; i++) {
		const struct gn_file *file = &s->files.file[i];

		if (file->fd < 0 || !has_probes(s, i) ||
		    !gn_file_on_overlay(file->fd))
			continue;
		for (size_t k = 0; k < s->opts.npids; k++)
			if (is_copied(s, file, s->opts.pids[k]))
				gn_error("process %d runs an older copy of "
					 "'%s' (the overlay copied the file "
					 "when it was changed), so calls of "
					 "functions in it are not seen; start "
					 "the process again",
					 (int)s->opts.pids[k], file->path);
	}
}
