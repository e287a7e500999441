/* SPDX-License-Identifier: BSD-2-Clause */
/* Processes whose functions cannot be had: one clear line, and they go on. */
#include "clr.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void start(struct live *t, char *const *env, struct live_talk *served)
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

/* gnomon must fail and say this. */
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

static void expect(struct live *t, pid_t pid, const char *said)
{
	expect_of(t, t->gnomon, pid, said);
}

static void finish(struct live *t, struct live_talk *served)
{
	live_tell(t, served, "run 3");
	free(live_await(t, served->out, "done"));
	CHECK(t, live_finish(t, served) == 0, "the program failed");
}

/* One of a user without any rights. */
static void start_as_nobody(struct live *t, struct live_talk *served)
{
	struct live_args a = {.n = 0};

	clr_need(t);
	if (access("/usr/bin/setpriv", X_OK))
		live_skip(t, "there is no setpriv");
	live_add(t, &a, "/usr/bin/setpriv", "--reuid=65534", "--regid=65534",
		 "--clear-groups", getenv("DOTNET"), clr_copy_demo(t), "served",
		 NULL);
	live_talk(t, &a, served);
	free(live_await(t, served->out, "ready"));
}

/* Its socket, for a root that may not open it. */
void test_attach_denied(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;

	start_as_nobody(t, &served);
	live_add(t, &a, "/usr/bin/setpriv", "--bounding-set",
		 "-all,+bpf,+perfmon,+sys_ptrace", t->gnomon, "run", "-d",
		 "100ms", "-p", live_text(t, "%d", (int)served.pid), "-f",
		 "Demo.Service.*", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t,
	      end.code == 1 && strstr(end.err, "is its user's; give gnomon "
					       "CAP_DAC_OVERRIDE"),
	      "gnomon ended with %d: %s", end.code, end.err);
	finish(t, &served);
}

/* As its user, since root need not have the right. */
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

/* A runtime that can start no thread for gnomon's library, as in a container at
 * its pids.max; it is traced when it can. */
void test_attach_no_thread(struct live *t)
{
	struct live_talk served;
	struct rlimit own;

	start_as_nobody(t, &served);
	CHECK(t, !getrlimit(RLIMIT_NPROC, &own), "%s", strerror(errno));
	limit_threads(t, served.pid, 1);
	expect(t, served.pid, "raise the limit of its user (ulimit -u)");
	limit_threads(t, served.pid, own.rlim_max);
	clr_session(t, &served, "-f Demo.Service.*", "run 20", 0);
	CHECK(t, live_finish(t, &served) == 0, "the program failed");
}

/* Hooks by the runtime are there from its start or not at all. */
void test_attach_elt(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	char *first;

	start(t, NULL, &served);
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
	finish(t, &served);
}

