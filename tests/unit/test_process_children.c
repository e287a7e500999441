/* SPDX-License-Identifier: BSD-2-Clause */
/* How many other children a process has: one with a gnomon below it does not
 * count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/children.h"

/* A child that ends with this process, at the latest. */
static pid_t wait_in_child(const int ends[2])
{
	pid_t pid = fork();
	char c;

	assert_true(pid >= 0);
	if (pid)
		return pid;
	close(ends[1]);
	_exit(read(ends[0], &c, 1) != 1);
}

/* What a grandchild counts for this process. `known`: the child between them is
 * known. */
static int counted_below(bool known)
{
	pid_t top = getpid(), pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		pid_t self = getpid();

		pid = fork();
		if (!pid)
			_exit((int)gn_children_others(top, &self, known));
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
			_exit(100);
		_exit(WEXITSTATUS(status));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void others_are_counted(void **state)
{
	pid_t other;
	int ends[2];

	(void)state;
	assert_int_equal(counted_below(false), 0);
	assert_int_equal(counted_below(true), 0);
	assert_int_equal(pipe(ends), 0);
	other = wait_in_child(ends);
	assert_int_equal(gn_children_others(getpid(), NULL, 0), 1);
	assert_int_equal(gn_children_others(getpid(), &other, 1), 0);
	assert_int_equal(counted_below(false), 1);
	assert_int_equal(counted_below(true), 1);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(waitpid(other, NULL, 0), other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
