/* SPDX-License-Identifier: BSD-2-Clause */
/* Each file of a process is listed under its own name, even if the process
 * executes other programs meanwhile. */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/files.h"

#define LOOKS 5000

/* Executes the shell and env in turn until it is killed. */
static pid_t start_changing(void)
{
	static const char self[] = "exec /usr/bin/env /bin/sh -c \"$0\" \"$0\"";
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/bin/sh", "sh", "-c", self, self, NULL);
		_exit(127);
	}
	return pid;
}

/* Whether the path names the open file. */
static bool named(const struct gn_file *file)
{
	struct stat opened, now;

	return file->fd < 0 ||
	       (!fstat(file->fd, &opened) && !stat(file->path, &now) &&
		opened.st_ino == now.st_ino && opened.st_dev == now.st_dev);
}

struct seen {
	bool env, other;
};

static void note_program(struct seen *seen, const char *path)
{
	bool env = strstr(path, "/env");

	seen->env |= env;
	seen->other |= !env;
}

static void a_process_that_executes_others(void **state)
{
	pid_t pid = start_changing();
	struct seen seen = {false, false};

	(void)state;
	assert_true(pid > 0);
	for (int i = 0; i < LOOKS; i++) {
		struct gn_files f = {0};

		/* between two programs it may have no files */
		if (gn_files_of_process(pid, &f) == 0)
			assert_true(f.count > 0);
		for (size_t at = 0; at < f.count; at++) {
			if (!named(&f.file[at]))
				fail_msg("look %d: '%s' is another file", i,
					 f.file[at].path);
			if (f.file[at].program)
				note_program(&seen, f.file[at].path);
		}
		gn_files_free(&f);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(seen.env && seen.other);
}

static void no_process(void **state)
{
	struct gn_files f = {0};
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(gn_files_of_process(pid, &f), -ESRCH);
	assert_int_equal(f.count, 0);
	gn_files_free(&f);
}

static const char no_program[] =
	"process %d runs no program: it is a kernel thread, or a zombie; give "
	"a process that runs one";

static void refused(pid_t pid, const char *text)
{
	struct gn_files f = {0};
	int err = gn_files_of_process(pid, &f);
	char why[GN_MISSING_MAX], wanted[GN_MISSING_MAX];

	assert_true(err < 0);
	assert_int_equal(f.count, 0);
	assert_true(gn_files_missing(pid, err, why));
	snprintf(wanted, sizeof(wanted), text, (int)pid);
	assert_string_equal(why, wanted);
	gn_files_free(&f);
}

/* A process without a program: it has ended, but was not reaped. */
static void a_zombie(void **state)
{
	pid_t pid = fork();
	siginfo_t end;

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &end, WEXITED | WNOWAIT), 0);
	refused(pid, no_program);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static bool is_running(pid_t pid)
{
	char path[32];
	char exe[2];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return readlink(path, exe, sizeof(exe)) >= 0;
}

static void *wait_for_end(void *end)
{
	char c;

	return read(*(int *)end, &c, 1) ? end : NULL;
}

/* Its other threads go on, but ps shows a zombie. */
static void a_first_thread_that_ended(void **state)
{
	siginfo_t info;
	pthread_t other;
	int end[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(end), 0);
	pid = fork();
	if (!pid) {
		close(end[1]);
		if (pthread_create(&other, NULL, wait_for_end, &end[0]))
			_exit(1);
		syscall(SYS_exit, 0);
	}
	/* an ended first thread no longer has a program */
	while (is_running(pid))
		sched_yield();
	refused(pid, "the first thread of process %d has ended, so what its "
		     "other threads run is not known; start it under gnomon");
	close(end[1]);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED), 0);
}

/* They exist only in the first PID namespace; kthreadd is the second process of
 * a kernel. */
static void a_kernel_thread(void **state)
{
	char name[16] = "";
	FILE *f = fopen("/proc/2/comm", "re");

	(void)state;
	if (f && !fgets(name, sizeof(name), f))
		name[0] = '\0';
	if (f)
		fclose(f);
	if (strcmp(name, "kthreadd\n") != 0)
		skip();
	refused(2, no_program);
}

static void *say_number(void *pipes)
{
	pid_t tid = gettid();
	int *end = pipes;

	if (write(end[3], &tid, sizeof(tid)) != (ssize_t)sizeof(tid))
		return NULL;
	return wait_for_end(&end[0]);
}

/* Threads have numbers, too, and unlisted folders in /proc. */
static void a_thread(void **state)
{
	char why[GN_MISSING_MAX], wanted[GN_MISSING_MAX];
	struct gn_files f = {0};
	pthread_t thread;
	int end[4];
	pid_t tid;

	(void)state;
	assert_int_equal(pipe(end), 0);
	assert_int_equal(pipe(end + 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, say_number, end), 0);
	assert_int_equal(read(end[2], &tid, sizeof(tid)), sizeof(tid));
	assert_int_equal(gn_files_of_running(tid, &f), -ESRCH);
	assert_int_equal(f.count, 0);
	assert_true(gn_files_missing(tid, -ESRCH, why));
	snprintf(wanted, sizeof(wanted),
		 "%d is a thread of process %d; give the process", (int)tid,
		 (int)getpid());
	assert_string_equal(why, wanted);
	for (int i = 3; i >= 1; i--)
		close(end[i]);
	pthread_join(thread, NULL);
	close(end[0]);
}

