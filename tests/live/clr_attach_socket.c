/* SPDX-License-Identifier: BSD-2-Clause */
/* The diagnostics socket of a process: it is missing, belongs to another
 * process, gives false answers, or answers late. */
#include "clr.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Its socket, if root may not open it. */
void test_attach_denied(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;

	clr_start_as_nobody(t, &served);
	live_add(t, &a, "/usr/bin/setpriv", "--bounding-set",
		 "-all,+bpf,+perfmon,+sys_ptrace", t->gnomon, "run", "-d",
		 "100ms", "-p", live_text(t, "%d", (int)served.pid), "-f",
		 "Demo.Service.*", NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t,
	      end.code == 1 &&
		      strstr(end.err, "only its own user may read the "
				      "environment of") &&
		      strstr(end.err, "; give gnomon CAP_DAC_OVERRIDE"),
	      "gnomon ended with %d: %s", end.code, end.err);
	clr_go_on(t, &served);
}

/* One process that cannot be asked, beside one that can. */
static void expect_some(struct live *t, pid_t off)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	const char *light;

	clr_start_with(t, NULL, &served);
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
	clr_go_on(t, &served);
}

/* Leaves a socket as of a process with the same PID that started in another
 * tick. */
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

/* The report also says what is missing if gnomon goes on without functions. */
void test_attach_off(struct live *t)
{
	char *off[] = {"DOTNET_EnableDiagnostics=0", NULL};
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	char left[sizeof(((struct sockaddr_un *)NULL)->sun_path)];

	clr_start_with(t, off, &served);
	leave_socket(t, served.pid, left);
	clr_expect_refused(t, served.pid, "has no diagnostics socket");
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
	clr_go_on(t, &served);
}

/* The path of the socket that the runtime of a process has. */
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

/* Longer than gnomon waits between two checks of a condition. */
#define LONG_MS 100

/* Waits until gnomon polls for one thing, and with a long timeout: for the end
 * of the process. */
static void await_waiting(struct live *t, pid_t gnomon)
{
	char *path = live_text(t, "/proc/%d/syscall", (int)gnomon), line[256];
	unsigned long n = 0, ms = 0;
	long call = -1;

	while (call != SYS_poll || n != 1 || ms < LONG_MS) {
		FILE *f = fopen(path, "re");

		CHECK(t, f, "gnomon has ended");
		if (!fgets(line, sizeof(line), f) ||
		    sscanf(line, "%ld %*x %lx %lx", &call, &n, &ms) != 3)
			call = -1;
		fclose(f);
	}
}

/* Its socket is gone because the process is about to end. gnomon says that, not
 * other possible causes. */
void test_attach_ending(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=%s", t->dir), NULL};
	struct live_args a = {.n = 0};
	struct live_talk served, gnomon;
	char *line;
	int code;

	clr_start_with(t, env, &served);
	CHECK(t, unlink(socket_of(t, &served, t->dir)) == 0, "unlink: %s",
	      strerror(errno));
	live_add(t, &a, t->gnomon, "run", "-f", "Demo.*", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_talk(t, &a, &gnomon);
	await_waiting(t, gnomon.pid);
	CHECK(t, !kill(served.pid, SIGKILL), "kill: %s", strerror(errno));
	while ((line = live_await_or_end(t, gnomon.err, "gnomon: ")))
		CHECK(t, !strstr(line, "diagnostics socket"), "it said: %s",
		      line);
	code = live_finish(t, &gnomon);
	CHECK(t, code == 1, "gnomon ended with %d", code);
	live_finish(t, &served);
}

/* Listens at the runtime's path and gives the specified answer. */
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

/* A runtime that could not unload the library does not get it, neither for
 * functions nor for threads only. */
void test_attach_old(struct live *t)
{
	struct live_args a = {.n = 0};
	struct live_talk served;
	struct live_end end;
	uint64_t begun;
	char *maps;
	size_t size;

	clr_start_with(t, NULL, &served);
	begun = live_now();
	clr_expect_refused(t, served.pid, "runs a .NET older than 6");
	/* its last thread has no name that gnomon could wait for */
	CHECK(t, live_now() - begun < 6000000000u, "it was waited for");
	live_add(t, &a, t->gnomon, "run", "-d", "100ms", "-p",
		 live_text(t, "%d", (int)served.pid), NULL);
	live_run(t, &a, NULL, &end);
	CHECK(t, end.code == 0 && strstr(end.err, "runs a .NET older than 6"),
	      "gnomon ended with %d: %s", end.code, end.err);
	maps = live_read(t, live_text(t, "/proc/%d/maps", (int)served.pid),
			 &size);
	CHECK(t, !strstr(maps, "libgnomon"), "it has a library of gnomon's");
	clr_go_on(t, &served);
}

/* Another process listens at the socket's path and claims success. */
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

	clr_start_with(t, env, &served);
	path = socket_of(t, &served, t->dir);
	liar = lie(t, path, answer, sizeof(answer));
	await_file(path);
	clr_expect_refused(t, served.pid,
			   "something that is not the runtime answers on");
	CHECK(t, kill(liar, SIGKILL) == 0 && waitpid(liar, NULL, 0) == liar,
	      "kill: %s", strerror(errno));
	clr_go_on(t, &served);
}

