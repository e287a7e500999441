// SPDX-License-Identifier: BSD-2-Clause
#include "trace/blocking.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Another user's pipe may not be opened, and stays as it is. */
static void open_again(int fd, int flags)
{
	int own, close_on_exec = fcntl(fd, F_GETFD) & FD_CLOEXEC;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	/* without O_NONBLOCK, opening waits for a reader */
	own = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (own < 0)
		return;
	fcntl(own, F_SETFL, flags & ~O_NONBLOCK);
	dup3(own, fd, close_on_exec ? O_CLOEXEC : 0);
	close(own);
}

void gn_make_blocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;

	/* The command inherits it, so it must be open for the same as before.
	 */
	if ((flags & O_ACCMODE) != O_WRONLY || !(flags & O_NONBLOCK) ||
	    fstat(fd, &st))
		return;
	if (S_ISFIFO(st.st_mode))
		open_again(fd, flags);
}
