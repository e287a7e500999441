/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attaches to a process that answers as a JVM does, with each call that can
 * fail failing in turn: in gnomon, and in the processes that attach for it.
 * Whatever fails, the error is told, and nothing is left: no file, no changed
 * option, no lock, no descriptor, and no signal that the JVM would take for an
 * order to write what its threads do.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fail.h"
#include "runtime/java.h"
#include "runtime/java_attach_parts.h"

/* Calls, so that it did the real work. How often it looks for the JVM's socket
 * varies. */
#define LEAST 8

/* What all processes share. */
static struct {
	atomic_int quiet;  /* the option is changed so often */
	atomic_int dumps;  /* so often the JVM wrote what its threads do */
	atomic_int loads;  /* requests that it served */
	atomic_int failed; /* a call of a process that attaches failed */
} * seen;

static char library[PATH_MAX]; /* any file */

/* The call that fails in processes that attach. */
static int fail_apart_at;

WRAP(void *, malloc, (size_t n), (n), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t m), (n, m), NULL, ENOMEM)
WRAP(char *, strdup, (const char *s), (s), NULL, ENOMEM)
WRAP(int, openat, (int d, const char *p, int f, mode_t m), (d, p, f, m), -1,
     EMFILE)
WRAP(int, open, (const char *p, int f, mode_t m), (p, f, m), -1, EMFILE)
WRAP(int, socket, (int d, int t, int p), (d, t, p), -1, EMFILE)
WRAP(int, socketpair, (int d, int t, int p, int *s), (d, t, p, s), -1, EMFILE)
WRAP(int, connect, (int s, const struct sockaddr *a, socklen_t n), (s, a, n),
     -1, ECONNREFUSED)
WRAP(int, getsockopt, (int s, int l, int o, void *v, socklen_t *n),
     (s, l, o, v, n), -1, ENOBUFS)
WRAP(ssize_t, send, (int s, const void *p, size_t n, int f), (s, p, n, f), -1,
     EPIPE)
WRAP(int, fstatat, (int d, const char *p, struct stat *s, int f), (d, p, s, f),
     -1, EACCES)
WRAP(int, kill, (pid_t pid, int signal), (pid, signal), -1, EPERM)
WRAP(long, syscall, (long nr, long a, long b, long c, long d, long e),
     (nr, a, b, c, d, e), -1, EMFILE)

pid_t __real_fork(void);
pid_t __wrap_fork(void);
pid_t __wrap_fork(void)
{
	pid_t pid = fails("fork", EAGAIN) ? -1 : __real_fork();

	if (!pid)
		arm(fail_apart_at);
	return pid;
}

_Noreturn void __real__exit(int code);
_Noreturn void __wrap__exit(int code);
void __wrap__exit(int code)
{
	if (atomic_load(&failed))
		seen->failed++;
	__real__exit(code);
}

int __wrap_gn_java_flags_read(pid_t pid, struct gn_java_flags *f, char *why);
int __wrap_gn_java_flags_read(pid_t pid, struct gn_java_flags *f, char *why)
{
	(void)pid, (void)why;
	*f = (struct gn_java_flags){.warns = true};
	return 0;
}

int __wrap_gn_java_flags_quiet(pid_t pid, const struct gn_java_flags *f,
			       uint32_t *was);
int __wrap_gn_java_flags_quiet(pid_t pid, const struct gn_java_flags *f,
			       uint32_t *was)
{
	(void)pid, (void)f, (void)was;
	if (fails("quiet", EPERM))
		return -EPERM;
	seen->quiet++;
	return 0;
}

void __wrap_gn_java_flags_restore(pid_t pid, const struct gn_java_flags *f,
				  uint32_t was);
void __wrap_gn_java_flags_restore(pid_t pid, const struct gn_java_flags *f,
				  uint32_t was)
{
	(void)pid, (void)f, (void)was;
	seen->quiet--;
}

/* The JVM: one of Java 8 and a later one, in turn. */
static void serve(int listener)
{
	static const char *const answers[] = {"0\n0\n", "0\nreturn code: 0\n"};
	char request[8192];
	int s = accept(listener, NULL, NULL);
	ssize_t n = s < 0 ? -1 : recv(s, request, sizeof(request), 0);

	/* version, command, its three arguments */
	if (n > 0 && !memcmp(request, "1\0load", 7)) {
		const char *answer = answers[seen->loads++ % 2];

		if (write(s, answer, strlen(answer)) < 0)
			__real__exit(1);
	}
	close(s);
}

