/* SPDX-License-Identifier: BSD-2-Clause */
/* How a process sees its own files and numbers. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "begun.h"
#include "process/inside.h"

#define GROUPS 2000

/* Starts a process with many groups, which is PID 1 in its own namespace, and
 * reports its PID here. */
static void begin_inside(int told)
{
	gid_t groups[GROUPS];
	pid_t pid;

	for (gid_t i = 0; i < GROUPS; i++)
		groups[i] = 1000000000 + i;
	if (setgroups(GROUPS, groups) || unshare(CLONE_NEWPID))
		_exit(1);
	pid = fork();
	if (pid)
		_exit(pid < 0 || write(told, &pid, sizeof(pid)) != sizeof(pid));
	pause();
	_exit(0);
}

static void number_behind_many_groups(void **state)
{
	pid_t outer, inner, number;
	int told[2];

	(void)state;
	assert_int_equal(gn_inside_number(getpid()), getpid());
	assert_int_equal(pipe(told), 0);
	outer = fork();
	if (!outer)
		begin_inside(told[1]);
	close(told[1]);
	if (read(told[0], &inner, sizeof(inner)) != sizeof(inner)) {
		waitpid(outer, NULL, 0);
		print_message("skipped: run as root\n");
		skip();
	}
	number = gn_inside_number(inner);
	kill(inner, SIGKILL);
	waitpid(outer, NULL, 0);
	close(told[0]);
	assert_int_equal(number, 1);
}

static bool go_to_usr(void)
{
	return !chdir("/usr");
}

static int folder_with(const char *variable, char folder[PATH_MAX])
{
	pid_t pid = begin_other(go_to_usr, variable);
	int err = gn_inside_folder(pid, folder);

	end_other(pid);
	return err;
}

static void folder_that_it_names(void **state)
{
	char folder[PATH_MAX];

	(void)state;
	assert_int_equal(folder_with(NULL, folder), 0);
	assert_string_equal(folder, "/tmp");
	assert_int_equal(folder_with("TMPDIR=", folder), 0);
	assert_string_equal(folder, "/tmp");
	assert_int_equal(folder_with("TMPDIR=/var/tmp", folder), 0);
	assert_string_equal(folder, "/var/tmp");
	assert_int_equal(folder_with("TMPDIR=share", folder), 0);
	assert_string_equal(folder, "/usr/share");
}

/* Nothing can be opened: files of another folder are no answer. */
static void what_cannot_be_read_is_told(void **state)
{
	struct rlimit before, none;
	char folder[PATH_MAX];
	pid_t pid;
	int err;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	err = gn_inside_folder(getpid(), folder);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(err, -EMFILE);
	pid = fork();
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(gn_inside_folder(pid, folder), -ESRCH);
	assert_int_equal(gn_inside_why(pid, "status"), -ESRCH);
}

/* Renames a folder until it is killed. */
static void rename_on(int ready)
{
	if (mkdir("inside-one", 0700))
		_exit(1);
	for (int told = 0; getppid() != 1; told = 1) {
		if (rename("inside-one", "inside-two") ||
		    rename("inside-two", "inside-one"))
			_exit(1);
		if (!told && write(ready, "x", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

/* The kernel does not resolve ".." below a root during a rename. */
static void opened_while_others_rename(void **state)
{
	int root = open("/", O_PATH | O_CLOEXEC), ready[2], fd = 0, n = 0;
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid)
		rename_on(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	for (; fd >= 0 && n < 20000; n++) {
		fd = gn_inside_open(root, "/proc/../proc/../proc/..", O_PATH);
		if (fd >= 0)
			close(fd);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	rmdir("inside-one");
	rmdir("inside-two");
	assert_int_equal(fd < 0 ? fd : 0, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_behind_many_groups),
		cmocka_unit_test(folder_that_it_names),
		cmocka_unit_test(what_cannot_be_read_is_told),
		cmocka_unit_test(opened_while_others_rename),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
