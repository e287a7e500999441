/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that ended before they were looked at. */
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include <gnomon/path.h>
#include "capture/later_parts.h"

/* The kernel names a program by its file, cut to 15 bytes. */
static bool has_name(const struct gn_file *file, const char comm[16])
{
	return file->program && *comm &&
	       !strncmp(gn_base_name(file->path), comm, 15);
}

/* Whether another file has taken the file's path since gnomon opened it. A path
 * in a container leads nowhere here, but a replaced file has no links. */
static bool is_replaced(const struct gn_file *file)
{
	struct stat st;

	return !fstat(file->fd, &st) &&
	       (!st.st_nlink || (file->named && !gn_later_is_there(file)));
}

static bool any_older(const struct gn_later *l, const struct gn_files *files,
		      const struct gn_file *file, uint64_t at)
{
	for (size_t i = 0; i < files->count; i++) {
		const struct gn_file *o = &files->file[i];
		uint64_t written = gn_written_at(l->session->written, o->fd);

		if (o != file && gn_file_same(&o->id, &file->id) &&
		    at < written && written <= file->probed)
			return true;
	}
	return false;
}

/* Whether the file had other content at that time, so these functions were not
 * in it. */
static bool had_other(const struct gn_later *l, const struct gn_file *file,
		      uint64_t at)
{
	return any_older(l, &l->session->files, file, at) ||
	       any_older(l, &l->files, file, at);
}

/* Counts a program of the file's name that ended early, if it ran without
 * probes: it began before they were in place, or another file took the path. */
static void miss_gone(struct gn_later *l, const struct gn_file *file,
		      uint32_t module, const struct gn_later_gone *g)
{
	uint64_t until = g->until;

	if (!has_name(file, g->comm) || had_other(l, file, g->since) ||
	    gn_later_told(l, g->pid, g->since) > g->since)
		return;
	if (!is_replaced(file) && until > file->probed)
		until = file->probed;
	if (g->since < until)
		gn_later_miss_module(l, file, module, g->pid, g->since, until);
}

/* The same for the file that the stop kept from its probes. */
static void miss_cut_off(struct gn_later *l, const struct gn_later_gone *g)
{
	if (*l->cut_off && !strncmp(l->cut_off, g->comm, sizeof(g->comm) - 1) &&
	    gn_later_told(l, g->pid, g->since) <= g->since)
		gn_later_count_late(l, g->pid, g->since, g->until);
}

void gn_later_cut_off(struct gn_later *l, const char *path)
{
	strncpy(l->cut_off, gn_base_name(path), sizeof(l->cut_off) - 1);
	for (size_t i = 0; i < GN_ENDED_MAX && i < l->ngone; i++)
		miss_cut_off(l, &l->gone[i]);
}

void gn_later_ended_early(struct gn_later *l, const struct gn_later_news *n)
{
	const struct gn_files *first = &l->session->files;
	struct gn_later_gone *g;

	/* the command's own first program was looked at before it began */
	if (!*n->comm)
		return;
	g = &l->gone[l->ngone++ % GN_ENDED_MAX];
	*g = (struct gn_later_gone){.pid = n->pid,
				    .since = n->since,
				    .until = gn_later_until_now(l)};
	memcpy(g->comm, n->comm, sizeof(g->comm));
	for (size_t i = 0; i < first->count; i++)
		miss_gone(l, &first->file[i], (uint32_t)i + 1, g);
	for (size_t i = 0; i < l->files.count; i++)
		miss_gone(l, &l->files.file[i], gn_later_module(l, i), g);
	miss_cut_off(l, g);
}

void gn_later_miss_gone(struct gn_later *l, size_t index)
{
	for (size_t i = 0; i < GN_ENDED_MAX && i < l->ngone; i++)
		miss_gone(l, &l->files.file[index], gn_later_module(l, index),
			  &l->gone[i]);
}
