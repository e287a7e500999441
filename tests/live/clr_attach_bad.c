/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes whose functions cannot be traced: one clear line, and they go
 * on. */
#include "clr.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void clr_start_with(struct live *t, char *const *env, struct live_talk *served)
{
	struct live_args a = {.n = 0};

	clr_need(t);
	live_add(t, &a, "/usr/bin/env", NULL);
	for (; env && *env; env++)
		live_add(t, &a, *env, NULL);
	clr_demo(t, &a, "served");
	live_talk(t, &a, served);
	free(live_await(t, served->out, "ready"));
}

/* gnomon must fail with this message. */
static void expect_of(struct live *t, const char *gnomon, pid_t pid,
		      const char *said)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, gnomon, "run", "-d", "100ms", "-p",
		 live_text(t, "%d", (int)pid), "-f", "Demo.Service.*", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 1, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t, strstr(end.err, said), "it did not say '%s': %s", said,
	      end.err);
}

void clr_expect_refused(struct live *t, pid_t pid, const char *said)
{
	expect_of(t, t->gnomon, pid, said);
}

void clr_go_on(struct live *t, struct live_talk *served)
{
	live_tell(t, served, "run 3");
	free(live_await(t, served->out, "done"));
	CHECK(t, live_finish(t, served) == 0, "the program failed");
}

static void start_as_nobody(struct live *t, char *variable,
			    struct live_talk *served)
{
	struct live_args a = {.n = 0};

	clr_need(t);
	if (access("/usr/bin/setpriv", X_OK))
		live_skip(t, "there is no setpriv");
	live_add(t, &a, "/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
		 "--clear-groups", "env", variable, getenv("DOTNET"),
		 clr_copy_demo(t), "served", NULL);
	live_talk(t, &a, served);
	free(live_await(t, served->out, "ready"));
}

/* A process of a user without any rights. */
void clr_start_as_nobody(struct live *t, struct live_talk *served)
{
	start_as_nobody(t, "TMPDIR=/tmp", served);
}

/* A runtime that cannot make its socket, and why. */
void test_attach_no_folder(struct live *t)
{
	char *folder = live_path(t, "its");
	char *none = live_text(t, "TMPDIR=%s/none", t->dir);
	char *env[] = {none, NULL};
	struct live_talk served;

	CHECK(t, !mkdir(folder, 0755) && !chmod(t->dir, 0755), "%s: %s", folder,
	      strerror(errno));
	start_as_nobody(t, live_text(t, "TMPDIR=%s", folder), &served);
	clr_expect_refused(t, served.pid,
			   "is not one that its user may write to; ");
	clr_go_on(t, &served);
	clr_start_with(t, env, &served);
	clr_expect_refused(t, served.pid, "/none does not exist; ");
	clr_go_on(t, &served);
}

/* As the process's user, because root may lack the right. */
static void limit_threads(struct live *t, pid_t pid, rlim_t n)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, "/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
		 "--clear-groups", "prlimit",
		 live_text(t, "--pid=%d", (int)pid),
		 live_text(t, "--nproc=%" PRIu64 ":", (uint64_t)n), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "prlimit: %s", end.err);
}

/* A runtime that cannot start a thread for gnomon's library, as in a container
 * at its pids.max. Once it can, it is traced. */
