// SPDX-License-Identifier: BSD-2-Clause
/* Whether a module's file was overwritten while its runtime ran. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/clr_written.h"

static int make(void)
{
	char path[] = "written-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static int64_t written_ms(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
}

/* Writes until the file has a later time. */
static void write_after(int fd, int other)
{
	int64_t time = written_ms(other);

	do
		assert_int_equal(pwrite(fd, "MZ", 2, 0), 2);
	while (written_ms(fd) <= time);
}

static void a_write_in_place_is_seen(void **state)
{
	int module = make(), runtime = make();

	(void)state;
	write_after(runtime, module);
	assert_false(gn_clr_written(runtime, module));
	write_after(module, runtime);
	assert_true(gn_clr_written(runtime, module));
	close(module);
	close(runtime);
}

/* If the file system has the birth time of a file. */
static void a_later_file_is_as_it_was_loaded(void **state)
{
	int runtime = make(), clock = make(), module;
	struct statx now;

	(void)state;
	write_after(clock, runtime);
	module = make();
	write_after(module, runtime);
	assert_int_equal(statx(module, "", AT_EMPTY_PATH, STATX_BTIME, &now),
			 0);
	assert_int_equal(gn_clr_written(runtime, module),
			 !(now.stx_mask & STATX_BTIME));
	close(module);
	close(clock);
	close(runtime);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_write_in_place_is_seen),
		cmocka_unit_test(a_later_file_is_as_it_was_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
