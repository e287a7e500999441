/* SPDX-License-Identifier: BSD-2-Clause */
/* What ran before its probes were in place. */
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include <gnomon/path.h>
#include "capture/later_parts.h"

void gn_later_count_late(struct gn_later *l, pid_t pid, uint64_t since,
			 uint64_t until)
{
	uint64_t *told;

	pthread_mutex_lock(&l->lock);
	told = gn_later_until(l, pid, since, &until);
	if (told && *told > since)
		since = *told;
	if (told && until > *told)
		*told = until;
	l->late++;
	l->late_ns += until > since ? until - since : 0;
	pthread_mutex_unlock(&l->lock);
}

uint64_t gn_later_told(struct gn_later *l, pid_t pid, uint64_t since)
{
	uint64_t end = UINT64_MAX, *until, told;

	pthread_mutex_lock(&l->lock);
	until = gn_later_until(l, pid, since, &end);
	told = until ? *until : 0;
	pthread_mutex_unlock(&l->lock);
	return told;
}

static bool is_there(const struct gn_file *file)
{
	struct stat there, st;

	return !fstat(file->fd, &st) && !stat(file->path, &there) &&
	       there.st_dev == st.st_dev && there.st_ino == st.st_ino;
}

void gn_later_note_name(struct gn_file *file)
{
	file->named = file->fd >= 0 && is_there(file);
}

/* -f can name the file by its path only if the path leads to it: in a container
 * it leads to another file, or to none. */
static void miss_module(struct gn_later *l, const struct gn_file *file,
			uint32_t module, pid_t pid, uint64_t since,
			uint64_t until)
{
	gn_later_put_unprobed(
		l, module,
		!gn_session_private(l->session, file, GN_PROG_NATIVE) &&
			is_there(file),
		pid, since, until);
	gn_later_count_late(l, pid, since, until);
}

void gn_later_miss_file(struct gn_later *l, size_t index, pid_t pid,
			uint64_t since, uint64_t until)
{
	miss_module(l, &l->files.file[index], gn_later_module(l, index), pid,
		    since, until);
}

void gn_later_again(struct gn_later *l, size_t index,
		    const struct gn_later_news *n, uint64_t told)
{
	uint64_t probed = l->files.file[index].probed;

	/* processes with links of their own got them at that time, too; if
	 * later ones did not, that has been reported */
	if (n->since < probed && told < probed)
		gn_later_miss_file(l, index, n->pid, n->since, probed);
}

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
	       (!st.st_nlink || (file->named && !is_there(file)));
}

/* Counts a program of the file's name that ended early, if it ran without
 * probes: it began before they were in place, or another file took the path. */
static void miss_gone(struct gn_later *l, const struct gn_file *file,
		      uint32_t module, const struct gn_later_gone *g)
{
	uint64_t until = g->until;

	if (!has_name(file, g->comm) ||
	    gn_later_told(l, g->pid, g->since) > g->since)
		return;
	if (!is_replaced(file) && until > file->probed)
		until = file->probed;
	if (g->since < until)
		miss_module(l, file, module, g->pid, g->since, until);
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
}

void gn_later_miss_gone(struct gn_later *l, size_t index)
{
	for (size_t i = 0; i < GN_ENDED_MAX && i < l->ngone; i++)
		miss_gone(l, &l->files.file[index], gn_later_module(l, index),
			  &l->gone[i]);
}