/* Makes the runtime wait for a message that does not come. */
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

/* Whether gnomon has started a guard: then it is about to ask the runtime. */
static bool has_guard(struct live *t, pid_t gnomon)
{
	pid_t guard = live_child(t, gnomon, is_guard);

	CHECK(t, guard >= 0, "gnomon has ended");
	return guard;
}

/* The path of its socket is relative to its working directory. */
void test_attach_folder(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=../../../../../../../../../../..%s",
				 t->dir),
		       NULL};
	struct live_talk served;

	clr_start_with(t, env, &served);
	clr_session(t, &served, "-f Demo.Service.*", "run 50", 0);
	clr_go_on(t, &served);
}

/* The name of its socket has the start time by the process's own clock, not
 * ours. */
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
	clr_go_on(t, &served);
}

/* The process itself listens, but nobody reads the request. */
void test_attach_silent(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=%s", t->dir), NULL};
	struct live_talk served;

	clr_start_with(t, env, &served);
	live_tell(t, &served, "silence");
	free(live_await(t, served.out, "done"));
	clr_expect_refused(t, served.pid,
			   "does not answer on its diagnostics socket");
	clr_go_on(t, &served);
}

/* How many sockets have the path: the one that listens, and one for each
 * connection, also for those that nobody has accepted. */
static size_t sockets_at(struct live *t, const char *path)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char line[512];
	size_t n = 0;

	CHECK(t, f, "/proc/net/unix cannot be read");
	while (fgets(line, sizeof(line), f)) {
		const char *at = strstr(line, path);

		n += at && at[strlen(path)] == '\n';
	}
	fclose(f);
	return n;
}

/* Both answers of the runtime come late, but each within its time limit. */
void test_attach_slow(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=%s", t->dir), NULL};
	struct live_talk served, gnomon;
	struct live_args a = {.n = 0};
	size_t before;
	char *path;
	int held[2];

	clr_start_with(t, env, &served);
	path = socket_of(t, &served, t->dir);
	held[0] = hold_up(t, path);
	before = sockets_at(t, path);
	CHECK(t, before == 2, "%zu sockets have the path %s", before, path);
	live_add(t, &a, t->gnomon, "run", "-d", "100ms", "-f", "Demo.Service.*",
		 "-p", live_text(t, "%d", (int)served.pid), NULL);
	live_talk(t, &a, &gnomon);
	/* after the first of gnomon's requests, which waits */
	while (!has_guard(t, gnomon.pid) || sockets_at(t, path) <= before)
		poll(NULL, 0, 5);
	held[1] = hold_up(t, path);
	for (int i = 0; i < 2; i++) {
		poll(NULL, 0, 6000);
		close(held[i]);
	}
	free(live_await(t, gnomon.err, "gnomon: attached"));
	CHECK(t, live_wait(t, &gnomon) == 0, "its status is wrong");
	clr_go_on(t, &served);
}

/* A signal while gnomon waits for the runtime's answer: nothing was traced. */
void test_attach_called_off(struct live *t)
{
	char *env[] = {live_text(t, "TMPDIR=%s", t->dir), NULL};
	struct live_talk served, gnomon;
	struct live_args a = {.n = 0};

	clr_start_with(t, env, &served);
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
	clr_go_on(t, &served);
}
