/* SPDX-License-Identifier: BSD-2-Clause */
#include "runtime/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FREE_FD 16 /* above all descriptors that are kept */

struct told {
	int err;
	char why[GN_WHY_MAX];
};

pid_t gn_apart_fork(void)
{
	sigset_t all, before;
	pid_t pid;
	int err;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	pid = fork();
	err = errno;
	if (pid)
		sigprocmask(SIG_SETMASK, &before, NULL);
	errno = err;
	return pid;
}

void gn_apart_settle(int *const *kept, size_t n)
{
	int next = 3;

	setsid();
	prctl(PR_SET_NAME, "gnomon-guard");
	for (size_t i = 0; i < n; i++)
		*kept[i] = fcntl(*kept[i], F_DUPFD, FREE_FD);
	for (size_t i = 0; i < n; i++)
		*kept[i] = dup2(*kept[i], next++);
	syscall(SYS_close_range, next, ~0u, 0);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
}

static _Noreturn void do_work(const struct gn_apart *a, int to)
{
	int *kept[FREE_FD] = {&to};
	struct told told = {0};

	for (size_t i = 0; i < a->nkept; i++)
		kept[i + 1] = a->kept[i];
	gn_apart_settle(kept, a->nkept + 1);
	told.err = a->work(a->ctx, told.why);
	send(to, &told, sizeof(told), MSG_NOSIGNAL);
	_exit(0);
}

static int tell_none(int err, char *why)
{
	snprintf(why, GN_WHY_MAX, "no process can be started (%s)",
		 strerror(-err));
	return err;
}

/* What the work in process `pid` tells. */
static int await_told(pid_t pid, int from, const struct gn_socket_limits *l,
		      char *why)
{
	struct told told;
	ssize_t n = gn_socket_receive(from, &told, sizeof(told), l);

	if (n == -EINTR || n == -ETIMEDOUT)
		return (int)n;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (n != sizeof(told)) {
		snprintf(why, GN_WHY_MAX,
			 "the process of gnomon that attaches was killed");
		return -ECONNRESET;
	}
	memcpy(why, told.why, sizeof(told.why));
	return told.err;
}

int gn_apart(const struct gn_apart *a, const struct gn_socket_limits *l,
	     char *why)
{
	int ends[2], err;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return tell_none(-errno, why);
	pid = gn_apart_fork();
	if (!pid)
		do_work(a, ends[1]);
	err = pid < 0 ? tell_none(-errno, why) : 0;
	close(ends[1]);
	if (!err)
		err = await_told(pid, ends[0], l, why);
	close(ends[0]);
	return err;
}

int gn_guard_start(struct gn_guard *g, void (*run)(void *ctx, int leash),
		   void *ctx)
{
	int ends[2], err = 0;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	g->pid = gn_apart_fork();
	if (g->pid < 0)
		err = -errno;
	if (!g->pid) {
		close(ends[1]);
		run(ctx, ends[0]);
	}
	close(ends[0]);
	if (err)
		close(ends[1]);
	else
		g->leash = ends[1];
	return err;
}

void gn_guard_dismiss(struct gn_guard *g)
{
	if (g->leash < 0)
		return;
	close(g->leash);
	g->leash = -1;
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
}
