/* SPDX-License-Identifier: BSD-2-Clause */
/* A program in a control group that freezes it or lacks memory, like one in a
 * container. */
#include "live_group.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define FROZEN_MS 100

/* How long threads were stopped by this, outside of any function. */
static uint64_t stopped_by(struct live *t, const json_t *report,
			   const char *what)
{
	return live_waits(t, report, "stopped_by", what, "time_ns");
}

static void expect_stopped(struct live *t, const json_t *report,
			   const char *what, uint64_t least)
{
	uint64_t told = stopped_by(t, report, what);

	CHECK(t, told >= least, "%" PRIu64 " ns by a %s, not %" PRIu64, told,
	      what, least);
}

/* A frozen program does not wait for what its system call waits for. */
void test_frozen(struct live *t)
{
	char *group = live_group(t), *path = live_path(t, "frozen.json");
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	uint64_t since, told;
	json_t *report;
	char *line;

	live_add(t, &a, t->gnomon, "run", "--format", "json", "-o", path, "--",
		 "/bin/sh", "-c", "echo pid $$; exec cat", NULL);
	live_talk(t, &a, &gnomon);
	line = live_await(t, gnomon.out, "pid ");
	live_group_add(t, group, atoi(line + strlen("pid ")));
	free(line);
	live_tell(t, &gnomon, "echo");
	free(live_await(t, gnomon.out, "echo"));
	live_group_freeze(t, group, true);
	since = live_now();
	live_pause(FROZEN_MS);
	since = live_now() - since;
	live_group_freeze(t, group, false);
	CHECK(t, live_finish(t, &gnomon) == 0, "gnomon failed");
	live_group_remove(t, group);
	report = live_load(t, path);
	told = live_number(t, report, "session.classes.other");
	CHECK(t, told >= since,
	      "%" PRIu64 " ns of other waits, frozen for %" PRIu64, told,
	      since);
	expect_stopped(t, report, "freezer", since);
}

/* Waits until what was asked for has stopped the child, and some time more. */
static uint64_t stay_stopped(struct live *t, pid_t pid)
{
	uint64_t since;
	int status;

	CHECK(t, waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status),
	      "it does not stop");
	since = live_now();
	live_pause(FROZEN_MS);
	return live_now() - since;
}

/* A program that has begun, and waits for lines. */
static void start_cat(struct live *t, struct live_talk *cat)
{
	struct live_args a = {.n = 0};

	live_add(t, &a, "/bin/cat", NULL);
	live_talk(t, &a, cat);
	live_tell(t, cat, "begun");
	free(live_await(t, cat->out, "begun"));
}

/* What stopped a program is known. */
void test_stopped(struct live *t)
{
	struct live_talk cat, gnomon;
	uint64_t by_signal, by_debugger;
	json_t *report;
	char *path;

	start_cat(t, &cat);
	path = live_attach(t, "", live_text(t, "%d", cat.pid), &gnomon);
	kill(cat.pid, SIGSTOP);
	by_signal = stay_stopped(t, cat.pid);
	kill(cat.pid, SIGCONT);
	live_tell(t, &cat, "runs");
	free(live_await(t, cat.out, "runs"));
	CHECK(t,
	      !ptrace(PTRACE_SEIZE, cat.pid, NULL, NULL) &&
		      !ptrace(PTRACE_INTERRUPT, cat.pid, NULL, NULL),
	      "it cannot be debugged");
	by_debugger = stay_stopped(t, cat.pid);
	ptrace(PTRACE_DETACH, cat.pid, NULL, NULL);
	live_tell(t, &cat, "still");
	free(live_await(t, cat.out, "still"));
	report = live_detach(t, &gnomon, path);
	CHECK(t, live_finish(t, &cat) == 0, "cat failed");
	expect_stopped(t, report, "signal", by_signal);
	expect_stopped(t, report, "debugger", by_debugger);
}

/* That is known, too, if it was before gnomon came. */
void test_stopped_before(struct live *t)
{
	struct live_talk cat, gnomon;
	uint64_t since;
	char *path;

	start_cat(t, &cat);
	kill(cat.pid, SIGSTOP);
	stay_stopped(t, cat.pid);
	path = live_attach(t, "", live_text(t, "%d", cat.pid), &gnomon);
	since = live_now();
	live_pause(FROZEN_MS);
	since = live_now() - since;
	expect_stopped(t, live_detach(t, &gnomon, path), "signal", since);
	kill(cat.pid, SIGCONT);
	CHECK(t, live_finish(t, &cat) == 0, "cat failed");
}

#define STARVING_BYTES (24 << 20)

/* A group can be removed once what is in it has ended. */
void test_group_removed(struct live *t)
{
	char *group = live_group(t);
	struct live_args a = {.n = 0};
	struct live_talk in;

	live_add(t, &a, "/bin/sh", "-c",
		 live_text(t,
			   "echo $$ > %s/cgroup.procs; echo ready; "
			   "sleep 0.2",
			   group),
		 NULL);
	live_talk(t, &a, &in);
	free(live_await(t, in.out, "ready"));
	CHECK(t, rmdir(group) && errno == EBUSY, "%s is not in use", group);
	live_group_remove(t, group);
	CHECK(t, !live_wait(t, &in), "the shell failed");
}

/* Runs the command in a group with little memory until the kernel kills it.
 * Returns what `gnomon VERB` says of that. */
static char *starve(struct live *t, const char *command, const char *verb)
{
	char *group = live_group_memory(t, STARVING_BYTES);
	char *path = live_path(t, "starved.trace"), *line;
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	struct live_end end;
	int code;

	live_add(t, &a, t->gnomon, "record", "-o", path, "--", "/bin/sh", "-c",
		 live_text(t, "echo pid $$; read line; exec %s", command),
		 NULL);
	live_talk(t, &a, &gnomon);
	line = live_await(t, gnomon.out, "pid ");
	live_group_add(t, group, atoi(line + strlen("pid ")));
	live_tell(t, &gnomon, "eat");
	code = live_wait(t, &gnomon);
	live_group_remove(t, group);
	CHECK(t, code == 128 + SIGKILL, "gnomon ended with %d", code);
	a = (struct live_args){.n = 0};
	live_add(t, &a, t->gnomon, verb, "-i", path, NULL);
	live_run(t, &a, NULL, &end);
	return end.out;
}

/* A report says that a program was killed because its memory ran out. */
void test_starved(struct live *t)
{
	char *out = starve(t, "dd if=/dev/zero of=/dev/null bs=256M", "report");

	CHECK(t, strstr(out, "was killed by SIGKILL because memory ran out"),
	      "the report does not say why: %s", out);
}

/* If a program is held up by that, a finding names the limit. */
void test_starved_told(struct live *t)
{
	char *out =
		starve(t, "perl -e '$all = \"a\" x (256 << 20)'", "explain");

	CHECK(t, strstr(out, "the limit of the control group, 24 MiB"),
	      "no finding names the limit: %s", out);
}
