// SPDX-License-Identifier: BSD-2-Clause
#include "runtime/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define WORK_MS 120000
#define STEP_MS 10

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* 0: go on. */
static int check_limits(const struct gn_socket_limits *l)
{
	enum gn_wait w = l->wait ? l->wait(l->ctx) : GN_WAIT_ON;

	if (w == GN_WAIT_ENOUGH)
		return -EINTR;
	return now_ms() >= (w == GN_WAIT_WORKS ? l->works_until : l->until)
		       ? -ETIMEDOUT
		       : 0;
}

static int await(int s, short events, const struct gn_socket_limits *l)
{
	struct pollfd p = {.fd = s, .events = events};
	int err = 0;

	while (!err && poll(&p, 1, STEP_MS) <= 0)
		err = check_limits(l);
	return err;
}

static int send_all(int s, const uint8_t *p, size_t left,
		    const struct gn_socket_limits *l)
{
	while (left) {
		ssize_t n = send(s, p, left, MSG_NOSIGNAL | MSG_DONTWAIT);
		int err = 0;

		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		if (n < 0)
			err = await(s, POLLOUT, l);
		if (err)
			return err;
		p += n > 0 ? n : 0;
		left -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

ssize_t gn_socket_receive(int s, void *to, size_t room,
			  const struct gn_socket_limits *l)
{
	ssize_t n = -1;

	while (n < 0) {
		int err = await(s, POLLIN, l);

		if (err)
			return err;
		n = recv(s, to, room, MSG_DONTWAIT);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
	}
	return n;
}

static int connect_to(int s, int fd, const struct gn_socket_limits *l)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d", fd);
	for (;;) {
		int err;

		if (!connect(s, (struct sockaddr *)&to, sizeof(to)))
			return 0;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		/* its queue is full, and poll() cannot wait for room in it */
		poll(NULL, 0, STEP_MS);
		err = check_limits(l);
		if (err)
			return err;
	}
}

int gn_socket_say(int fd, pid_t pid, const void *message, size_t size,
		  const struct gn_socket_limits *l)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct ucred peer;
	socklen_t len = sizeof(peer);
	int err;

	if (s < 0)
		return -errno;
	err = connect_to(s, fd, l);
	if (!err && getsockopt(s, SOL_SOCKET, SO_PEERCRED, &peer, &len))
		err = -errno;
	if (!err && peer.pid != pid)
		err = -EPERM;
	if (!err)
		err = send_all(s, message, size, l);
	if (err)
		close(s);
	return err ? err : s;
}

struct gn_socket_limits gn_socket_limits(int ms, gn_wait_fn wait, void *ctx)
{
	const uint64_t until = now_ms() + (uint64_t)ms;

	return (struct gn_socket_limits){until, until + WORK_MS, wait, ctx};
}

int gn_socket_open(int dir, const char *name, uid_t uid)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	struct stat st;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && S_ISSOCK(st.st_mode) && st.st_uid == uid)
		return fd;
	close(fd);
	return -ENOENT;
}