/* One process that cannot be asked, beside one that is. */
static void expect_some(struct live *t, pid_t off)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	const char *light;

	start(t, NULL, &served);
	live_add(t, &a, t->gnomon, "run", "-d", "100ms", "-p",
		 live_text(t, "%d,%d", (int)off, (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	light = strstr(end.out, "# clr         light: ");
	CHECK(t,
	      light && strstr(light, live_text(t,
					       "process %d has no "
					       "diagnostics socket",
					       (int)off)),
	      "the report does not tell both: %.1500s", end.out);
	finish(t, &served);
}

/* What a process of that number left behind that began in another tick. */
static void leave_socket(struct live *t, pid_t pid, char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const char *folder = getenv("TMPDIR");
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(t,
	      (size_t)snprintf(path, sizeof(name.sun_path),
			       "%s/dotnet-diagnostic-%d-1-socket",
			       folder ? folder : "/tmp",
			       (int)pid) < sizeof(name.sun_path),
	      "%s is too long", folder);
	strcpy(name.sun_path, path);
	CHECK(t, s >= 0 && !bind(s, (struct sockaddr *)&name, sizeof(name)),
	      "%s: %s", path, strerror(errno));
	close(s);
}

/* What is missing is in the report, too, where it goes without functions. */
void test_attach_off(struct live *t)
{
	char *off[] = {"DOTNET_EnableDiagnostics=0", NULL};
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	char left[sizeof(((struct sockaddr_un *)NULL)->sun_path)];

	start(t, off, &served);
	leave_socket(t, served.pid, left);
	expect(t, served.pid, "has no diagnostics socket");
	live_add(t, &a, t->gnomon, "run", "-d", "100ms", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "gnomon ended with %d: %s", end.code, end.err);
	CHECK(t,
	      strstr(end.out, "# clr         process") &&
		      !strstr(end.out, "compilation, collections"),
	      "the report does not say what is missing: %s", end.out);
	expect_some(t, served.pid);
	unlink(left);
	finish(t, &served);
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

/* The program itself can need some at any time. */
#define FEW 4

/* The limit below which a few descriptors are not open. */
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

/* A runtime that a limit leaves no room to answer would end its program. */
void test_attach_full(struct live *t)
{
	struct live_talk served;
	rlim_t was;

	start(t, NULL, &served);
	was = set_limit(t, served.pid, RLIMIT_NOFILE, few_files(t, served.pid));
	expect(t, served.pid, "files open that it may have");
	set_limit(t, served.pid, RLIMIT_NOFILE, was);
	set_limit(t, served.pid, RLIMIT_AS,
		  mapped(t, served.pid) + (120u << 20));
	expect(t, served.pid, "may map less than");
	set_limit(t, served.pid, RLIMIT_AS, RLIM_INFINITY);
	finish(t, &served);
}

/* The same at the session's end: that waits until there is room. */
void test_attach_full_end(struct live *t)
{
	struct live_args a = {.n = 0}, again = {.n = 0};
	struct live_talk served, gnomon;
	struct live_end end;
	char *line;
	rlim_t was;

	start(t, NULL, &served);
	/* it loads what it needs */
	clr_serve(t, &served, "run 3");
	live_add(t, &a, t->gnomon, "run", "-o", "/dev/null", "-p",
		 live_text(t, "%d", (int)served.pid), "-f", "Demo.Service.*",
		 NULL);
	live_talk(t, &a, &gnomon);
	free(live_await(t, gnomon.err, "gnomon: attached"));
	was = set_limit(t, served.pid, RLIMIT_NOFILE, few_files(t, served.pid));
	kill(gnomon.pid, SIGINT);
	line = live_await(t, gnomon.err, "gnomon: process");
	CHECK(t,
	      strstr(line, "files open that it may have") &&
		      strstr(line, "waits for that and takes them out"),
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
	finish(t, &served);
}

void test_attach_stopped(struct live *t)
{
	struct live_talk served;
	siginfo_t info;

	start(t, NULL, &served);
	CHECK(t, kill(served.pid, SIGSTOP) == 0, "kill: %s", strerror(errno));
	CHECK(t, waitid(P_PID, (id_t)served.pid, &info, WSTOPPED) == 0,
	      "waitid: %s", strerror(errno));
	expect(t, served.pid, "it is stopped");
	CHECK(t, kill(served.pid, SIGCONT) == 0, "kill: %s", strerror(errno));
	finish(t, &served);
}

/* A gnomon has started it, by the runtime's own hooks. */
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
	expect(t, pid, "may have started");
	live_tell(t, &gnomon, "run 3");
	free(live_await(t, gnomon.out, "done"));
	CHECK(t, live_finish(t, &gnomon) == 0, "the program failed");
}

/* A runtime that begins when a tool for diagnostics says so. */
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
	expect(t, paused.pid,
	       "it waits until a diagnostics tool lets it go on");
	CHECK(t, kill(paused.pid, SIGKILL) == 0, "kill: %s", strerror(errno));
	live_wait(t, &paused);
}

/* A launcher waits for the program that it has started. */
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
		     live_text(t, "its child %.*s runs",
			       (int)strcspn(line + 4, "\n"), line + 4)),
	      "it did not name the child (%s): %s", line, end.err);
	free(line);
	finish(t, &served);
}

/* gnomon is installed anew while a process has its library. The process goes
 * on, and gnomon says what to do. */
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
	start(t, NULL, &served);
	live_add(t, &a, gnomon, "run", "-d", "100ms", "-o", "/dev/null", "-p",
		 live_text(t, "%d", (int)served.pid), "-f", "Demo.Service.*",
		 NULL);
	live_run(t, &a, NULL, &first);
	CHECK(t, first.code == 0, "gnomon ended with %d: %s", first.code,
	      first.err);
	live_copy(t, from, fresh);
	CHECK(t, !rename(fresh, library), "rename: %s", strerror(errno));
	expect_of(t, gnomon, served.pid, "start it again");
	finish(t, &served);
}

