/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <gnomon/grow.h>

static int add(struct gn_descriptors *d, size_t *room, int fd)
{
	int err = gn_grow_by_one(&d->fd, room, d->n, sizeof(*d->fd));

	if (!err)
		d->fd[d->n++] = fd;
	return err;
}

int gn_descriptors_list(struct gn_descriptors *d, const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	size_t room = d->n;
	int err = 0;

	if (!dir)
		return -errno;
	for (errno = 0; !err && (entry = readdir(dir)); errno = 0) {
		int fd = atoi(entry->d_name);

		if (fd > STDERR_FILENO && fd != dirfd(dir))
			err = add(d, &room, fd);
	}
	err = err ?: -errno;
	closedir(dir);
	return err;
}

void gn_descriptors_close(struct gn_descriptors *d, int a, int b)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->fd[i] != a && d->fd[i] != b)
			close(d->fd[i]);
	free(d->fd);
	*d = (struct gn_descriptors){0};
}
