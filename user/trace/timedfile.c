/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/timedfile.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <time.h>

/* How long a pipe may stay full when everything else is done. */
#define STUCK_NS 1500000000u

uint64_t gn_timedfile_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A write to anything but a regular file can block for ever. So poll first, so
 * that the thread can still be stopped. A writable pipe takes PIPE_BUF bytes at
 * once. */
static int write_asked(struct gn_timedfile *f, const unsigned char *bytes,
		       size_t n)
{
	struct pollfd p = {.fd = f->out.fd, .events = POLLOUT};
	int err = 0;

	while (n && !err) {
		size_t piece = n < PIPE_BUF ? n : PIPE_BUF;

		while (poll(&p, 1, GN_TIMEDFILE_ASK_MS) <= 0)
			if (atomic_load(&f->abandoned))
				return -ETIMEDOUT;
		err = gn_outfile_write(&f->out, bytes, piece);
		atomic_store(&f->moved, gn_timedfile_now());
		bytes += piece;
		n -= piece;
	}
	return err;
}

int gn_timedfile_write(struct gn_timedfile *f, const unsigned char *bytes,
		       size_t n, uint64_t begun)
{
	uint64_t packed = gn_timedfile_now();
	int err;

	atomic_store(&f->pack_ns, packed - begun);
	atomic_store(&f->moved, packed);
	atomic_store(&f->begun, packed);
	err = f->out.regular ? gn_outfile_write(&f->out, bytes, n)
			     : write_asked(f, bytes, n);
	atomic_store(&f->slow, gn_timedfile_now() - packed > packed - begun);
	atomic_store(&f->begun, 0);
	return err;
}

bool gn_timedfile_stuck(const struct gn_timedfile *f)
{
	return !f->out.regular && atomic_load(&f->begun) &&
	       gn_timedfile_now() - atomic_load(&f->moved) > STUCK_NS;
}

void gn_timedfile_finish(struct gn_timedfile *f)
{
	atomic_store(&f->moved, gn_timedfile_now());
}

bool gn_timedfile_slow(const struct gn_timedfile *f)
{
	uint64_t begun = atomic_load(&f->begun);

	return atomic_load(&f->slow) ||
	       (begun && gn_timedfile_now() - begun > atomic_load(&f->pack_ns));
}

void gn_timedfile_abandon(struct gn_timedfile *f)
{
	atomic_store(&f->abandoned, true);
}
