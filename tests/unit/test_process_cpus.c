// SPDX-License-Identifier: BSD-2-Clause
/* Limits of control groups, in a folder that looks like the kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/cpus.h"

static char root[] = "cpus-XXXXXX"; /* in the build folder */

static void put(const char *group, const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, group);
	for (char *c = path + strlen(root) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(path, 0700);
		*c = '/';
	}
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", root, group, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void expect(const char *groups, uint64_t milli, uint64_t periods,
		   uint64_t throttled)
{
	struct gn_cpu_limit limit = {.milli = 0};
	char text[256];

	snprintf(text, sizeof(text), "%s", groups);
	gn_cpu_limit_of(text, root, &limit);
	assert_int_equal(limit.milli, milli);
	assert_int_equal(limit.periods, periods);
	assert_int_equal(limit.throttled, throttled);
	assert_true(!milli == !limit.folder);
	free(limit.folder);
}

static void the_second_version(void **state)
{
	(void)state;
	put("a", "cpu.max", "250000 100000\n");
	put("a", "cpu.stat",
	    "usage_usec 1\nnr_periods 40\nnr_throttled 7\n"
	    "throttled_usec 12345\n");
	put("a/b", "cpu.max", "max 100000\n");
	put("a/c", "cpu.max", "20000 100000\n");
	expect("0::/a/b\n", 2500, 40, 7);
	expect("0::/a/c\n", 200, 0, 0);
	expect("0::/\n", 0, 0, 0);
	expect("0::/gone\n", 0, 0, 0);
}

static void the_first_version(void **state)
{
	(void)state;
	put("cpu/x", "cpu.cfs_quota_us", "-1\n");
	put("cpu/x", "cpu.cfs_period_us", "100000\n");
	put("cpu/x/y", "cpu.cfs_quota_us", "50000\n");
	put("cpu/x/y", "cpu.cfs_period_us", "10000\n");
	put("cpu/x/y", "cpu.stat",
	    "nr_periods 9\nnr_throttled 3\nthrottled_time 5\n");
	expect("4:cpu,cpuacct:/x/y\n0::/\n", 5000, 9, 3);
	expect("4:cpu,cpuacct:/x\n", 0, 0, 0);
	expect("4:cpuset:/x/y\n", 0, 0, 0);
}

static void what_is_no_such_text(void **state)
{
	(void)state;
	put("odd", "cpu.max", "18446744073709551615 x\n");
	put("zero", "cpu.max", "1000 0\n");
	expect("0::/odd\n", 0, 0, 0);
	expect("0::/zero\n", 0, 0, 0);
	expect("0", 0, 0, 0);
	expect("", 0, 0, 0);
}

static int begin(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_version),
		cmocka_unit_test(the_first_version),
		cmocka_unit_test(what_is_no_such_text),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
