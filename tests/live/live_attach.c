/* SPDX-License-Identifier: BSD-2-Clause */
/* Running processes: what happens to them when gnomon stops or is killed. */
#include "live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define N PRIu64

static pid_t start_serve(struct live *t, struct live_talk *serve)
{
	struct live_args a = {.n = 0};
	int pid;

	live_command(t, &a, "serve");
	live_talk(t, &a, serve);
	CHECK(t,
	      sscanf(live_await(t, serve->out, "ready "), "ready %d", &pid) ==
		      1,
	      "serve is not ready");
	return pid;
}

static void expect_calls(struct live *t, const json_t *report, const char *name,
			 uint64_t want)
{
	uint64_t calls = live_function(t, report, NULL, name, "calls", NULL);

	CHECK(t, calls == want, "%s: %" N " calls reported, %" N " made", name,
	      calls, want);
}

static void finish_serve(struct live *t, struct live_talk *serve,
			 unsigned int want)
{
	char *line, *expected = live_text(t, "calls work %u", want);
	int code;

	live_tell(t, serve, "quit");
	line = live_await(t, serve->out, "calls work");
	code = live_finish(t, serve);
	CHECK(t, strcmp(line, expected) == 0, "serve says \"%s\", not \"%s\"",
	      line, expected);
	CHECK(t, code == 0, "serve ended with %d", code);
}

/* Only what happens between attach and stop is counted. The process is busy
 * before, and goes on afterwards. */
void test_attach(struct live *t)
{
	struct live_talk serve, gnomon;
	pid_t pid = start_serve(t, &serve);
	json_t *report;
	char *path;

	live_ask(t, &serve, "work 100");
	path = live_attach(t, "-f work -f batch", live_text(t, "%d", pid),
			   &gnomon);
	live_ask(t, &serve, "work 1000");
	live_ask(t, &serve, "work 234");
	report = live_detach(t, &gnomon, path);
	expect_calls(t, report, "work", 1234);
	expect_calls(t, report, "batch", 2);
	CHECK(t, live_number(t, report, "checks.unmatched_leaves") == 0,
	      "leaves match no frame");
	live_ask(t, &serve, "work 10");
	finish_serve(t, &serve, 1344);
}

/* Starts `serve` through its own mount of the folder that all of them share.
 * With `changes`, the mount has a layer for changes. */
static pid_t start_contained(struct live *t, const char *name, bool changes,
			     struct live_talk *serve)
{
	const char *more =
		changes ? "upperdir=$1/empty,workdir=$1/work" : "$1/empty";
	char *lower = strdup(live_fixture(t, "serve")), *line;
	char *root = live_text(t, "%s/%s", t->dir, name);
	struct live_args a = {.n = 0};
	int pid;

	CHECK(t, lower && strrchr(lower, '/'), "no fixture");
	*strrchr(lower, '/') = '\0';
	live_add(t, &a, "/usr/bin/unshare", "-m", "sh", "-c",
		 live_text(t,
			   "mkdir -p \"$1/empty\" \"$1/work\" \"$1/seen\" && "
			   "mount -t overlay overlay -o \"lowerdir=$0%c%s\" "
			   "\"$1/seen\" && exec \"$1/seen/serve\"; "
			   "echo ready none",
			   changes ? ',' : ':', more),
		 lower, root, NULL);
	free(lower);
	live_talk(t, &a, serve);
	line = live_await(t, serve->out, "ready ");
	if (sscanf(line, "ready %d", &pid) != 1)
		live_skip(t, "no overlay can be mounted");
	return pid;
}

/* Containers of one image: the kernel has one file to probe for both. */
void test_attach_overlays(struct live *t)
{
	struct live_talk serve[2], gnomon;
	pid_t first = start_contained(t, "a", false, &serve[0]);
	pid_t second = start_contained(t, "b", false, &serve[1]);
	json_t *report;
	char *path;

	path = live_attach(t, "-f work -f batch",
			   live_text(t, "%d,%d", first, second), &gnomon);
	live_ask(t, &serve[0], "work 100");
	live_ask(t, &serve[1], "work 34");
	report = live_detach(t, &gnomon, path);
	expect_calls(t, report, "work", 134);
	expect_calls(t, report, "batch", 2);
	finish_serve(t, &serve[0], 100);
	finish_serve(t, &serve[1], 34);
}

/* A write gives the file a copy in the upper layer; the process goes on with
 * the lower file. The report says that its calls cannot be seen. */
