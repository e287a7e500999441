// SPDX-License-Identifier: BSD-2-Clause
/* Which program a command's name starts: the same one as execvp() says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/target.h"

#define NAME	 "gn-program"
#define STRANGER 12345

/* A program that ends with `code`. */
static void make_program(const char *folder, int code, mode_t mode)
{
	char path[PATH_MAX];
	FILE *f;

	mkdir(folder, 0755);
	snprintf(path, sizeof(path), "%s/" NAME, folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\nexit %d\n", code);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static int code_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The exit code of what execvp() starts, -EACCES or -ENOENT. */
static int run_by_name(void)
{
	pid_t pid = fork();
	int code;

	if (!pid) {
		execlp(NAME, NAME, NULL);
		_exit(errno == EACCES ? 100 : 101);
	}
	code = code_of(pid);
	return code == 100 ? -EACCES : code == 101 ? -ENOENT : code;
}

/* The same of what gnomon takes for it. */
static int run_resolved(void)
{
	char path[PATH_MAX];
	int err = gn_target_resolve(NAME, path);
	pid_t pid;

	if (err)
		return err;
	pid = fork();
	if (!pid) {
		execl(path, NAME, NULL);
		_exit(102);
	}
	return code_of(pid);
}

static void as_execvp_does(void **state)
{
	static const char *const paths[] = {
		"one",
		"two:one",
		"none:two",
		"none",
		"plain:two",
		"plain",
		"folder:two",
		"folder:none",
		"plain/" NAME ":one",
		/* empty: the current folder */
		"",
		":",
		":one",
		"none:",
		"none::one",
		"one:",
		"two/:one",
	};
	const char *was = getenv("PATH");
	char *kept = strdup(was ? was : "");

	(void)state;
	assert_non_null(kept);
	make_program(".", 1, 0755);
	make_program("one", 2, 0755);
	make_program("two", 3, 0755);
	make_program("plain", 4, 0644);
	mkdir("folder", 0755);
	mkdir("folder/" NAME, 0755);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		setenv("PATH", paths[i], 1);
		assert_int_equal(run_resolved(), run_by_name());
	}
	setenv("PATH", kept, 1);
	free(kept);
}

static void without_path(void **state)
{
	const char *was = getenv("PATH");
	char path[PATH_MAX], *kept = strdup(was ? was : "");

	(void)state;
	assert_non_null(kept);
	unsetenv("PATH");
	assert_int_equal(gn_target_resolve("sh", path), 0);
	assert_string_equal(path, "/bin/sh");
	/* not the current folder */
	assert_int_equal(gn_target_resolve(NAME, path), -ENOENT);
	setenv("PATH", kept, 1);
	free(kept);
}

static const char *launched(const char *const *argv)
{
	static char path[PATH_MAX];

	return gn_target_launched((char *const *)argv, path) ? path : "";
}

#define LAUNCHED(...) launched((const char *const[]){__VA_ARGS__, NULL})

/* What is not a program is passed over; so are further launchers. */
static void what_a_launcher_starts(void **state)
{
	(void)state;
	make_program("two", 3, 0755);
	assert_string_equal(LAUNCHED("env", "-u", "X", "A=1", "two/" NAME),
			    "two/" NAME);
	assert_string_equal(
		LAUNCHED("timeout", "-k", "1", "10", "two/" NAME, "/bin/sh"),
		"two/" NAME);
	assert_string_equal(
		LAUNCHED("/usr/bin/nice", "-n", "5", "env", "two/" NAME),
		"two/" NAME);
	assert_string_equal(LAUNCHED("env", "none/" NAME, "two"), "");
	assert_string_equal(LAUNCHED("env"), "");
	/* these may start it, or read it */
	assert_string_equal(LAUNCHED("sh", "two/" NAME), "");
	assert_string_equal(LAUNCHED("gdb", "two/" NAME), "");
	assert_string_equal(LAUNCHED("two/" NAME, "two/" NAME), "");
}

/* Somebody else's program is passed over. */
static void not_ours_to_run(void **state)
{
	pid_t pid;

	(void)state;
	make_program("private", 5, getuid() ? 0011 : 0700);
	pid = fork();
	if (!pid) {
		setenv("PATH", "private:two", 1);
		if (!getuid() && setuid(STRANGER))
			_exit(103);
		_exit(run_resolved() == 3 && run_by_name() == 3 ? 0 : 104);
	}
	assert_int_equal(code_of(pid), 0);
}

static int enter_folder(void **state)
{
	char *folder = strdup(GN_BUILD_DIR "/target.XXXXXX");

	*state = folder;
	return !folder || !mkdtemp(folder) || chmod(folder, 0755) ||
	       chdir(folder);
}

static int leave_folder(void **state)
{
	static const char *const files[] = {
		NAME,		"one/" NAME,	 "two/" NAME, "plain/" NAME,
		"folder/" NAME, "one",		 "two",	      "plain",
		"folder",	"private/" NAME, "private"};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (unlink(files[i]))
			rmdir(files[i]);
	if (chdir("/") || rmdir(*state))
		return -1;
	free(*state);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_execvp_does),
		cmocka_unit_test(without_path),
		cmocka_unit_test(what_a_launcher_starts),
		cmocka_unit_test(not_ours_to_run),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
