// SPDX-License-Identifier: BSD-2-Clause
#include "hooksite/preload/gate.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "hooksite/preload/program.h"

/* A large program's functions take gnomon a second on a busy machine. */
#define LONGEST_S 3

/* A filter of system calls can end a program for a socket. */
static bool may_ask(void)
{
	return prctl(PR_GET_SECCOMP) == SECCOMP_MODE_DISABLED;
}

/* The name is an abstract one: a socket without a file. */
static int connect_to(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	size_t n = strnlen(name, sizeof(at.sun_path) - 1);
	const struct timeval most = {.tv_sec = LONGEST_S};
	int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (s < 0)
		return s;
	memcpy(at.sun_path + 1, name, n);
	n += offsetof(struct sockaddr_un, sun_path) + 1;
	if (!setsockopt(s, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most)) &&
	    !connect(s, (const void *)&at, (socklen_t)n))
		return s;
	close(s);
	return -1;
}

/* Hands gnomon the file: its path can lead elsewhere where gnomon is. */
static bool send_file(int s, int file)
{
	char byte = 0;
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {.room = {0}};
	const struct msghdr message = {.msg_iov = &data,
				       .msg_iovlen = 1,
				       .msg_control = &control,
				       .msg_controllen = sizeof(control)};

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_RIGHTS;
	control.head.cmsg_len = CMSG_LEN(sizeof(file));
	memcpy(CMSG_DATA(&control.head), &file, sizeof(file));
	return sendmsg(s, &message, MSG_NOSIGNAL) == 1;
}

/*
 * A process that is about to become the program holds signals back, and takes
 * them as the program would: handlers do not outlive the start of a program. A
 * shell's child would otherwise take a signal as the shell does, and the
 * program would never see it.
 */
struct held {
	sigset_t ours, was;
	int fd; /* readable if there is one; -1: it is not known */
};

/* Holds the signals that can end or stop a program. */
static void hold(struct held *h)
{
	static const int others[] = {SIGCHLD, SIGURG, SIGWINCH, SIGCONT,
				     SIGSEGV, SIGBUS, SIGFPE,	SIGILL,
				     SIGTRAP, SIGSYS};

	sigfillset(&h->ours);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		sigdelset(&h->ours, others[i]);
	sigprocmask(SIG_BLOCK, &h->ours, &h->was);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(&h->was, sig) == 1)
			sigdelset(&h->ours, sig);
	h->fd = signalfd(-1, &h->ours, SFD_CLOEXEC);
}

static void drop_handlers(const sigset_t *ours)
{
	struct sigaction does;
	sigset_t pending;

	sigpending(&pending);
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(ours, sig) == 1 &&
		    sigismember(&pending, sig) == 1 &&
		    !sigaction(sig, NULL, &does) && does.sa_handler != SIG_IGN)
			signal(sig, SIG_DFL);
}

static void let(const struct held *h)
{
	drop_handlers(&h->ours);
	if (h->fd >= 0)
		close(h->fd);
	sigprocmask(SIG_SETMASK, &h->was, NULL);
}

/* Gnomon closes the socket when the probes are in place, or when it ends. */
static void wait_for(int s, struct held *h)
{
	struct pollfd fds[2] = {{.fd = s, .events = POLLIN},
				{.fd = h ? h->fd : -1, .events = POLLIN}};

	while (poll(fds, 2, LONGEST_S * 1000) > 0 && !fds[0].revents) {
		let(h);
		hold(h);
		fds[1].fd = h->fd;
	}
}

static void pass(const char *name, const char *path, struct held *h)
{
	int file = gn_program_open(path);
	int s = file < 0 ? -1 : connect_to(name);

	if (s >= 0) {
		if (send_file(s, file))
			wait_for(s, h);
		close(s);
	}
	if (file >= 0)
		close(file);
}

void gn_gate_pass(const char *name, const char *path, bool exec)
{
	struct held held;
	int err = errno;

	if (exec && may_ask()) {
		hold(&held);
		pass(name, path, &held);
		let(&held);
	} else if (may_ask()) {
		pass(name, path, NULL);
	}
	errno = err;
}
