/* SPDX-License-Identifier: BSD-2-Clause */
/* A gnomon that is killed or interrupted while a JVM does not answer leaves
 * nothing: no file, no changed option, and the JVM writes nothing of it. */
#include "java.h"
#include "live_group.h"

#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_guard(struct live *t, pid_t pid)
{
	return live_is_called(t, pid, "gnomon-guard");
}

/* Starts gnomon. Returns when the process that attaches for it waits for the
 * JVM. */
static void attach(struct live *t, const struct live_talk *served,
		   struct live_talk *gnomon)
{
	struct live_args a = {.n = 0};
	pid_t guard = 0;

	live_add(t, &a, t->gnomon, "run", "-f", "Kinds*", "-p",
		 live_text(t, "%d", (int)served->pid), NULL);
	live_talk(t, &a, gnomon);
	while (!guard)
		guard = live_child(t, gnomon->pid, is_guard);
	CHECK(t, guard > 0, "gnomon has ended by itself");
	live_await_call(t, guard, SYS_poll, -1);
}

static void attach_and_end(struct live *t, const struct live_talk *served,
			   int signal)
{
	struct live_talk gnomon;

	attach(t, served, &gnomon);
	CHECK(t, !kill(gnomon.pid, signal), "kill failed");
	live_wait(t, &gnomon);
}

/* Waits until no process of gnomon's has to do with this one. */
static void await_over(struct live *t, pid_t pid)
{
	int fd = open(live_text(t, "/proc/%d", (int)pid),
		      O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	CHECK(t, fd >= 0 && !flock(fd, LOCK_EX), "no lock");
	close(fd);
}

static void check_option(struct live *t, pid_t pid)
{
	static const char option[] = "EnableDynamicAgentLoading";
	char *java = live_text(t, "%s", getenv("JAVA")), *line;
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, live_text(t, "%s/jcmd", dirname(java)),
		 live_text(t, "%d", (int)pid), "VM.flags", "-all", NULL);
	live_run(t, &a, NULL, &end);
	line = strstr(end.out, option);
	CHECK(t, line, "jcmd does not tell %s: %s", option, end.err);
	line[strcspn(line, "\n")] = '\0';
	CHECK(t, strstr(line, "{default}"), "changed: %s", line);
}

static void check_nothing_left(struct live *t, struct live_talk *served)
{
	pid_t pid = served->pid;

	await_over(t, pid);
	CHECK(t,
	      access(live_text(t, "/tmp/.attach_pid%d", (int)pid), F_OK) &&
		      access(live_text(t, "/proc/%d/cwd/.attach_pid%d",
				       (int)pid, (int)pid),
			     F_OK),
	      "the file that asks to listen is left");
	live_tell(t, served, "run 1");
	live_same(t, "what it says", live_await(t, served->out, ""), "done");
	check_option(t, pid);
	CHECK(t, live_finish(t, served) == 0, "the program failed");
	live_same(t, "its errors", live_text(t, "%s", ""),
		  live_await_or_end(t, served->err, "") ?: "");
}

static void serve(struct live *t, struct live_talk *served)
{
	struct live_args java = {.n = 0};

	java_need_later(t);
	java_demo(t, &java, "", "served");
	live_talk(t, &java, served);
	free(live_await(t, served->out, "ready"));
}

/* A JVM that cannot act on anything, not even on SIGQUIT. */
static char *serve_frozen(struct live *t, struct live_talk *served)
{
	char *group = live_group(t);

	serve(t, served);
	live_group_add(t, group, served->pid);
	live_group_freeze(t, group, true);
	return group;
}

/* The JVM has not yet taken the file for an order to listen. */
static void waking(struct live *t, int signal)
{
	struct live_talk served;
	char *group = serve_frozen(t, &served);

	attach_and_end(t, &served, signal);
	live_group_freeze(t, group, false);
	check_nothing_left(t, &served);
	live_group_remove(t, group);
}

void java_killed_waking(struct live *t)
{
	waking(t, SIGKILL);
	waking(t, SIGINT);
}

/* The JVM is killed then, and its parent does not know yet. */
void java_killed_before(struct live *t)
{
	struct live_talk served, gnomon;
	char *group = serve_frozen(t, &served);

	attach(t, &served, &gnomon);
	CHECK(t, !kill(served.pid, SIGKILL), "kill failed");
	live_await(
		t, gnomon.err,
		live_text(t, "gnomon: process %d has ended", (int)served.pid));
	CHECK(t, live_wait(t, &gnomon) == 1, "gnomon reported nothing");
	await_over(t, served.pid);
	live_wait(t, &served);
	live_group_remove(t, group);
}

/* It has not yet read the request to load the library. */
static void loading(struct live *t, int signal)
{
	struct live_talk served;

	serve(t, &served);
	check_option(t, served.pid); /* from now on it listens */
	CHECK(t, !kill(served.pid, SIGSTOP), "kill failed");
	attach_and_end(t, &served, signal);
	CHECK(t, !kill(served.pid, SIGCONT), "kill failed");
	check_nothing_left(t, &served);
}

void java_killed_loading(struct live *t)
{
	loading(t, SIGKILL);
	loading(t, SIGINT);
}
