// SPDX-License-Identifier: BSD-2-Clause
/* Whether a process's user can read a file where the process names it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "process/copy.h"

static bool can_read(const char *name)
{
	char path[PATH_MAX], cwd[PATH_MAX - 64];

	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(path, sizeof(path), "%s/%s", cwd, name);
	return gn_copy_is_needless(getpid(), path);
}

/* The process chooses what is there: of a pipe nobody may wait for the other
 * end. */
static void only_a_regular_file_can_be_read(void **state)
{
	static const char name[] = "process-copy-file";
	FILE *f;

	(void)state;
	unlink(name);
	assert_false(can_read(name));
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_false(can_read(name));
	unlink(name);
	f = fopen(name, "w");
	assert_non_null(f);
	fclose(f);
	assert_true(can_read(name));
	unlink(name);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_a_regular_file_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
