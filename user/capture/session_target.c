/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks at the target: its threads, whether it lives, and its clock. */
#include "capture/session_internal.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <gnomon/control.h>
#include "capture/clock.h"
#include "gnomon.skel.h"

int gn_session_iterate(struct gn_session *s, int fd)
{
	char buf[256];
	ssize_t n;

	do {
		n = read(fd, buf, sizeof(buf));
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (n < 0)
		return gn_session_fail(s, -errno, 1,
				       "the threads cannot be listed (%s)",
				       strerror(errno));
	return 0;
}

int gn_session_look(struct gn_session *s)
{
	int fd = bpf_iter_create(bpf_link__fd(s->iter));
	int err;

	if (fd < 0)
		return gn_session_fail(s, -errno, 1,
				       "the threads cannot be listed (%s)",
				       strerror(errno));
	err = gn_session_iterate(s, fd);
	close(fd);
	return err;
}

bool gn_session_lives(const struct gn_session *s)
{
	struct pollfd p = {.events = POLLIN};

	if (s->opts.command) {
		p.fd = s->child.pidfd;
		return poll(&p, 1, 0) <= 0;
	}
	for (size_t i = 0; i < s->opts.npids; i++) {
		p.fd = s->pidfds[i];
		if (poll(&p, 1, 0) <= 0)
			return true;
	}
	return false;
}

void gn_session_note_clock(struct gn_session *s)
{
	struct gn_control *control = &s->skel->bss->control;
	struct timespec real;
	uint64_t now = gn_now_ns();

	clock_gettime(CLOCK_REALTIME, &real);
	__atomic_store_n(&control->real_ahead,
			 (uint64_t)real.tv_sec * 1000000000u +
				 (uint64_t)real.tv_nsec - now,
			 __ATOMIC_RELAXED);
}