void test_attach_copied(struct live *t)
{
	struct live_talk serve, gnomon;
	pid_t pid = start_contained(t, "a", true, &serve);
	const char *file =
		live_text(t, "/proc/%d/root%s/a/seen/serve", pid, t->dir);
	struct live_args a = {.n = 0};
	char *line;

	CHECK(t, !utimensat(AT_FDCWD, file, NULL, 0), "%s: %s", file,
	      strerror(errno));
	live_add(t, &a, t->gnomon, "run", "-f", "work", "-p",
		 live_text(t, "%d", pid), NULL);
	live_talk(t, &a, &gnomon);
	line = live_await(t, gnomon.err, "gnomon: ");
	CHECK(t,
	      strstr(line,
		     live_text(t, "process %d runs an older copy of '", pid)) &&
		      strstr(line, "calls of functions in it are not seen"),
	      "it is told \"%s\"", line);
	live_await(t, gnomon.err, "gnomon: attached");
	live_ask(t, &serve, "work 100");
	live_interrupt(t, &gnomon);
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon ended otherwise");
	finish_serve(t, &serve, 100);
}

/* Existing children are reported, unless they are traced, too. */
void test_attach_children(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk sh, gnomon;
	json_t *report;
	int pid, child;
	char *path, *line;

	live_add(t, &a, "/bin/sh", "-c",
		 "sleep 1000 & echo ready $$ $!; read line; kill $!", NULL);
	live_talk(t, &a, &sh);
	line = live_await(t, sh.out, "ready ");
	CHECK(t, sscanf(line, "ready %d %d", &pid, &child) == 2,
	      "sh says \"%s\"", line);
	path = live_attach(t, "", live_text(t, "%d", pid), &gnomon);
	line = live_await(t, gnomon.err, "gnomon: not traced: ");
	CHECK(t,
	      strstr(line,
		     live_text(t, ": 1 child that process %d had ", pid)) &&
		      strstr(line, live_text(t, "-p $(pgrep -d, -P %d)", pid)),
	      "it is told \"%s\"", line);
	report = live_detach(t, &gnomon, path);
	CHECK(t, live_number(t, report, "session.children_untraced") == 1,
	      "the report has another number of children");
	live_attach(t, "", live_text(t, "%d,%d", pid, child), &gnomon);
	live_interrupt(t, &gnomon);
	line = live_await_or_end(t, gnomon.err, "gnomon: not traced: ");
	CHECK(t, !line, "what is traced is told: \"%s\"", line);
	CHECK(t, live_wait(t, &gnomon) == 0, "gnomon ended otherwise");
	live_tell(t, &sh, "end");
	live_wait(t, &sh);
}

void test_attach_two(struct live *t)
{
	struct live_talk one, two, gnomon;
	pid_t first = start_serve(t, &one), second = start_serve(t, &two);
	json_t *report;
	char *path;
	size_t n;

	path = live_attach(t, "-f work", live_text(t, "%d,%d", first, second),
			   &gnomon);
	live_ask(t, &one, "work 300");
	live_ask(t, &two, "work 400");
	report = live_detach(t, &gnomon, path);
	expect_calls(t, report, "work", 700);
	n = json_array_size(json_object_get(report, "processes"));
	CHECK(t, n == 2, "%zu processes reported, 2 were", n);
	finish_serve(t, &one, 300);
	finish_serve(t, &two, 400);
}

/* Each wait for a pipe is in the report, also the last ones. */
static void expect_waits(struct live *t, const json_t *report, const char *line)
{
	const json_t *wait, *name, *class;
	uint64_t told = 0, want = 0;
	size_t i;

	json_array_foreach(json_object_get(report, "waits"), i, wait)
	{
		name = json_object_get(wait, "syscall_name");
		class = json_object_get(wait, "class");
		if (name && strcmp(json_string_value(name), "read") == 0 &&
		    strcmp(json_string_value(class), "ipc") == 0)
			told += live_number(t, wait, "count");
	}
	CHECK(t, sscanf(line, "waits %" SCNu64, &want) == 1 && want,
	      "switches says \"%s\"", line);
	CHECK(t, told == want, "%" N " waits told, %" N " were", told, want);
}

/* Without functions, the slices wait in the kernel until the thread ends. */
void test_switches(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_start how = {.input = "go\n"};
	char *path = live_path(t, "report.json"), *line;
	struct live_end end;
	json_t *report;

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "--",
		 NULL);
	live_command(t, &a, "switches 1003 whole");
	live_run(t, &a, &how, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	live_clean(t, report);
	line = strstr(end.out, "waits ");
	CHECK(t, line, "switches says \"%s\"", end.out);
	expect_waits(t, report, line);
}

