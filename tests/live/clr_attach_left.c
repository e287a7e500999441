/* SPDX-License-Identifier: BSD-2-Clause */
/* What sessions leave in a .NET process, also those that were killed: no hooks,
 * no memory, and the program at its original speed. */
#include "clr.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#define N PRIu64

/* The offset of a hook in the library's file. */
static uint64_t hook_offset(struct live *t, const char *name)
{
	struct live_args a = {.n = 0};
	struct live_end end;
	char *line;

	live_add(t, &a, "/usr/bin/env", "nm", getenv("CLR_LIBRARY"), NULL);
	live_run(t, &a, NULL, &end);
	line = strstr(end.out, live_text(t, " t %s", name));
	CHECK(t, end.code == 0 && line && line - end.out >= 16,
	      "nm does not show the hook: %s", end.err);
	return strtoull(line - 16, NULL, 16);
}

static uint32_t uprobe_type(struct live *t)
{
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	uint32_t type = 0;

	CHECK(t, f && fscanf(f, "%" SCNu32, &type) == 1,
	      "the kernel has no uprobe events");
	fclose(f);
	return type;
}

/* A kernel counter of how often the serving thread enters a hook of the
 * library. */
static int count_hook(struct live *t, const struct live_talk *served,
		      const char *hook)
{
	struct perf_event_attr attr = {
		.type = uprobe_type(t),
		.size = sizeof(attr),
		.config1 = (uintptr_t)getenv("CLR_LIBRARY"),
		.config2 = hook_offset(t, hook),
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, served->pid, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);

	CHECK(t, fd >= 0, "perf_event_open: %s", strerror(errno));
	return fd;
}

static uint64_t counted(struct live *t, int fd)
{
	uint64_t calls = 0;

	CHECK(t, read(fd, &calls, sizeof(calls)) == sizeof(calls), "read: %s",
	      strerror(errno));
	close(fd);
	return calls;
}

/* How often it enters hooks at the begin of a function: [0] probes, [1] fast
 * ones. */
static void count_hooks(struct live *t, const struct live_talk *served,
			uint64_t calls[2])
{
	static const char *const names[] = {"gn_hook_clr_il_enter",
					    "gn_fast_clr_il_enter"};
	int fd[2];

	for (int i = 0; i < 2; i++)
		fd[i] = count_hook(t, served, names[i]);
	clr_serve(t, served, "run 20");
	for (int i = 0; i < 2; i++)
		calls[i] = counted(t, fd[i]);
}

uint64_t clr_hook_calls(struct live *t, const struct live_talk *served)
{
	uint64_t calls[2];

	count_hooks(t, served, calls);
	return calls[0] + calls[1];
}

bool clr_is_shared(struct live *t, const struct live_talk *served)
{
	FILE *f = fopen(live_text(t, "/proc/%d/maps", (int)served->pid), "re");
	char line[4200];
	bool found = false;

	CHECK(t, f, "fopen: %s", strerror(errno));
	while (fgets(line, sizeof(line), f))
		found |= strstr(line, "memfd:gnomon") != NULL;
	fclose(f);
	return found;
}

/* The holder of the lock is working on the process. */
void clr_await_lock(struct live *t, pid_t pid)
{
	int fd = open(live_text(t, "/proc/%d", (int)pid),
		      O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	CHECK(t, fd >= 0 && flock(fd, LOCK_EX) == 0, "flock: %s",
	      strerror(errno));
	close(fd);
}

/* A gnomon that is killed in a session leaves nothing behind, with either kind
 * of hooks. */
static void kill_it(struct live *t, const struct live_talk *served, bool fast)
{
	const char *how = fast ? "--hooks fast -f Demo.Service.*"
			       : "--hooks uprobe -f Demo.Service.*";
	struct live_talk gnomon;
	uint64_t calls[2];

	clr_attach(t, served, how, &gnomon);
	clr_serve(t, served, "run 20");
	CHECK(t, clr_is_shared(t, served) == fast, "the memory is%s shared",
	      fast ? " not" : "");
	count_hooks(t, served, calls);
	CHECK(t, calls[fast] > 100 && !calls[!fast],
	      "%" N " probes, %" N " fast hooks", calls[0], calls[1]);
	CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "kill: %s", strerror(errno));
	live_wait(t, &gnomon);
	clr_await_lock(t, served->pid);
	CHECK(t, clr_hook_calls(t, served) == 0, "hooks are left");
	CHECK(t, !clr_is_shared(t, served), "memory is left");
	clr_session(t, served, how, "run 50", 0);
	CHECK(t, clr_hook_calls(t, served) == 0, "hooks are left");
	CHECK(t, !clr_is_shared(t, served), "memory is left");
}

