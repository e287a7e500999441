/* SPDX-License-Identifier: BSD-2-Clause */
/* Several processes are attached to, and some end before that is done. */
#include "live.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t start(struct live *t, const char *program, struct live_talk *serve)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, program, NULL);
	live_talk(t, &a, serve);
	live_await(t, serve->out, "ready ");
	return serve->pid;
}

static void expect_line(struct live *t, int err, pid_t pid)
{
	char *line = live_await(t, err, "gnomon: process ");

	CHECK(t,
	      strstr(line, live_text(t, "process %d does not run; gnomon ",
				     (int)pid)),
	      "process %d ended, and \"%s\" is told", (int)pid, line);
}

/* The one that lives is traced like any other. */
static void expect_other(struct live *t, struct live_talk *serve,
			 struct live_talk *gnomon, const char *path,
			 bool functions)
{
	json_t *report;

	live_ask(t, serve, "work 70");
	report = live_detach(t, gnomon, path);
	if (functions) {
		uint64_t calls =
			live_function(t, report, NULL, "work", "calls", NULL);

		CHECK(t, calls == 70, "%" PRIu64 " calls of 70", calls);
	}
	CHECK(t, live_finish(t, serve) == 0, "serve ended otherwise");
}

static void kill_it(struct live *t, struct live_talk *talk)
{
	CHECK(t, !kill(talk->pid, SIGKILL), "it has ended by itself");
	CHECK(t, live_wait(t, talk) == 128 + SIGKILL, "it ended otherwise");
}

/* gnomon list goes on, too. */
static void expect_list(struct live *t, const char *pids)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "list", "--format", "csv", "-f", "work",
		 "-p", pids, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.out, "work"),
	      "list ended with %d: %s%s", end.code, end.out, end.err);
	CHECK(t, strstr(end.err, " does not run; gnomon lists the others"),
	      "list told \"%s\"", end.err);
}

/* One is gone, one is a zombie. */
void test_attach_ended_before(struct live *t)
{
	struct live_talk gone, zombie, serve, gnomon;
	pid_t first = start(t, live_fixture(t, "serve"), &gone);
	pid_t second = start(t, live_fixture(t, "serve"), &zombie);
	struct live_args a = {.n = 0};
	struct live_end end;
	siginfo_t info;
	char *path, *pids;

	start(t, live_fixture(t, "serve"), &serve);
	kill_it(t, &gone);
	kill(second, SIGKILL);
	waitid(P_PID, (id_t)second, &info, WEXITED | WNOWAIT);

	pids = live_text(t, "%d,%d,%d", (int)first, (int)second,
			 (int)serve.pid);
	expect_list(t, pids);
	path = live_path(t, "report.json");
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-f",
		 "work", "-p", pids, NULL);
	live_talk(t, &a, &gnomon);
	expect_line(t, gnomon.err, first);
	expect_line(t, gnomon.err, second);
	live_await(t, gnomon.err, "gnomon: attached");
	expect_other(t, &serve, &gnomon, path, true);

	a.n = 0;
	live_add(t, &a, t->gnomon, "run", "-p",
		 live_text(t, "%d,%d", (int)second, (int)first), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t,
	      end.code == 1 && strstr(end.err, live_text(t,
							 "no process has "
							 "PID %d",
							 (int)first)),
	      "without any process, gnomon ended with %d: %s", end.code,
	      end.err);
	live_wait(t, &zombie);
}

/* Whether gnomon has a file open. */
static bool has_open(struct live *t, pid_t gnomon, const char *path)
{
	const char *folder = live_text(t, "/proc/%d/fd", (int)gnomon);
	DIR *dir = opendir(folder);
	struct dirent *entry;
	bool has = false;

	while (dir && !has && (entry = readdir(dir))) {
		char place[300], to[4096];
		ssize_t n;

		snprintf(place, sizeof(place), "/proc/%d/fd/%s", (int)gnomon,
			 entry->d_name);
		n = readlink(place, to, sizeof(to) - 1);
		to[n > 0 ? n : 0] = '\0';
		has = !strcmp(to, path);
	}
	if (dir)
		closedir(dir);
	return has;
}

/* Stops gnomon when it has opened the file of the second process: it has then
 * read what the first one runs. */
static void stop_at_second(struct live *t, pid_t gnomon, const char *path)
{
	siginfo_t info = {.si_pid = 0};

	while (!info.si_pid && !has_open(t, gnomon, path))
		waitid(P_PID, (id_t)gnomon, &info, WEXITED | WNOHANG | WNOWAIT);
	kill(gnomon, SIGSTOP);
	waitid(P_PID, (id_t)gnomon, &info, WEXITED | WSTOPPED | WNOWAIT);
}

/* False: gnomon had already attached when it was stopped. */
static bool ends_amid(struct live *t, const char *copy, const char *options)
{
	char *path = live_path(t, "report.json"), *line;
	struct live_talk first, second, gnomon;
	struct live_args a = {.n = 0};
	pid_t pid = start(t, live_fixture(t, "serve"), &first);

	start(t, copy, &second);
	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "-p",
		 live_text(t, "%d,%d", (int)pid, (int)second.pid), NULL);
	live_split(t, &a, options);
	live_talk(t, &a, &gnomon);
	stop_at_second(t, gnomon.pid, copy);
	kill_it(t, &first);
	kill(gnomon.pid, SIGCONT);
	do
		line = live_await(t, gnomon.err, "gnomon: ");
	while (!strstr(line, "attached: ") && !strstr(line, " does not run"));
	if (strstr(line, "attached: ")) {
		live_interrupt(t, &gnomon);
		live_wait(t, &gnomon);
		live_finish(t, &second);
		return false;
	}
	CHECK(t,
	      strstr(line, live_text(t,
				     "process %d does not run; gnomon traces "
				     "the others",
				     (int)pid)),
	      "it is told \"%s\"", line);
	live_await(t, gnomon.err, "gnomon: attached");
	expect_other(t, &second, &gnomon, path, *options);
	return true;
}

/* Processes share probes only if no untraced process runs the same file. */
void test_attach_ended_amid(struct live *t)
{
	static const char *const options[] = {"", "-f work",
					      "-f work --attach single",
					      "-f work --no-follow"};
	const size_t n = sizeof(options) / sizeof(*options);
	char *copy = live_path(t, "copy");
	struct live_talk other;

	live_copy(t, live_fixture(t, "serve"), copy);
	for (size_t i = 0; i < 2 * n; i++) {
		int tries = 10;

		if (i == n)
			start(t, live_fixture(t, "serve"), &other);
		while (tries && !ends_amid(t, copy, options[i % n]))
			tries--;
		CHECK(t, tries, "gnomon was never stopped in time");
	}
	live_finish(t, &other);
}
