/* SPDX-License-Identifier: BSD-2-Clause */
#include "capture/gate.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <gnomon/thread.h>
#include "capture/clock.h"
#include "capture/later_parts.h"
#include "process/parent.h"

/* How many can be about to send a file. On a busy machine each can take long to
 * do so, so nobody waits for another. */
#define SENDERS_MOST 256

struct gn_gate {
	int fd; /* -1: closed */
	uid_t uid;
	char name[16];
	pthread_t thread;
	struct gn_later *later; /* NULL: there is no thread */
};

/* The kernel chooses a free name. */
static int listen_at(struct gn_gate *g)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t size = sizeof(at.sun_family), had = sizeof(at);
	size_t n;

	if (bind(g->fd, (const void *)&at, size) || listen(g->fd, SOMAXCONN) ||
	    getsockname(g->fd, (void *)&at, &had))
		return -errno;
	n = had - offsetof(struct sockaddr_un, sun_path) - 1;
	if (n >= sizeof(g->name))
		return -E2BIG;
	memcpy(g->name, at.sun_path + 1, n);
	return 0;
}

struct gn_gate *gn_gate_new(uid_t uid)
{
	struct gn_gate *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->uid = uid;
	g->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (g->fd >= 0 && !listen_at(g))
		return g;
	gn_gate_free(g);
	return NULL;
}

const char *gn_gate_name(const struct gn_gate *g)
{
	return g->name;
}

static bool is_traced(uint32_t pid, const void *later)
{
	return gn_later_traced((void *)later, (pid_t)pid);
}

/* Any process can connect; those of other users are not served, except traced
 * ones: su and the like change their user. */
static bool is_ours(const struct gn_gate *g, int fd, pid_t *pid)
{
	struct ucred who;
	socklen_t size = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size))
		return false;
	*pid = who.pid;
	/* the records of a new process, and of those that made it, can come
	 * later */
	return who.uid == g->uid || !who.uid ||
	       gn_process_or_above((uint32_t)who.pid, is_traced, g->later);
}

/* Receives the file; -1: there is none. */
static int receive(int fd)
{
	char byte;
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 /* of more files, the kernel gives us one */
				 .msg_controllen = CMSG_LEN(sizeof(int))};
	const struct cmsghdr *c;
	int file = -1;

	if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(file)))
		memcpy(&file, CMSG_DATA(c), sizeof(file));
	return file;
}

/* Whether a process needs links of its own, whatever program it starts: for
 * libraries that others map, too. */
static bool needs_links(struct gn_later *l)
{
	bool needs;

	pthread_mutex_lock(&l->lock);
	needs = l->privates;
	pthread_mutex_unlock(&l->lock);
	return needs;
}

/* Finds out which file that is. False: it is known that it needs nothing. */
static bool look(struct gn_later *l, struct gn_later_news *n)
{
	char place[GN_FILE_PLACE], path[PATH_MAX];
	bool needs = needs_links(l);
	struct stat st;
	ssize_t len;

	if (n->fd < 0 || fstat(n->fd, &st) || !S_ISREG(st.st_mode) ||
	    (!needs && gn_later_is_plain(l, &st)))
		return false;
	len = readlink(gn_file_place(n->fd, place), path, sizeof(path) - 1);
	if (len <= 0)
		return false;
	path[len] = '\0';
	if ((!needs && !gn_filter_file(l->session->filter, path, true)) ||
	    gn_maps_name(n->fd, &n->file))
		return false;
	n->path = strdup(path);
	return n->path;
}

static void serve(struct gn_gate *g, int fd)
{
	struct gn_later *l = g->later;
	struct gn_later_news n = {.kind = GN_NEWS_GATE,
				  .fd = -1,
				  .gate = fd,
				  .since = gn_now_ns()};
	bool needs;

	if (is_ours(g, fd, &n.pid))
		n.fd = receive(fd);
	needs = look(l, &n);
	pthread_mutex_lock(&l->lock);
	l->passed += n.fd >= 0;
	if (needs)
		gn_later_ask(l, &n);
	pthread_mutex_unlock(&l->lock);
	if (!needs)
		gn_later_forget(&n);
}

/* Accepts who comes, in the place of the one who has not sent a file for
 * longest if there is no other. False: the gate is shut down. */
static bool admit(const struct gn_gate *g, struct pollfd *senders, size_t *n)
{
	int fd = accept4(g->fd, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE)
			usleep(10000);
		return errno != EINVAL;
	}
	if (*n == SENDERS_MOST) {
		close(senders->fd);
		memmove(senders, senders + 1, --*n * sizeof(*senders));
	}
	senders[(*n)++] = (struct pollfd){.fd = fd, .events = POLLIN};
	return true;
}

/* Serves who has sent a file, or has ended. Returns how many are left. */
static size_t serve_all(struct gn_gate *g, struct pollfd *senders, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (senders[i].revents)
			serve(g, senders[i].fd);
		else
			senders[left++] = senders[i];
	return left;
}

static void *work(void *gate)
{
	struct gn_gate *g = gate;
	struct pollfd fds[1 + SENDERS_MOST] = {{.fd = g->fd, .events = POLLIN}};
	size_t n = 0;

	for (;;) {
		if (poll(fds, 1 + n, -1) < 0)
			continue;
		n = serve_all(g, fds + 1, n);
		if (fds->revents && !admit(g, fds + 1, &n))
			break;
	}
	while (n)
		close(fds[n--].fd);
	return NULL;
}

void gn_gate_serve(struct gn_gate *g, struct gn_later *l)
{
	if (!g)
		return;
	g->later = l;
	if (gn_thread_start(&g->thread, work, g)) {
		g->later = NULL;
		gn_gate_close(g);
	}
}

void gn_gate_close(struct gn_gate *g)
{
	if (!g || g->fd < 0)
		return;
	shutdown(g->fd, SHUT_RDWR);
	if (g->later)
		pthread_join(g->thread, NULL);
	close(g->fd);
	g->fd = -1;
}

void gn_gate_free(struct gn_gate *g)
{
	gn_gate_close(g);
	free(g);
}