/* The message to a user about a process that /proc hides from him. 0: it is
 * right; 1: it is wrong; 2: it cannot be tested here. */
static int look_at_hidden(pid_t pid)
{
	char why[GN_MISSING_MAX], wanted[GN_MISSING_MAX];
	struct gn_files f = {0};

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, "hidepid=2") ||
	    setgroups(0, NULL) || setgid(65534) || setuid(65534))
		return 2;
	snprintf(wanted, sizeof(wanted),
		 "process %d is hidden from this user (/proc has hidepid); run "
		 "it as root",
		 (int)pid);
	return !gn_files_missing(pid, gn_files_of_running(pid, &f), why) ||
	       strcmp(why, wanted) != 0;
}

static void a_hidden_process(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (!pid)
		_exit(look_at_hidden(getppid()));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 2)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A copy of this program, which needs libraries, that any user can reach. */
static void copy_self(char path[PATH_MAX])
{
	char block[65536];
	FILE *from = fopen("/proc/self/exe", "r"), *to;
	size_t n;
	int fd;

	strcpy(path, "/tmp/files.XXXXXX");
	fd = mkstemp(path);
	to = fdopen(fd, "w");
	assert_non_null(from);
	assert_non_null(to);
	while ((n = fread(block, 1, sizeof(block), from)))
		assert_int_equal(fwrite(block, 1, n, to), n);
	fclose(from);
	assert_int_equal(fclose(to), 0);
	assert_int_equal(chmod(path, 0711), 0);
}

static size_t list(const char *path, const struct gn_user *u, bool *unlisted)
{
	struct gn_files f = {0};
	size_t n;

	assert_int_equal(gn_files_of_program(path, u, &f), 0);
	n = f.count;
	*unlisted = f.unlisted;
	gn_files_free(&f);
	return n;
}

/* Its user may execute it, but neither he nor his dynamic linker may read
 * it. */
static void a_program_whose_libraries_are_not_listed(void **state)
{
	struct gn_user self = {0},
		       other = {.other = true, .uid = 65534, .gid = 65534};
	char path[PATH_MAX];
	bool unlisted;

	(void)state;
	if (geteuid())
		skip();
	copy_self(path);
	assert_true(list(path, &self, &unlisted) > 1);
	assert_false(unlisted);
	assert_int_equal(list(path, &other, &unlisted), 1);
	assert_true(unlisted);
	unlink(path);
}

/* The path of this program's library with that name, among the listed ones. */
static bool lists(const char *name, char path[PATH_MAX])
{
	struct gn_user self = {0};
	struct gn_files f = {0};
	char program[PATH_MAX] = {0};
	bool found = false;

	assert_true(readlink("/proc/self/exe", program, PATH_MAX - 1) > 0);
	assert_int_equal(gn_files_of_program(program, &self, &f), 0);
	for (size_t i = 0; i < f.count && !found; i++) {
		const char *slash = strrchr(f.file[i].path, '/');

		found = f.file[i].fd >= 0 && !strcmp(slash + 1, name);
		if (found)
			snprintf(path, PATH_MAX, "%s", f.file[i].path);
	}
	gn_files_free(&f);
	return found;
}

/* As with LD_LIBRARY_PATH=., or a library that was linked by its path. */
static void a_library_by_a_relative_path(void **state)
{
	static const char name[] = "libcmocka.so.0";
	char dir[] = GN_BUILD_DIR "/files.XXXXXX";
	char want[sizeof(dir) + sizeof(name)], path[PATH_MAX];

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_true(lists(name, path));
	assert_int_equal(symlink(path, name), 0);
	setenv("LD_LIBRARY_PATH", ".", true);
	assert_true(lists(name, path));
	unsetenv("LD_LIBRARY_PATH");
	snprintf(want, sizeof(want), "%s/%s", dir, name);
	assert_string_equal(path, want);
	unlink(want);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(dir), 0);
}

/* For example a script. */
static void what_the_linker_refuses(void **state)
{
	struct gn_user self = {0};
	bool unlisted;

	(void)state;
	assert_int_equal(list("/etc/passwd", &self, &unlisted), 1);
	assert_true(unlisted);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_executes_others),
		cmocka_unit_test(no_process),
		cmocka_unit_test(a_zombie),
		cmocka_unit_test(a_first_thread_that_ended),
		cmocka_unit_test(a_kernel_thread),
		cmocka_unit_test(a_thread),
		cmocka_unit_test(a_hidden_process),
		cmocka_unit_test(a_program_whose_libraries_are_not_listed),
		cmocka_unit_test(a_library_by_a_relative_path),
		cmocka_unit_test(what_the_linker_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