/* The same until the capture ends. */
void test_switches_attach(struct live *t)
{
	struct live_talk switches, gnomon;
	struct live_args a = {.n = 0};
	char *pids, *path, *line;

	live_command(t, &a, "switches 1003");
	live_talk(t, &a, &switches);
	pids = live_await(t, switches.out, "ready ") + strlen("ready ");
	path = live_attach(t, "", pids, &gnomon);
	live_tell(t, &switches, "go");
	line = live_await(t, switches.out, "waits ");
	expect_waits(t, live_detach(t, &gnomon, path), line);
	CHECK(t, live_finish(t, &switches) == 0, "switches ended otherwise");
}

/* New threads and children of an attached process are followed. */
void test_attach_threads(struct live *t)
{
	struct live_talk serve, gnomon;
	pid_t pid = start_serve(t, &serve);
	json_t *report;
	char *path;

	path = live_attach(t, "-f work", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "thread 500");
	live_ask(t, &serve, "fork 600");
	live_ask(t, &serve, "work 1");
	report = live_detach(t, &gnomon, path);
	expect_calls(t, report, "work", 1101);
	finish_serve(t, &serve, 501);
}

/* Waits until gnomon has ended by itself. Returns the process in its report. */
static const json_t *expect_end(struct live *t, struct live_talk *gnomon,
				const char *path, json_t **report)
{
	int code = live_wait(t, gnomon);

	CHECK(t, code == 0, "gnomon ended with %d", code);
	*report = live_load(t, path);
	expect_calls(t, *report, "work", 50);
	return json_array_get(json_object_get(*report, "processes"), 0);
}

/* gnomon ends when all that it traces has ended. */
void test_attach_target_ends(struct live *t)
{
	struct live_talk serve, gnomon;
	pid_t pid = start_serve(t, &serve);
	const json_t *process;
	json_t *report;
	char *path;

	path = live_attach(t, "-f work", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "work 50");
	finish_serve(t, &serve, 50);
	process = expect_end(t, &gnomon, path, &report);
	live_clean(t, report);
	CHECK(t, live_number(t, process, "exit_status") == 0,
	      "the report tells another status");
}

/* The report says why the capture ended early. */
void test_attach_target_killed(struct live *t)
{
	struct live_talk serve, gnomon;
	pid_t pid = start_serve(t, &serve);
	const json_t *process;
	json_t *report;
	char *path;
	int code;

	path = live_attach(t, "-f work", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "work 50");
	kill(pid, SIGKILL);
	code = live_finish(t, &serve);
	CHECK(t, code == 128 + SIGKILL, "serve ended with %d", code);
	free(live_await(t, gnomon.err,
			live_text(t,
				  "gnomon: process %d was killed by signal 9",
				  (int)pid)));
	process = expect_end(t, &gnomon, path, &report);
	CHECK(t, live_number(t, process, "exit_signal") == SIGKILL,
	      "the report tells another signal");
}

void test_two_at_once(struct live *t)
{
	struct live_talk serve, one, two;
	pid_t pid = start_serve(t, &serve);
	char *first, *second;

	first = live_attach(t, "-f work", live_text(t, "%d", pid), &one);
	second = live_attach(t, "-f work -f batch", live_text(t, "%d", pid),
			     &two);
	live_ask(t, &serve, "work 700");
	expect_calls(t, live_detach(t, &one, first), "work", 700);
	live_ask(t, &serve, "work 70");
	expect_calls(t, live_detach(t, &two, second), "work", 770);
	finish_serve(t, &serve, 770);
}

void test_duration(struct live *t)
{
	struct live_talk serve, gnomon;
	pid_t pid = start_serve(t, &serve);
	uint64_t begin = live_now();
	json_t *report;
	char *path;
	int code;

	path = live_attach(t, "-f work -d 300ms", live_text(t, "%d", pid),
			   &gnomon);
	code = live_wait(t, &gnomon);
	CHECK(t, code == 0, "gnomon ended with %d", code);
	CHECK(t, live_now() - begin >= 300000000u, "gnomon ended too early");
	report = live_load(t, path);
	live_clean(t, report);
	/* the time of the waiting thread is the session's time */
	CHECK(t, live_number(t, report, "session.elapsed_ns") >= 250000000u,
	      "the session is shorter than it was told to be");
	finish_serve(t, &serve, 0);
}

static json_t *report_of(struct live *t, const char *trace, const char *options,
			 int *code)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "report", "-i", trace, "--format", "json",
		 "-o", path, NULL);
	live_split(t, &a, options);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 || end.code == 3,
	      "gnomon report ended with %d: %s", end.code, end.err);
	*code = end.code;
	return live_load(t, path);
}

/* Starts gnomon record with a command that takes lines; waits until it has
 * attached. */
