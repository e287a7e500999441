/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/deliver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIPE_MOST (1 << 20) /* what the kernel allows users by default */

bool gn_deliver_to(int fd)
{
	struct stat st;

	return !fstat(fd, &st) &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

static void make_room(int fd, size_t size)
{
	int now = fcntl(fd, F_GETPIPE_SZ);

	/* the pipe keeps its contents; a smaller size than requested is fine,
	 * too */
	if (now > 0 && now < PIPE_MOST && size > (size_t)now / 2)
		fcntl(fd, F_SETPIPE_SZ, PIPE_MOST);
}

int gn_deliver(int fd, const char *text, size_t size, int patience,
	       size_t *done)
{
	make_room(fd, size);
	for (*done = 0; *done < size;) {
		struct pollfd p = {.fd = fd, .events = POLLOUT};
		size_t part = size - *done < PIPE_BUF ? size - *done : PIPE_BUF;
		int ready = poll(&p, 1, patience);
		ssize_t n;

		if (!ready)
			return -ETIMEDOUT;
		if (ready < 0 && errno != EINTR)
			return -errno;
		if (ready < 0)
			continue;
		/* a pipe that is ready has room for PIPE_BUF bytes */
		n = write(fd, text + *done, part);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0)
			*done += (size_t)n;
	}
	return 0;
}
