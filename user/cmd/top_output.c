// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/top_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Gives back multiples of this: whole blocks of any file system. */
#define UNIT (1 << 16)

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
	/* a shell's >/dev/stderr empties it */
	if (st.st_size < o->from)
		o->from = 0;
	return st.st_size;
}

void gn_top_output_bound(struct gn_top_output *o)
{
	off_t size = size_of(o), end;

	if (size - o->from <= o->most)
		return;
	end = (size - o->most / 2) / UNIT * UNIT;
	if (end <= o->from ||
	    fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		      o->from, end - o->from))
		return;
	o->dropped += (uint64_t)(end - o->from);
	o->from = end;
}

void gn_top_output_print(struct gn_top_output *o, FILE *f)
{
	char buf[16384];
	ssize_t n;

	if (size_of(o) <= o->from)
		return;
	while ((n = pread(o->fd, buf, sizeof(buf), o->from)) > 0) {
		if (fwrite(buf, 1, (size_t)n, f) != (size_t)n)
			break;
		o->from += n;
	}
	fflush(f);
}
