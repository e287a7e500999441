/* SPDX-License-Identifier: BSD-2-Clause */
/* What ran before its probes were in place. */
#include <pthread.h>
#include <sys/stat.h>

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

bool gn_later_is_there(const struct gn_file *file)
{
	struct stat there, st;

	return !fstat(file->fd, &st) && !stat(file->path, &there) &&
	       there.st_dev == st.st_dev && there.st_ino == st.st_ino;
}

void gn_later_note_name(struct gn_file *file)
{
	file->named = file->fd >= 0 && gn_later_is_there(file);
}

/* -f can name the file by its path only if the path leads to it: in a container
 * it leads to another file, or to none. */
void gn_later_miss_module(struct gn_later *l, const struct gn_file *file,
			  uint32_t module, pid_t pid, uint64_t since,
			  uint64_t until)
{
	gn_later_put_unprobed(
		l, module,
		!gn_session_private(l->session, file, GN_PROG_NATIVE) &&
			gn_later_is_there(file),
		pid, since, until);
	gn_later_count_late(l, pid, since, until);
}

void gn_later_miss_file(struct gn_later *l, size_t index, pid_t pid,
			uint64_t since, uint64_t until)
{
	gn_later_miss_module(l, &l->files.file[index],
			     gn_later_module(l, index), pid, since, until);
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
