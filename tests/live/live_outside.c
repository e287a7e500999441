/* SPDX-License-Identifier: BSD-2-Clause */
/* A server outside the capture that works for a command is reported. */
#include "live.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ASKED "30"

static const char told[] = "not in the capture, and the command waited";

/* gnomon's message about a command that asks the server at `path`. */
static char *said(struct live *t, const char *options, const char *words)
{
	struct live_end end;
	json_t *report;

	live_gnomon(t, "run", options, words, &end, &report);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, live_function(t, report, NULL, "ask", "calls", NULL) == 30,
	      "not all was asked");
	return end.err;
}

/* The server, "answers VERB", ran before; each of 30 waits took at least 20 ms.
 * `subject`: what is told of after its command. */
static void tells(struct live *t, const char *verb, const char *subject,
		  const char *them)
{
	const char *path = live_text(t, "%s/socket", t->dir);
	const char *waited = live_text(t, "%%lf s for %s, %%d time", them);
	struct live_args server = {.n = 0};
	struct live_talk talk;
	char *pid, *err, *line;
	double s = 0;
	int n = 0;

	live_command(t, &server, live_text(t, "answers %s %s", verb, path));
	live_talk(t, &server, &talk);
	pid = live_await(t, talk.out, "ready ") + strlen("ready ");
	err = said(t, "-f ask", live_text(t, "answers ask %s " ASKED, path));
	line = strstr(err, live_text(t, "process %s (answers %s socket)%s %s",
				     pid, verb, subject, told));
	CHECK(t, line, "it does not tell of process %s: %s", pid, err);
	line = strstr(line, told) + strlen(told);
	CHECK(t, sscanf(line, waited, &s, &n) == 2,
	      "it does not say how long and how often: %s", err);
	/* the server also wakes the client when it has read the question */
	CHECK(t, n >= 30 && s >= 0.6, "%d waits of %f s are told", n, s);
	CHECK(t, strstr(line, live_text(t, "(-p %s)", pid)),
	      "it does not say what to do: %s", err);
	CHECK(t, live_finish(t, &talk) == 0, "the server failed");
}

void test_outside(struct live *t)
{
	tells(t, "serve", " is", "it");
}

/* A database has a process for each connection, which is gone by the end. */
void test_outside_forked(struct live *t)
{
	tells(t, "forks", " and what it forked are", "them");
}

/* The process that started gnomon is no server, whatever it wakes. */
void test_outside_parent(struct live *t)
{
	/* at least a tenth of the capture's time */
	const struct timespec waits = {.tv_nsec = 300000000};
	struct live_args a = {.n = 0};
	struct live_talk talk;
	char *err;

	live_add(t, &a, t->gnomon, "run", "-o", "/dev/null", "-f", "main", "--",
		 live_fixture(t, "cat"), NULL);
	live_talk(t, &a, &talk);
	free(live_await(t, talk.err, "gnomon: attached"));
	nanosleep(&waits, NULL);
	CHECK(t, !close(talk.in), "it is not open");
	talk.in = -1;
	err = live_await_or_end(t, talk.err, "gnomon: process ");
	CHECK(t, !err, "it tells of a server: %s", err);
	CHECK(t, live_wait(t, &talk) == 0, "gnomon failed");
}

/* A server inside the capture is not reported. */
void test_outside_not(struct live *t)
{
	const char *path = live_text(t, "%s/socket", t->dir);
	char *err =
		said(t, "-f ask", live_text(t, "answers both %s " ASKED, path));

	CHECK(t, !strstr(err, told), "it tells of a server: %s", err);
}

/* A process leaves others behind, like a server that starts its new program.
 * The capture ends with the processes that -p names. */
void test_outside_left_attached(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk sh, gnomon;
	int pid, left = 0;
	char *line, *on;

	live_add(t, &a, "/bin/sh", "-c",
		 "echo ready $$; read line; /bin/sh -c 'kill -STOP $$; : /a/b "
		 "end' < /dev/null > /dev/null 2>&1 & until read -r s < "
		 "/proc/$!/stat && test \"${s#*) T}\" != \"$s\"; do :; done",
		 NULL);
	live_talk(t, &a, &sh);
	line = live_await(t, sh.out, "ready ");
	CHECK(t, sscanf(line, "ready %d", &pid) == 1, "sh says \"%s\"", line);
	live_attach(t, "", live_text(t, "%d", pid), &gnomon);
	live_tell(t, &sh, "end");
	live_wait(t, &sh);
	line = live_await(
		t, gnomon.err,
		"gnomon: the processes of -p have ended, but process ");
	on = strstr(line, "but process ");
	CHECK(t, sscanf(on, "but process %d", &left) == 1 && left > 1,
	      "it does not say which: %s", line);
	kill(left, SIGKILL);
	CHECK(t, left != pid && strstr(line, live_text(t, "-p %d", left)),
	      "it does not say what to do: %s", line);
	CHECK(t, strstr(line, "(sh -c kill -STOP $$; : b end)"),
	      "it does not say what it is: %s", line);
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
}

/* A command leaves processes behind, like one that becomes a daemon. */
void test_outside_left(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk talk;
	char *line, *on;
	int pid = 0;

	live_add(t, &a, t->gnomon, "run", "-o", "/dev/null", "--", "/bin/sh",
		 "-c", "sleep 60 < /dev/null > /dev/null 2>&1 &", NULL);
	live_talk(t, &a, &talk);
	line = live_await(t, talk.err,
			  "gnomon: the command has ended, but process ");
	on = strstr(line, "but process ");
	CHECK(t, sscanf(on, "but process %d", &pid) == 1 && pid > 1,
	      "it does not say which: %s", line);
	kill(pid, SIGKILL);
	CHECK(t, strstr(line, live_text(t, "-p %d", pid)),
	      "it does not say what to do: %s", line);
	CHECK(t, live_wait(t, &talk) == 0, "gnomon failed");
}
