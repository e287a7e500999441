/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/inside.h"

/* Opens the file that `place`, an O_PATH descriptor, refers to. Closes
 * `place`. */
static int open_place(int place)
{
	char path[48];
	struct stat st;
	int fd;

	if (fstat(place, &st))
		fd = -errno;
	else if (!S_ISREG(st.st_mode))
		fd = S_ISDIR(st.st_mode) ? -EISDIR : -ENOEXEC;
	else {
		snprintf(path, sizeof(path), "/proc/thread-self/fd/%d", place);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
	}
	close(place);
	return fd;
}

int gn_regular_open(const char *path)
{
	int place = open(path, O_PATH | O_CLOEXEC);

	return place < 0 ? -errno : open_place(place);
}

int gn_regular_open_in(int root, const char *path)
{
	int place = gn_inside_open(root, path, O_PATH);

	return place < 0 ? place : open_place(place);
}
