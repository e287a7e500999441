// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Frees space in multiples of this: whole blocks of any file system. */
#define UNIT (1 << 16)
/* Bytes per call, every 20 ms: no terminal is faster. */
#define SOME (1 << 20)

static int open_in(const char *dir)
{
	return open(dir, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
}

int gn_top_output_open(struct gn_top_output *o, const struct gn_user *user)
{
	const char *dir = getenv("TMPDIR");
	int fd = dir && *dir ? open_in(dir) : -1;

	if (fd < 0)
		fd = open_in("/tmp");
	*o = (struct gn_top_output){.most = GN_TOP_OUTPUT_MOST};
	if (fd < 0)
		return -errno;
	if (user->other && fchown(fd, user->uid, user->gid)) {
		int err = -errno;

		close(fd);
		return err;
	}
	o->fd = fd;
	return 0;
}

void gn_top_output_close(struct gn_top_output *o)
{
	if (o->fd > 0)
		close(o->fd);
	*o = (struct gn_top_output){0};
}

static off_t size_of(struct gn_top_output *o)
{
	struct stat st;

	if (o->fd <= 0 || fstat(o->fd, &st))
		return o->from;
	/* >/dev/stderr in a shell truncates the file */
	if (st.st_size < o->from)
		o->from = o->freed = 0;
	return st.st_size;
}

static bool give_back(struct gn_top_output *o, off_t end)
{
	end = end / UNIT * UNIT;
	if (end <= o->freed ||
	    fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      o->freed, end - o->freed))
		return false;
	o->freed = end;
	return true;
}

void gn_top_output_bound(struct gn_top_output *o)
{
	off_t size = size_of(o);

	if (size - o->from <= o->most || !give_back(o, size - o->most / 2))
		return;
	o->dropped += (uint64_t)(o->freed - o->from);
	o->from = o->freed;
}

static bool print_part(struct gn_top_output *o, off_t end, FILE *f)
{
	char buf[PIPE_BUF]; /* a ready pipe has room for this */
	size_t most = sizeof(buf);
	ssize_t n;

	if (end - o->from < (off_t)most)
		most = (size_t)(end - o->from);
	n = pread(o->fd, buf, most, o->from);
	if (n <= 0 || fwrite(buf, 1, (size_t)n, f) != (size_t)n)
		return false;
	o->from += n;
	return true;
}

void gn_top_output_print(struct gn_top_output *o, FILE *f)
{
	off_t end = size_of(o);

	while (o->from < end && print_part(o, end, f))
		;
	fflush(f);
	give_back(o, o->from);
}

void gn_top_output_print_some(struct gn_top_output *o, FILE *f)
{
	struct pollfd p = {.fd = fileno(f), .events = POLLOUT};
	off_t end = size_of(o);

	if (end - o->from > SOME)
		end = o->from + SOME;
	while (o->from < end && poll(&p, 1, 0) > 0 && print_part(o, end, f))
		fflush(f);
	give_back(o, o->from);
}