void test_attach_no_thread(struct live *t)
{
	struct live_talk served;
	struct rlimit own;

	clr_start_as_nobody(t, &served);
	CHECK(t, !getrlimit(RLIMIT_NPROC, &own), "%s", strerror(errno));
	limit_threads(t, served.pid, 1);
	clr_expect_refused(t, served.pid,
			   "raise the limit of its user (ulimit -u)");
	limit_threads(t, served.pid, own.rlim_max);
	clr_session(t, &served, "-f Demo.Service.*", "run 20", 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* The runtime's own hooks exist from its start or not at all. */
void test_attach_elt(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	char *first;

	clr_start_with(t, NULL, &served);
	live_add(t, &a, t->gnomon, "run", "-d", "100ms", "-p",
		 live_text(t, "%d", (int)served.pid), "--clr-hooks", "elt",
		 "-f", "Demo.Service.*", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 2 && live_complaints(t, end.err, &first) == 1,
	      "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(first, "--clr-hooks elt is for programs that gnomon "
			    "starts"),
	      "it said %s", first);
	clr_go_on(t, &served);
}

static rlim_t set_limit(struct live *t, pid_t pid, enum __rlimit_resource of,
			rlim_t to)
{
	struct rlimit limit;
	rlim_t was;

	CHECK(t, !prlimit(pid, of, NULL, &limit), "prlimit: %s",
	      strerror(errno));
	was = limit.rlim_cur;
	limit.rlim_cur = to;
	CHECK(t, !prlimit(pid, of, &limit, NULL), "prlimit: %s",
	      strerror(errno));
	return was;
}

/* The program itself may need some at any time. */
#define FEW 4

/* The limit below which FEW descriptors are unused. */
static rlim_t few_files(struct live *t, pid_t pid)
{
	rlim_t n = 0;

	for (int left = FEW; left; n++)
		left -= access(live_text(t, "/proc/%d/fd/%llu", (int)pid,
					 (unsigned long long)n),
			       F_OK) != 0;
	return n;
}

static rlim_t mapped(struct live *t, pid_t pid)
{
	FILE *f = fopen(live_text(t, "/proc/%d/statm", (int)pid), "re");
	unsigned long pages = 0;

	CHECK(t, f && fscanf(f, "%lu", &pages) == 1, "no statm");
	fclose(f);
	return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* A runtime that has no resources to answer, because of a limit, would end its
 * program. */
void test_attach_full(struct live *t)
{
	struct live_talk served;
	rlim_t was;

	clr_start_with(t, NULL, &served);
	was = set_limit(t, served.pid, RLIMIT_NOFILE, few_files(t, served.pid));
	clr_expect_refused(t, served.pid, "open files, and its limit is");
	set_limit(t, served.pid, RLIMIT_NOFILE, was);
	set_limit(t, served.pid, RLIMIT_AS,
		  mapped(t, served.pid) + (120u << 20));
	clr_expect_refused(t, served.pid, "may map less than");
	set_limit(t, served.pid, RLIMIT_AS, RLIM_INFINITY);
	clr_go_on(t, &served);
}

/* The same at the end of the session, which waits until there are resources. */
void test_attach_full_end(struct live *t)
{
	struct live_args a = {.n = 0}, again = {.n = 0};
	struct live_talk served, gnomon;
	struct live_end end;
	char *line;
	rlim_t was;

	clr_start_with(t, NULL, &served);
	/* it loads what it needs */
	clr_serve(t, &served, "run 3");
	live_add(t, &a, t->gnomon, "run", "-o", "/dev/null", "-p",
		 live_text(t, "%d", (int)served.pid), "-f", "Demo.Service.*",
		 NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	clr_expect_refused(t, served.pid,
			   "or its hooks are still being removed there");
	was = set_limit(t, served.pid, RLIMIT_NOFILE, few_files(t, served.pid));
	kill(gnomon.pid, SIGINT);
	line = live_await(t, gnomon.err, "gnomon: process");
	CHECK(t,
	      strstr(line, "open files, and its limit is") &&
		      strstr(line, "waits for that and then removes them"),
	      "it said: %s", line);
	free(line);
	live_wait(t, &gnomon);
	clr_serve(t, &served, "run 3");
	set_limit(t, served.pid, RLIMIT_NOFILE, was);
	live_add(t, &again, t->gnomon, "run", "-d", "100ms", "-o", "/dev/null",
		 "-p", live_text(t, "%d", (int)served.pid), "-f",
		 "Demo.Service.*", NULL);
	live_run(t, &again, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	clr_go_on(t, &served);
}

void test_attach_stopped(struct live *t)
{
	struct live_talk served;
	siginfo_t info;

	clr_start_with(t, NULL, &served);
	CHECK(t, kill(served.pid, SIGSTOP) == 0, "kill: %s", strerror(errno));
	CHECK(t, waitid(P_PID, (id_t)served.pid, &info, WSTOPPED) == 0,
	      "waitid: %s", strerror(errno));
	clr_expect_refused(t, served.pid, "it is stopped");
	CHECK(t, kill(served.pid, SIGCONT) == 0, "kill: %s", strerror(errno));
	clr_go_on(t, &served);
}

/* Another gnomon has started the program, with the runtime's own hooks. */
void test_attach_started(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk gnomon;
	char *line;
	pid_t pid;

	clr_need(t);
	live_add(t, &a, t->gnomon, "run", "-f", "Demo.Service.P.Leaf", "-o",
		 live_path(t, "report"), "--", "/bin/sh", "-c",
		 "echo pid $$; exec \"$@\"", "sh", NULL);
	clr_demo(t, &a, "served");
	live_talk(t, &a, &gnomon);
	line = live_await(t, gnomon.out, "pid ");
	pid = (pid_t)strtol(line + 4, NULL, 10);
	free(live_await(t, gnomon.out, "ready"));
	clr_expect_refused(t, pid, "may have started");
	live_tell(t, &gnomon, "run 3");
	free(live_await(t, gnomon.out, "done"));
	CHECK(t, live_finish(t, &gnomon) == 0, "the program failed");
}

/* A runtime that waits at its start for a diagnostics tool. */
void test_attach_paused(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk paused;

	clr_need(t);
	live_add(t, &a, "/usr/bin/env", "DOTNET_DefaultDiagnosticPortSuspend=1",
		 NULL);
	clr_demo(t, &a, "served");
	live_talk(t, &a, &paused);
	/* env has become .NET, which waits */
	live_await_call(t, paused.pid, SYS_futex, -1);
	clr_expect_refused(t, paused.pid, "it waits for a diagnostics tool");
	CHECK(t, kill(paused.pid, SIGKILL) == 0, "kill: %s", strerror(errno));
	live_wait(t, &paused);
}

/* A launcher that waits for the program that it has started. */
void test_attach_launcher(struct live *t)
{
	struct live_args a = {.n = 0}, g = {.n = 0};
	struct live_talk served;
	struct live_end end;
	char *line;

	clr_need(t);
	live_add(t, &a, "/bin/sh", "-c",
		 "exec 3<&0; \"$@\" <&3 & echo pid $!; wait $!", "sh", NULL);
	clr_demo(t, &a, "served");
	live_talk(t, &a, &served);
	line = live_await(t, served.out, "pid ");
	free(live_await(t, served.out, "ready"));
	live_add(t, &g, t->gnomon, "run", "-d", "100ms", "-p",
		 live_text(t, "%d", (int)served.pid), "-f", "Demo.Service.*",
		 NULL);
	live_run(t, &g, NULL, &end);
	CHECK(t, end.code == 2, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.err,
		     live_text(t, "its child %.*s has (.NET CLR)",
			       (int)strcspn(line + 4, "\n"), line + 4)),
	      "it did not name the child (%s): %s", line, end.err);
	free(line);
	clr_go_on(t, &served);
}

/* gnomon is installed again, or at another path, while a process has its
 * library. The process goes on, and gnomon says what to do. */
void test_attach_upgraded(struct live *t)
{
	const char *end = strrchr(t->gnomon, '/');
	char *from = live_text(t, "%.*s/hooksite/libgnomon-clr.so",
			       (int)(end - t->gnomon), t->gnomon);
	char *gnomon = live_text(t, "%s/gnomon", t->dir);
	char *folder = live_text(t, "%s/hooksite", t->dir);
	char *library = live_text(t, "%s/libgnomon-clr.so", folder);
	char *fresh = live_text(t, "%s/fresh", folder);
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end first;

	live_copy(t, t->gnomon, gnomon);
	CHECK(t, !mkdir(folder, 0755), "mkdir: %s", strerror(errno));
	live_copy(t, from, library);
	clr_start_with(t, NULL, &served);
	live_add(t, &a, gnomon, "run", "-d", "100ms", "-o", "/dev/null", "-p",
		 live_text(t, "%d", (int)served.pid), "-f", "Demo.Service.*",
		 NULL);
	live_run(t, &a, NULL, &first);
	CHECK(t, first.code == 0, "gnomon ended with %d: %s", first.code,
	      first.err);
	clr_expect_refused(
		t, served.pid,
		"by another copy of gnomon and still has its library");
	live_copy(t, from, fresh);
	CHECK(t, !rename(fresh, library), "rename: %s", strerror(errno));
	expect_of(t, gnomon, served.pid, "start the process again");
	clr_go_on(t, &served);
}

/* Another profiler uses the only interface that sees functions. Everything else
 * uses another interface. */
void test_attach_occupied(struct live *t)
{
	char *path = live_text(t, "CORECLR_PROFILER_PATH=%s",
			       live_fixture(t, "../native/libprofiler.so"));
	char *env[] = {(char *)"CORECLR_ENABLE_PROFILING=1",
		       (char *)"CORECLR_PROFILER="
			       "{11111111-1111-1111-1111-111111111111}",
		       path, NULL};
	struct live_talk served;

	clr_start_with(t, env, &served);
	clr_expect_refused(t, served.pid, "already has another profiler");
	clr_attach_light(t, &served);
	clr_expect_refused(t, served.pid, "already has another profiler");
	clr_go_on(t, &served);
}