/* The name of the socket that the runtime of a process has. */
static char *socket_of(struct live *t, const struct live_talk *served,
		       const char *dir)
{
	struct live_args a = {.n = 0};
	struct live_end end;

	live_add(t, &a, "/bin/sh", "-c",
		 live_text(t, "ls %s/dotnet-diagnostic-%d-*-socket", dir,
			   (int)served->pid),
		 NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0, "there is no socket: %s", end.err);
	end.out[strcspn(end.out, "\n")] = '\0';
	return end.out;
}

/* Its socket is gone, for it is about to end: that is said, not what else it
 * could be. */
void test_attach_ending(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=%s", t->dir), NULL};
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	pid_t killer;

	start(t, env, &served);
	CHECK(t, unlink(socket_of(t, &served, t->dir)) == 0, "unlink: %s",
	      strerror(errno));
	killer = fork();
	CHECK(t, killer >= 0, "fork: %s", strerror(errno));
	if (!killer) {
		poll(NULL, 0, 250);
		_exit(kill(served.pid, SIGKILL) != 0);
	}
	live_add(t, &a, t->gnomon, "run", "-f", "Demo.*", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, waitpid(killer, NULL, 0) == killer, "waitpid: %s",
	      strerror(errno));
	CHECK(t, end.code == 1 && !strstr(end.err, "diagnostics socket"),
	      "ended with %d and said: %s", end.code, end.err);
	live_finish(t, &served);
}

/* Listens where the runtime did, and answers what it is told to. */
static pid_t lie(struct live *t, const char *path, const char *answer,
		 size_t size)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char request[65536];
	pid_t pid;

	CHECK(t, unlink(path) == 0, "unlink: %s", strerror(errno));
	CHECK(t, strlen(path) < sizeof(at.sun_path), "%s is too long", path);
	memcpy(at.sun_path, path, strlen(path));
	pid = fork();
	CHECK(t, pid >= 0, "fork: %s", strerror(errno));
	if (pid) {
		close(s);
		return pid;
	}
	if (bind(s, (struct sockaddr *)&at, sizeof(at)) || listen(s, 8))
		_exit(1);
	for (;;) {
		int c = accept(s, NULL, NULL);

		if (c < 0 || read(c, request, sizeof(request)) < 0 ||
		    write(c, answer, size) < 0)
			_exit(1);
		close(c);
	}
}

static void await_file(const char *path)
{
	while (access(path, F_OK))
		poll(NULL, 0, 5);
}

/* A runtime that would keep the library for good does not get it: neither for
 * functions, nor where only threads are asked for. */
void test_attach_old(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	uint64_t begun;
	char *maps;
	size_t size;

	start(t, NULL, &served);
	begun = live_now();
	expect(t, served.pid, "runs a .NET older than 6");
	/* its last thread has no name that could be waited for */
	CHECK(t, live_now() - begun < 6000000000u, "it was waited for");
	live_add(t, &a, t->gnomon, "run", "-d", "100ms", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.err, "runs a .NET older than 6"),
	      "gnomon ended with %d: %s", end.code, end.err);
	maps = live_read(t, live_text(t, "/proc/%d/maps", (int)served.pid),
			 &size);
	CHECK(t, !strstr(maps, "libgnomon"), "it has a library of gnomon's");
	finish(t, &served);
}

/* Another process sits at the socket's name and says that all is well. */
void test_attach_lies(struct live *t)
{
	static const char answer[24] = {'D', 'O', 'T', 'N', 'E',   'T',
					'_', 'I', 'P', 'C', '_',   'V',
					'1', 0,	  24,  0,   '\xff'};
	char *dir = live_text(t, "TMPDIR=%s", t->dir);
	char *env[] = {dir, NULL};
	struct live_talk served;
	char *path;
	pid_t liar;

	start(t, env, &served);
	path = socket_of(t, &served, t->dir);
	liar = lie(t, path, answer, sizeof(answer));
	await_file(path);
	expect(t, served.pid, "is not its runtime");
	CHECK(t, kill(liar, SIGKILL) == 0 && waitpid(liar, NULL, 0) == liar,
	      "kill: %s", strerror(errno));
	finish(t, &served);
}

/* Has the runtime wait for a message that does not come. */
static int hold_up(struct live *t, const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	CHECK(t, strlen(path) < sizeof(at.sun_path), "%s is too long", path);
	memcpy(at.sun_path, path, strlen(path));
	CHECK(t, !connect(s, (struct sockaddr *)&at, sizeof(at)), "connect: %s",
	      strerror(errno));
	return s;
}

