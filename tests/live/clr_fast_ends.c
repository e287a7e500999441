/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fast hooks when gnomon or the program ends or stalls at any moment. The
 * program prints the same and ends the same as without gnomon, and the file is
 * whole up to its last chunk. LIVE_LONG in the environment (tools/test --long):
 * 50 moments each.
 */
#include "clr.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHORT 4
#define LONG  50

#define LONG_STOP_S 10 /* how long gnomon is stopped, once in a long run */

static int rounds(void)
{
	return getenv("LIVE_LONG") ? LONG : SHORT;
}

/* The moments are spread over the duration of a whole run. */
static void until_moment(uint64_t took, int i, int n)
{
	uint64_t ns = took / (uint64_t)n * (uint64_t)i +
		      (uint64_t)random() % (took / (uint64_t)n + 1);
	struct timespec ts = {.tv_sec = (time_t)(ns / 1000000000u),
			      .tv_nsec = (long)(ns % 1000000000u)};

	nanosleep(&ts, NULL);
}

static char *trace_path(struct live *t)
{
	return live_text(t, "%s/ends.trace", t->dir);
}

/* Starts gnomon; the command is about to begin. */
static void begin(struct live *t, struct live_talk *gnomon)
{
	struct live_args a = {.n = 0};

	unlink(trace_path(t));
	live_add(t, &a, t->gnomon, "record", "--hooks", "fast", "-o",
		 trace_path(t), "--", NULL);
	clr_demo(t, &a, "recursion");
	live_talk(t, &a, gnomon);
	free(live_await(t, gnomon->err, "gnomon: attached"));
}

/* Reads everything until nobody can write any more, or until this many
 * lines. */
static char *rest_of(struct live *t, const struct live_talk *talk, size_t lines)
{
	char *all = live_text(t, "%s", ""), *line;

	for (size_t n = 0; n != lines; n++) {
		line = live_await_or_end(t, talk->out, "");
		if (!line)
			break;
		all = live_text(t, "%s%s\n", all, line);
	}
	return all;
}

/* Runs it without gnomon; then with gnomon to the end, and measures that. */
static char *plain(struct live *t, uint64_t *took)
{
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	struct live_end end;
	uint64_t since;

	clr_need(t);
	clr_demo(t, &a, "recursion");
	live_run(t, &a, NULL, &end);
	CHECK(t, !end.code, "the program ended with %d: %s", end.code, end.err);
	begin(t, &gnomon);
	since = live_now();
	rest_of(t, &gnomon, SIZE_MAX);
	*took = live_now() - since;
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon failed");
	srandom((unsigned int)since);
	return end.out;
}

/* A file that ends early is readable to its last chunk. */
static void check_file(struct live *t, int least, int most)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "report", "-i", trace_path(t), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code >= least && end.code <= most,
	      "the file's report ended with %d: %s", end.code, end.err);
}

bool clr_is_dotnet(struct live *t, pid_t pid)
{
	return live_is_called(t, pid, "dotnet");
}

/* The program is our child now, unless it ended before gnomon. So are gnomon's
 * helper processes, which end with gnomon. */
static void check_orphans(struct live *t, int moment)
{
	siginfo_t info;
	int status;

	for (;;) {
		bool program;

		if (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT)) {
			if (errno == EINTR)
				continue;
			return;
		}
		program = clr_is_dotnet(t, info.si_pid);
		waitpid(info.si_pid, &status, 0);
		CHECK(t,
		      !program || (WIFEXITED(status) && !WEXITSTATUS(status)),
		      "moment %d: the program ended with status %x", moment,
		      status);
	}
}

void test_fast_gnomon_killed(struct live *t)
{
	struct live_talk gnomon;
	uint64_t took;
	char *expected = live_counts(t, plain(t, &took)), *out;

	CHECK(t, !prctl(PR_SET_CHILD_SUBREAPER, 1), "prctl: %s",
	      strerror(errno));
	for (int i = 0, n = rounds(); i < n; i++) {
		begin(t, &gnomon);
		until_moment(took, i, n);
		kill(gnomon.pid, SIGKILL);
		live_wait(t, &gnomon);
		out = rest_of(t, &gnomon, SIZE_MAX);
		live_same(t, "the output", live_counts(t, out), expected);
		check_orphans(t, i);
		check_file(t, 0, 4);
	}
}

void test_fast_target_killed(struct live *t)
{
	struct live_talk gnomon;
	uint64_t took;
	pid_t pid;
	int code, killed = 0;

	plain(t, &took);
	for (int i = 0, n = rounds(); i < n; i++) {
		begin(t, &gnomon);
		until_moment(took, i, n);
		pid = live_child(t, gnomon.pid, clr_is_dotnet);
		/* it may not exist yet, or no longer */
		if (pid > 0)
			kill(pid, SIGKILL);
		rest_of(t, &gnomon, SIZE_MAX);
		code = live_wait(t, &gnomon);
		CHECK(t, code == 128 + SIGKILL || code == 0,
		      "moment %d: gnomon ended with %d", i, code);
		killed += code != 0;
		check_file(t, 0, 0);
	}
	CHECK(t, killed, "the program was never killed");
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

/* The program does not wait for gnomon, whatever it was about to do. */
void test_fast_gnomon_stopped(struct live *t)
{
	struct live_talk gnomon;
	uint64_t took;
	char *all = plain(t, &took), *out, *expected = live_counts(t, all);
	int code;

	for (int i = 0, n = rounds(); i < n; i++) {
		begin(t, &gnomon);
		until_moment(took, i, n + 1);
		kill(gnomon.pid, SIGSTOP);
		out = rest_of(t, &gnomon, lines_of(all));
		if (!i && n == LONG)
			sleep(LONG_STOP_S);
		kill(gnomon.pid, SIGCONT);
		live_same(t, "the output", live_counts(t, out), expected);
		code = live_wait(t, &gnomon);
		CHECK(t, code == 0 || code == 3, "gnomon ended with %d", code);
		check_file(t, 0, 3);
	}
}
