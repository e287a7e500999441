/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/signals.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "capture/clock.h"

/* A sender that also signals the command does so within this time. */
#define BOTH_NS 100000000u
/* The same signal within this time counts once: `timeout` sends it to gnomon
 * and to its process group, and when a terminal is closed, the shell and the
 * kernel both send SIGHUP. */
#define AGAIN_NS 500000000u
/* Only after this time gnomon reports that it waits for the command: most
 * commands just end. */
#define PATIENT_NS 1000000000u

int gn_signals_open(struct gn_signals *s, bool resizes)
{
	struct sigaction hup;
	sigset_t set;

	*s = (struct gn_signals){.fd = -1};
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGQUIT); /* also from a key, like SIGINT */
	/* nohup(1) ignores it, but a blocked signal would be read anyway */
	if (!sigaction(SIGHUP, NULL, &hup) && hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	if (resizes)
		sigaddset(&set, SIGWINCH);
	if (sigprocmask(SIG_BLOCK, &set, &s->before))
		return -errno;
	s->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->fd < 0)
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	/* some programs start gnomon with this ignored; then the kernel keeps
	 * no exit status */
	signal(SIGCHLD, SIG_DFL);
	return 0;
}

/* The next pending signal, 0 = none. */
static int next(const struct gn_signals *s, struct signalfd_siginfo *info)
{
	if (s->fd < 0 ||
	    read(s->fd, info, sizeof(*info)) != (ssize_t)sizeof(*info))
		return 0;
	return (int)info->ssi_signo;
}

/* Notes the first signal while the command runs. */
static void first(struct gn_signals *s, int sig, uint64_t now)
{
	s->first = s->due = sig;
	s->first_at = now;
	s->due_at = now + BOTH_NS;
}

static bool is_same(const struct gn_signals *s, int sig, uint64_t now)
{
	return sig == s->last && now < s->last_at + AGAIN_NS;
}

/* When the signal was sent: gnomon may read it late. */
static uint64_t sent(struct gn_session *session, int sig)
{
	uint64_t at = session && gn_session_child(session)
			      ? gn_session_sent(session, sig)
			      : 0;

	return at ? at : gn_now_ns();
}

static int take(struct gn_signals *s, struct gn_session *session, int sig,
		bool key)
{
	uint64_t now = sent(session, sig);

	if (sig == SIGWINCH)
		return sig;
	if (is_same(s, sig, now))
		return 0;
	s->last = sig;
	s->last_at = now;
	s->count++;
	if (!session || !gn_session_child(session) || (key && s->interactive)) {
		s->end = sig;
	} else if (!s->first) {
		first(s, sig, now);
	} else {
		s->end = sig;
	}
	return s->end;
}

/* Passes the signal on once it is known that the command has not received
 * it. */
static void pass_on(struct gn_signals *s, struct gn_session *session)
{
	uint64_t now = gn_now_ns();

	if (!s->due)
		return;
	if (gn_session_signalled(session, s->due, s->first_at - AGAIN_NS)) {
		s->due = 0;
	} else if (now >= s->due_at) {
		gn_session_kill(session, s->due);
		s->due = 0;
	}
}

static void note(struct gn_signals *s, const struct gn_session *session)
{
	if (s->noted || s->quiet || s->interactive || !s->first ||
	    !gn_session_child(session) ||
	    gn_now_ns() - s->first_at < PATIENT_NS)
		return;
	s->noted = true;
	fprintf(stderr,
		"gnomon: the command got SIG%s; gnomon continues until the "
		"command ends, or until another signal\n",
		sigabbrev_np(s->first));
}

int gn_signals_take(struct gn_signals *s, struct gn_session *session)
{
	struct signalfd_siginfo info;
	int sig, got = 0;

	while (!got && (sig = next(s, &info)))
		got = take(s, session, sig, info.ssi_code == SI_KERNEL);
	if (session && s->first) {
		pass_on(s, session);
		note(s, session);
	}
	return got;
}

void gn_signals_screen_closed(struct gn_signals *s)
{
	bool key = s->end == SIGINT || s->end == SIGQUIT;

	if (s->interactive && key && !s->first) {
		first(s, s->end, s->last_at);
		s->end = 0;
	}
	s->interactive = false;
}

void gn_signals_close(struct gn_signals *s)
{
	struct signalfd_siginfo info;

	if (s->fd < 0)
		return;
	/* signals that are still pending must not end gnomon now */
	while (next(s, &info))
		;
	close(s->fd);
	s->fd = -1;
	sigprocmask(SIG_SETMASK, &s->before, NULL);
}