static bool is_guard(struct live *t, pid_t pid)
{
	return live_is_called(t, pid, "gnomon-guard");
}

/* Whether gnomon has started a guard: it is about to ask the runtime then. */
static bool has_guard(struct live *t, pid_t gnomon)
{
	pid_t guard = live_child(t, gnomon, is_guard);

	CHECK(t, guard >= 0, "gnomon has ended");
	return guard;
}

/* Its socket is in a folder that it names from where it is. */
void test_attach_folder(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=../../../../../../../../../../..%s",
				 t->dir),
		       NULL};
	struct live_talk served;

	start(t, env, &served);
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	finish(t, &served);
}

/* Its socket is named by when it started by its own clock, not by ours. */
void test_attach_ahead(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct stat ours, its;

	clr_need(t);
	live_add(t, &a, "/usr/bin/unshare", "--time", "--boottime", "5000",
		 NULL);
	clr_demo(t, &a, "served");
	live_talk(t, &a, &served);
	free(live_await(t, served.out, "ready"));
	if (stat("/proc/self/ns/time", &ours) ||
	    stat(live_text(t, "/proc/%d/ns/time", (int)served.pid), &its) ||
	    ours.st_ino == its.st_ino)
		live_skip(t, "this kernel enters a time namespace by fork "
			     "alone");
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	finish(t, &served);
}

/* Its own process listens, but nobody reads what is asked. */
void test_attach_silent(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=%s", t->dir), NULL};
	struct live_talk served;

	start(t, env, &served);
	live_tell(t, &served, "silence");
	free(live_await(t, served.out, "done"));
	expect(t, served.pid, "does not answer at its diagnostics socket");
	finish(t, &served);
}

/* Both of the runtime's answers come late, each in its time. */
void test_attach_slow(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=%s", t->dir), NULL};
	struct live_talk served, gnomon;
	struct live_args a = {.n = 0};
	char *path;
	int held[2];

	start(t, env, &served);
	path = socket_of(t, &served, t->dir);
	held[0] = hold_up(t, path);
	live_add(t, &a, t->gnomon, "run", "-d", "100ms", "-f", "Demo.Service.*",
		 "-p", live_text(t, "%d", (int)served.pid), NULL);
	live_talk(t, &a, &gnomon);
	while (!has_guard(t, gnomon.pid))
		poll(NULL, 0, 5);
	/* behind the first of gnomon's questions */
	poll(NULL, 0, 500);
	held[1] = hold_up(t, path);
	for (int i = 0; i < 2; i++) {
		poll(NULL, 0, 6000);
		close(held[i]);
	}
	free(live_await(t, gnomon.err, "gnomon: attached"));
	CHECK(t, live_wait(t, &gnomon) == 0, "its status is wrong");
	finish(t, &served);
}

/* A signal while gnomon waits for the runtime's answer: nothing was traced. */
void test_attach_called_off(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=%s", t->dir), NULL};
	struct live_talk served, gnomon;
	struct live_args a = {.n = 0};

	start(t, env, &served);
	live_tell(t, &served, "silence");
	free(live_await(t, served.out, "done"));
	live_add(t, &a, t->gnomon, "run", "-f", "Demo.Service.*", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_talk(t, &a, &gnomon);
	while (!has_guard(t, gnomon.pid))
		poll(NULL, 0, 5);
	CHECK(t, !kill(gnomon.pid, SIGTERM), "kill: %s", strerror(errno));
	free(live_await(t, gnomon.err,
			"gnomon: ended by SIGTERM before tracing began"));
	CHECK(t, live_wait(t, &gnomon) == 128 + SIGTERM, "its status is wrong");
	finish(t, &served);
}

/* Another profiler has the one place from which functions are seen. What else
 * there is comes by a place beside it. */
void test_attach_occupied(struct live *t)
{
	char *path = live_text(t, "CORECLR_PROFILER_PATH=%s",
			       live_fixture(t, "../native/libprofiler.so"));
	char *env[] = {(char *)"CORECLR_ENABLE_PROFILING=1",
		       (char *)"CORECLR_PROFILER="
			       "{11111111-1111-1111-1111-111111111111}",
		       path, NULL};
	struct live_talk served;

	start(t, env, &served);
	expect(t, served.pid, "another profiler is in process");
	clr_attach_light(t, &served);
	expect(t, served.pid, "another profiler is in process");
	finish(t, &served);
}