static char *record_serve(struct live *t, struct live_talk *gnomon, pid_t *pid)
{
	char *path = live_path(t, "trace");
	struct live_args a = {.n = 0};
	int ready;

	live_add(t, &a, t->gnomon, "record", "-f", "work", "-o", path, "--",
		 live_fixture(t, "serve"), NULL);
	live_talk(t, &a, gnomon);
	CHECK(t,
	      sscanf(live_await(t, gnomon->out, "ready "), "ready %d",
		     &ready) == 1,
	      "serve is not ready");
	*pid = ready;
	return path;
}

/* Ctrl-C on a terminal reaches the command, too. */
void test_interrupt_group(struct live *t)
{
	struct live_talk gnomon;
	json_t *report;
	pid_t pid;
	char *path = record_serve(t, &gnomon, &pid);
	int code;

	live_ask(t, &gnomon, "work 150");
	signal(SIGINT, SIG_IGN);
	CHECK(t, kill(0, SIGINT) == 0, "kill: %s", strerror(errno));
	code = live_wait(t, &gnomon);
	CHECK(t, code == 128 + SIGINT, "gnomon ended with %d", code);
	report = report_of(t, path, "", &code);
	CHECK(t, code == 0, "gnomon report ended with %d", code);
	live_clean(t, report);
	expect_calls(t, report, "work", 150);
}

static char *text_of_work(struct live *t, struct live_talk *serve)
{
	char *line;

	live_tell(t, serve, "bytes");
	line = live_await(t, serve->out, "bytes ");
	live_await(t, serve->out, "done");
	return line;
}

/* The kernel removes the probes when the last process that holds them is
 * gone. */
static void await_text(struct live *t, struct live_talk *serve,
		       const char *want)
{
	const char *got = "";
	int i;

	for (i = 0; i < 1000; i++) {
		got = text_of_work(t, serve);
		if (strcmp(got, want) == 0)
			return;
		live_pause(10);
	}
	live_fail(t, "probes are left behind: %s, not %s", got, want);
}

void test_killed_attached(struct live *t)
{
	struct live_talk serve, gnomon;
	pid_t pid = start_serve(t, &serve);
	char *before = text_of_work(t, &serve);
	int code;

	live_attach(t, "-f work --leave ret", live_text(t, "%d", pid), &gnomon);
	live_ask(t, &serve, "work 1000");
	CHECK(t, strcmp(text_of_work(t, &serve), before) != 0,
	      "there are no probes in work");
	CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "gnomon has ended by itself");
	code = live_wait(t, &gnomon);
	CHECK(t, code == 128 + SIGKILL, "gnomon ended with %d", code);
	await_text(t, &serve, before);
	live_ask(t, &serve, "work 1000");
	finish_serve(t, &serve, 2000);
}

/* The same with pending return probes and with gnomon as the command's parent;
 * the file is readable. */
void test_killed_with_command(struct live *t)
{
	struct live_talk gnomon;
	pid_t pid;
	char *path = record_serve(t, &gnomon, &pid), *line;
	int status, code;

	live_ask(t, &gnomon, "work 5000");
	CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "gnomon has ended by itself");
	live_wait(t, &gnomon);
	live_ask(t, &gnomon, "work 1000");
	live_tell(t, &gnomon, "quit");
	line = live_await(t, gnomon.out, "calls work");
	CHECK(t, strcmp(line, "calls work 6000") == 0, "serve says \"%s\"",
	      line);
	CHECK(t, !live_await_or_end(t, gnomon.out, "calls"),
	      "serve says more than once what it did");
	/* it was gnomon's child; the runner decides whether it is ours now */
	waitpid(pid, &status, 0);
	report_of(t, path, "", &code);
	CHECK(t, code == 3, "report of half a file ended with %d, not 3", code);
	report_of(t, path, "--allow-loss", &code);
	CHECK(t, code == 0, "with --allow-loss it ended with %d", code);
}

/* A second later the records are in the file, even if no others follow. */
void test_killed_idle(struct live *t)
{
	struct live_talk gnomon;
	pid_t pid;
	char *path = record_serve(t, &gnomon, &pid);
	uint64_t calls = 0;
	int i, code;

	live_ask(t, &gnomon, "work 150");
	for (i = 0; i < 100 && calls < 150; i++) {
		live_pause(100);
		calls = live_function(t, report_of(t, path, "", &code), NULL,
				      "work", "calls", NULL);
	}
	CHECK(t, calls == 150, "%d calls are in the file", (int)calls);
	CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "gnomon has ended by itself");
	live_wait(t, &gnomon);
	live_tell(t, &gnomon, "quit");
	expect_calls(t, report_of(t, path, "", &code), "work", 150);
}
