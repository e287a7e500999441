// SPDX-License-Identifier: BSD-2-Clause
/* Whether a process's user can read a file at the path that the process has for
 * it, and where a copy is made for it. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "begun.h"
#include "process/copy.h"

static int can_read(const char *name)
{
	char path[PATH_MAX], cwd[PATH_MAX - 64];

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(path, sizeof(path), "%s/%s", cwd, name);
	return gn_copy_is_needless(getpid(), path);
}

/* The process chooses the file: it may be a pipe, and gnomon must not wait for
 * its other end. */
static void only_a_regular_file_can_be_read(void **state)
{
	static const char name[] = "process-copy-file";
	FILE *f;

	(void)state;
	unlink(name);
	assert_int_equal(can_read(name), 0);
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(can_read(name), 0);
	unlink(name);
	f = fopen(name, "w");
	assert_non_null(f);
	fclose(f);
	assert_int_equal(can_read(name), 1);
	unlink(name);
}

#define OTHER	65534
#define ANOTHER 65533

static bool become_other(void)
{
	return !setgroups(0, NULL) && !setresgid(OTHER, OTHER, OTHER) &&
	       !setresuid(OTHER, OTHER, OTHER);
}

static void make_folder(char *path)
{
	strcpy(path, "/tmp/process-copy-XXXXXX");
	assert_non_null(mkdtemp(path));
}

/* No other user can replace the copy before the process loads it. */
static void a_copy_is_where_nobody_can_change_it(void **state)
{
	static const struct {
		uid_t owner;
		mode_t mode;
		bool fit;
	} folders[] = {
		{OTHER, 0700, true},	 {OTHER, 0777, false},
		{OTHER, 0770, false},	 {OTHER, 01777, true},
		{0, 01777, true},	 {0, 0777, false},
		{ANOTHER, 01777, false}, {ANOTHER, 0777, false},
	};
	int from = open("/bin/sleep", O_RDONLY | O_CLOEXEC);
	char path[64], variable[80];
	pid_t pid;

	(void)state;
	if (geteuid()) {
		print_message("only root has processes of others\n");
		skip();
	}
	make_folder(path);
	snprintf(variable, sizeof(variable), "TMPDIR=%s", path);
	pid = begin_other(become_other, variable);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		struct gn_copy c;

		gn_copy_init(&c);
		assert_int_equal(chown(path, folders[i].owner, 0), 0);
		assert_int_equal(chmod(path, folders[i].mode), 0);
		assert_int_equal(gn_copy_choose(&c, pid, from), 0);
		if (folders[i].fit)
			assert_memory_equal(c.path, path, strlen(path));
		else
			assert_memory_not_equal(c.path, path, strlen(path));
		gn_copy_close(&c);
	}
	end_other(pid);
	close(from);
	rmdir(path);
}

/* Files that only gnomon's own groups can read are not readable for the
 * process. */
static void further_groups_are_gnomons(void **state)
{
	const gid_t ours[] = {0, ANOTHER};
	gid_t after[8];
	char path[64], file[80];
	pid_t pid;
	int fd;

	(void)state;
	if (geteuid()) {
		print_message("only root has processes of others\n");
		skip();
	}
	assert_int_equal(setgroups(2, ours), 0);
	make_folder(path);
	assert_int_equal(chmod(path, 0755), 0);
	snprintf(file, sizeof(file), "%s/file", path);
	fd = open(file, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0640);
	assert_true(fd >= 0);
	close(fd);
	pid = begin_other(become_other, "TMPDIR=/tmp");
	assert_int_equal(gn_copy_is_needless(pid, file), 0);
	assert_int_equal(chown(file, 0, ANOTHER), 0);
	assert_int_equal(gn_copy_is_needless(pid, file), 0);
	assert_int_equal(chown(file, 0, OTHER), 0);
	assert_int_equal(gn_copy_is_needless(pid, file), 1);
	assert_int_equal(getgroups(8, after), 2);
	assert_memory_equal(after, ours, sizeof(ours));
	end_other(pid);
	unlink(file);
	rmdir(path);
}

/* If nothing can be opened, nothing is known about the process. */
static void what_cannot_be_read_is_told(void **state)
{
	struct rlimit before, none;
	pid_t pid;
	int is;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	is = gn_copy_is_needless(getpid(), "/bin/sleep");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(is, -EMFILE);
	pid = fork();
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(gn_copy_is_needless(pid, "/bin/sleep"), -ESRCH);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_regular_file_can_be_read),
		cmocka_unit_test(a_copy_is_where_nobody_can_change_it),
		cmocka_unit_test(further_groups_are_gnomons),
		cmocka_unit_test(what_cannot_be_read_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