void test_attach_killed(struct live *t)
{
	struct live_talk served;

	clr_start_served(t, &served);
	clr_serve(t, &served, "run 20000");
	kill_it(t, &served, false);
	kill_it(t, &served, true);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* The same for a gnomon with only the capabilities that it needs for a process
 * of its own user. */
void test_attach_killed_rights(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served, gnomon;

	if (access("/usr/bin/setpriv", X_OK))
		live_skip(t, "there is no setpriv");
	clr_start_served(t, &served);
	live_add(t, &a, "/usr/bin/setpriv", "--bounding-set",
		 "-all,+bpf,+perfmon,+sys_ptrace", t->gnomon, "run", "-o",
		 live_text(t, "%s/report", t->dir), "-p",
		 live_text(t, "%d", (int)served.pid), "-f", "Demo.Service.*",
		 NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	CHECK(t, clr_hook_calls(t, &served) > 100, "there are no hooks");
	CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "kill: %s", strerror(errno));
	live_wait(t, &gnomon);
	clr_await_lock(t, served.pid);
	CHECK(t, clr_hook_calls(t, &served) == 0, "hooks are left");
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* Hooks of a program that gnomon started stay when gnomon is killed. Soon they
 * write no records any more, and do not reach a site where probes of another
 * session may be, as they are all the time here. */
void test_fast_killed_idle(struct live *t)
{
	static const char *const names[] = {"gn_fast_clr_enter",
					    "gn_written_clr_enter",
					    "gn_site_clr_enter"};
	struct live_args a = {.n = 0};
	struct live_talk talk, other;
	uint64_t calls[3] = {0, 1, 1};
	pid_t gnomon;
	int fd[3];

	clr_need(t);
	live_beside(t, "", &other);
	live_add(t, &a, t->gnomon, "record", "--hooks", "fast", "-f",
		 "Demo.Service.*", "--clr-hooks", "elt", "-o",
		 live_path(t, "killed.trace"), "--", NULL);
	clr_demo(t, &a, "served");
	live_talk(t, &a, &talk);
	free(live_await(t, talk.out, "ready"));
	gnomon = talk.pid;
	clr_serve(t, &talk, "run 20");
	talk.pid = live_child(t, gnomon, clr_is_dotnet);
	CHECK(t, talk.pid > 0, "gnomon has no program");
	CHECK(t, kill(gnomon, SIGKILL) == 0, "kill: %s", strerror(errno));
	while (calls[1] || calls[2]) {
		for (int i = 0; i < 3; i++)
			fd[i] = count_hook(t, &talk, names[i]);
		clr_serve(t, &talk, "run 20");
		for (int i = 0; i < 3; i++)
			calls[i] = counted(t, fd[i]);
	}
	CHECK(t, calls[0] > 100, "%" N " hooks", calls[0]);
	kill(talk.pid, SIGKILL);
	talk.pid = gnomon;
	live_wait(t, &talk);
	live_finish(t, &other);
}

static uint64_t pace(struct live *t, const struct live_talk *served)
{
	char *line = strstr(clr_serve(t, served, "pace"), "pace ");

	CHECK(t, line, "no pace is told");
	return strtoull(line + 5, NULL, 10);
}

/* The time once it is at most `least`, or after a while. */
static uint64_t pace_of(struct live *t, const struct live_talk *served,
			uint64_t least)
{
	uint64_t now = pace(t, served);

	for (int i = 0; i < 1000 && now > least; i++)
		now = pace(t, served);
	return now;
}

/*
 * A method that was inlined into a loop is inlined again after a session that
 * saw its calls. So the program is as fast as before.
 */
void test_attach_pace(struct live *t)
{
	uint64_t slow, before, with, after;
	struct live_talk served, gnomon;

	clr_start_served(t, &served);
	slow = pace(t, &served);
	before = pace_of(t, &served, slow / 3);
	CHECK(t, before <= slow / 3,
	      "the compiler did not copy it: %" N " ticks, %" N " at first",
	      before, slow);
	clr_attach(t, &served, "-f Demo.Service.Paced.Small", &gnomon);
	for (int i = 0; i < 6; i++) /* until its second tier */
		with = pace(t, &served);
	clr_detach(t, &gnomon);
	after = pace_of(t, &served, before * 3 / 2);
	CHECK(t, after <= before * 3 / 2,
	      "a loop took %" N " ticks before, %" N " while it was traced, %" N
	      " since",
	      before, with, after);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/*
 * A program that gnomon started gets its own code back some time after gnomon
 * was killed: after the next collection, whatever another gnomon does. The
 * tests of fast hooks check that hooks stay while gnomon is only stopped.
 */
static void kill_starter(struct live *t, struct live_talk *served)
{
	struct live_args a = {.n = 0};
	uint64_t with, after;
	pid_t pid;

	live_add(t, &a, t->gnomon, "run", "-o",
		 live_text(t, "%s/report", t->dir), "-f",
		 "Demo.Service.Paced.Small", "--", NULL);
	clr_demo(t, &a, "served");
	live_talk(t, &a, served);
	free(live_await(t, served->out, "ready"));
	for (int i = 0; i < 6; i++)
		with = pace(t, served);
	pid = live_child(t, served->pid, clr_is_dotnet);
	CHECK(t, pid > 0, "gnomon has no program");
	CHECK(t, kill(served->pid, SIGKILL) == 0, "kill: %s", strerror(errno));
	live_wait(t, served);
	served->pid = pid;
	for (int i = 0; i < 100; i++) {
		free(clr_serve(t, served, "collect 1"));
		after = pace(t, served);
		if (after < with / 8)
			break;
	}
	CHECK(t, after < with / 8,
	      "a loop took %" N " ticks with hooks, %" N " without gnomon",
	      with, after);
}

static void let_end(struct live *t, struct live_talk *served,
		    struct live_talk *other)
{
	close(served->in);
	CHECK(t, !live_await_or_end(t, served->out, "never"), "it goes on");
	live_finish(t, other);
}

/* Then gnomon can attach to it. */
void test_started_killed(struct live *t)
{
	struct live_talk served, other;

	clr_need(t);
	live_beside(t, "", &other);
	kill_starter(t, &served);
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	let_end(t, &served, &other);
}

/* The same for a .NET that gnomon does not attach to. */
void test_started_killed_old(struct live *t)
{
	struct live_talk served, other;

	clr_need(t);
	live_beside(t, "", &other);
	kill_starter(t, &served);
	let_end(t, &served, &other);
}

/*
 * Sessions in a process that works all the time; some of them are killed in the
 * middle. CLR_SESSIONS is their number, for longer runs by hand.
 */
void test_attach_busy(struct live *t)
{
	const char *many = getenv("CLR_SESSIONS");
	int n = many ? atoi(many) : 7, killed = n * 2 / 7;
	struct live_talk served, gnomon;

	clr_start_served(t, &served);
	clr_serve(t, &served, "run 1000");
	for (int i = 0; i < n; i++) {
		live_tell(t, &served, "run 1000");
		clr_attach(t, &served, "--allow-loss -f Demo.Service.P.Leaf",
			   &gnomon);
		if (i % (n / killed) == 1 && i / (n / killed) < killed) {
			CHECK(t, kill(gnomon.pid, SIGKILL) == 0, "kill: %s",
			      strerror(errno));
			live_wait(t, &gnomon);
		} else {
			clr_detach(t, &gnomon);
		}
		while (strcmp(live_await(t, served.out, ""), "done"))
			;
	}
	clr_await_lock(t, served.pid);
	CHECK(t, clr_hook_calls(t, &served) == 0, "hooks are left");
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}
