/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon in a container: its PIDs are not those of the machine. */
#include "live.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N PRIu64

/* A PID namespace; its first process runs the rest of the words. */
static void in_namespace(struct live *t, struct live_args *a, bool proc)
{
	live_add(t, a, "/bin/sh", "-c", "exec unshare --pid --fork \"$@\"",
		 "sh", NULL);
	if (proc)
		live_add(t, a, "--mount-proc", NULL);
}

static const json_t *only(struct live *t, const json_t *report,
			  const char *list)
{
	const json_t *all = json_object_get(report, list);

	CHECK(t, json_array_size(all) == 1, "%zu %s in the report",
	      json_array_size(all), list);
	return json_array_get(all, 0);
}

/* The command prints its PID, which is only valid in its namespace. */
void test_namespace(struct live *t)
{
	struct live_truths *truths = calloc(1, sizeof(*truths));
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	const json_t *process;
	struct live_end end;
	json_t *report;

	CHECK(t, truths, "no memory");
	in_namespace(t, &a, true);
	live_add(t, &a, t->gnomon, "run", "--raw", "-f",
		 live_text(t, "%s:*", live_fixture(t, "fib")), "--format",
		 "json", "-o", path, "--", "sh", "-c",
		 "echo own pid $$; exec \"$0\" 12", live_fixture(t, "fib"),
		 NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	live_clean(t, report);
	live_truths(t, end.out, truths);
	live_compare(t, truths, report, 0);
	process = only(t, report, "processes");
	CHECK(t,
	      live_truth(truths, "own", "pid") &&
		      live_number(t, process, "pid") ==
			      live_truth(truths, "own", "pid"),
	      "the process has PID %" N " in the report, %" N " where it is",
	      live_number(t, process, "pid"), live_truth(truths, "own", "pid"));
}

/* The first process of the namespace is traced while it waits for gnomon. */
void test_namespace_attach(struct live *t)
{
	char *path = live_path(t, "report.json");
	struct live_args a = {.n = 0};
	const json_t *thread;
	struct live_end end;
	json_t *report;

	in_namespace(t, &a, true);
	live_add(t, &a, "sh", "-c",
		 "\"$0\" run -d 200ms -p 1 --no-follow --format json -o \"$1\" "
		 "&& echo whole",
		 t->gnomon, path, NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 && strcmp(end.out, "whole\n") == 0,
	      "it ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	live_clean(t, report);
	CHECK(t, live_number(t, only(t, report, "processes"), "pid") == 1,
	      "the process has another PID");
	thread = only(t, report, "threads");
	CHECK(t, live_number(t, thread, "tid") == 1, "so has its thread");
	CHECK(t,
	      live_number(t, thread, "classes.child") ==
		      live_number(t, thread, "elapsed_ns"),
	      "it did something else than wait for gnomon");
}

void test_namespace_proc(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	in_namespace(t, &a, false);
	live_add(t, &a, t->gnomon, "run", "--", "true", NULL);
	live_run(t, &a, NULL, &end);
	live_expect_line(t, &end, 1, "/proc");
}

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static void other_clock(void)
{
	static const char offset[] = "monotonic 1000 0\n";
	int fd;

	if (unshare(CLONE_NEWTIME))
		_exit(125);
	fd = open("/proc/self/timens_offsets", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, offset, sizeof(offset) - 1) < 0)
		_exit(124);
	close(fd);
	fd = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWTIME))
		_exit(124);
}

void test_namespace_time(struct live *t)
{
	struct live_start how = {.prepare = other_clock};
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, t->gnomon, "run", "--", "true", NULL);
	live_run(t, &a, &how, &end);
	live_expect_line(t, &end, 1, "time namespace");
}

/* The program's clock is ahead of the kernel's. That clock decides when a wait
 * times out. */
void test_namespace_clock(struct live *t)
{
	char *path = live_path(t, "report.json"), *classes;
	struct live_truths *truths = calloc(1, sizeof(*truths));
	struct live_args a = {.n = 0};
	uint64_t slept, lock, inner, busy;
	struct live_end end;
	json_t *report;

	CHECK(t, truths, "no memory");
	classes = live_fixture(t, "classes");
	live_add(t, &a, t->gnomon, "run", "-f",
		 live_text(t, "%s:wait_timeout", classes), "--format", "json",
		 "-o", path, "--", "unshare", "--time", "--monotonic", "100000",
		 "--fork", classes, "timeout", "40", "1", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	report = live_load(t, path);
	live_clean(t, report);
	live_truths(t, end.out, truths);
	inner = live_truth(truths, "inner", "wait_timeout");
	/* after its wait it may get its CPU late */
	busy = live_truth(truths, "cpu", "wait_timeout") +
	       live_truth(truths, "delay", "wait_timeout");
	slept = live_function(t, report, NULL, "wait_timeout",
			      "classes_exclusive.sleep", NULL);
	lock = live_function(t, report, NULL, "wait_timeout",
			     "classes_exclusive.lock", NULL);
	CHECK(t, slept && slept <= inner && slept + busy >= inner / 2 && !lock,
	      "%" N " ns of sleep, %" N " of lock; it slept for %" N
	      ", of which it was busy for %" N,
	      slept, lock, inner, busy);
}