/* Whether the JVM finds the file that asks it to listen. */
static bool is_asked(pid_t pid)
{
	char here[64], tmp[64];

	snprintf(here, sizeof(here), ".attach_pid%d", (int)pid);
	snprintf(tmp, sizeof(tmp), "/tmp/.attach_pid%d", (int)pid);
	return !access(here, F_OK) || !access(tmp, F_OK);
}

static void begin_to_listen(int listener)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	if (!is_asked(getpid())) {
		seen->dumps++;
		__real__exit(1);
	}
	snprintf(at.sun_path, sizeof(at.sun_path), "/tmp/.java_pid%d",
		 (int)getpid());
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) ||
	    listen(listener, 4))
		__real__exit(1);
}

static void take_signal(int signal)
{
	(void)signal;
}

/* Waits for SIGQUIT, then for requests; ends by SIGTERM. */
static _Noreturn void be_jvm(int ready)
{
	int listener = socket(AF_UNIX, SOCK_STREAM, 0), signal;
	sigset_t quit;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	sigprocmask(SIG_BLOCK, &quit, NULL);
	sigaction(SIGQUIT, &(struct sigaction){.sa_handler = take_signal},
		  NULL);
	if (write(ready, "", 1) != 1 || sigwait(&quit, &signal))
		__real__exit(1);
	begin_to_listen(listener);
	for (;;)
		serve(listener);
}

static pid_t start_jvm(void)
{
	int ready[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = __real_fork();
	assert_true(pid >= 0);
	if (!pid)
		be_jvm(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end_jvm(pid_t pid)
{
	char path[64];

	__real_kill(pid, SIGTERM);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	snprintf(path, sizeof(path), "/tmp/.java_pid%d", (int)pid);
	unlink(path);
}

static enum gn_wait go_on(void *ctx)
{
	(void)ctx;
	return GN_WAIT_ON;
}

/* A session. Returns the first error. */
static int run_session(pid_t pid, char *why)
{
	const struct gn_attach_asked asked = {.filter = "a.*\n"};
	struct gn_attached *a;
	int err = gn_java_attach.open(pid, library, &a, why);
	int ended;

	if (err)
		return err;
	err = gn_java_attach.begin(a, &asked, go_on, NULL, why);
	ended = gn_java_attach.end(a, go_on, NULL, why);
	gn_java_attach.close(a);
	return err < 0 ? err : ended;
}

static size_t open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Waits for processes that still attach, which hold the lock. */
static void check_nothing_left(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	fd = __real_open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	close(fd);
	assert_false(is_asked(pid));
	assert_int_equal(seen->quiet, 0);
}

/* One session in which this call of gnomon fails, and this one of processes
 * that attach. Returns whether one did. */
static bool try_failure(int own, int apart)
{
	size_t files = open_files();
	char why[GN_WHY_MAX] = "";
	pid_t pid = start_jvm();
	bool any;
	int err;

	seen->failed = seen->loads = seen->dumps = 0;
	fail_apart_at = apart;
	arm(own);
	err = run_session(pid, why);
	any = atomic_load(&failed);
	disarm();
	check_nothing_left(pid);
	any |= seen->failed > 0;
	end_jvm(pid);
	if (err > 0 || (err < 0 && !*why) || (!err && seen->loads != 2) ||
	    (err && !any))
		fail_msg("calls %d and %d (%s): %d, %d requests, '%s'", own,
			 apart, failed_call ? failed_call : "", err,
			 seen->loads, why);
	assert_int_equal(open_files(), files);
	assert_int_equal(seen->dumps, 0);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	return any;
}

static void nothing_fails(void **state)
{
	(void)state;
	assert_false(try_failure(0, 0));
}

static void each_of_gnomon(void **state)
{
	int n = 1;

	(void)state;
	while (try_failure(n, 0))
		n++;
	assert_true(n > LEAST);
}

static void each_of_those_that_attach(void **state)
{
	int n = 1;

	(void)state;
	while (try_failure(0, n))
		n++;
	assert_true(n > LEAST);
}

/* A process that has ended, and whose parent does not know yet. */
static void it_has_ended(void **state)
{
	char why[GN_WHY_MAX] = "";
	pid_t pid = start_jvm();
	siginfo_t info;

	(void)state;
	__real_kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(gn_attach_sees(pid, library, why), -ESRCH);
	assert_non_null(strstr(why, "has ended"));
	*why = '\0';
	assert_int_equal(run_session(pid, why), -ESRCH);
	assert_non_null(strstr(why, "has ended"));
	end_jvm(pid);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_fails),
		cmocka_unit_test(each_of_gnomon),
		cmocka_unit_test(each_of_those_that_attach),
		cmocka_unit_test(it_has_ended),
	};

	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED)
		return 1;
	if (!realpath("/proc/self/exe", library))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
