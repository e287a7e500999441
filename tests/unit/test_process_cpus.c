// SPDX-License-Identifier: BSD-2-Clause
/* CPU limits of control groups, in a folder that looks like the kernel's, and
 * the CPUs that a process is bound to. */
#include "process/cpus.h"

#include <sched.h>
#include <unistd.h>

#include "group_files.h"

static void expect(const char *groups, uint64_t milli, uint64_t periods,
		   uint64_t throttled)
{
	struct gn_cpu_limit limit = {.milli = 0};

	gn_cpu_limit(groups, root, &limit);
	assert_int_equal(limit.milli, milli);
	assert_int_equal(limit.periods, periods);
	assert_int_equal(limit.throttled, throttled);
	assert_true(!milli == !limit.folder);
	free(limit.folder);
}

static void the_second_version(void **state)
{
	(void)state;
	put("a/cpu.max", "250000 100000\n");
	put("a/cpu.stat", "usage_usec 1\nnr_periods 40\nnr_throttled 7\n"
			  "throttled_usec 12345\n");
	put("a/b/cpu.max", "max 100000\n");
	put("a/c/cpu.max", "20000 100000\n");
	expect("0::/a/b\n", 2500, 40, 7);
	expect("0::/a/c\n", 200, 0, 0);
	expect("0::/\n", 0, 0, 0);
	expect("0::/gone\n", 0, 0, 0);
}

static void the_first_version(void **state)
{
	(void)state;
	put("cpu/x/cpu.cfs_quota_us", "-1\n");
	put("cpu/x/cpu.cfs_period_us", "100000\n");
	put("cpu/x/y/cpu.cfs_quota_us", "50000\n");
	put("cpu/x/y/cpu.cfs_period_us", "10000\n");
	put("cpu/x/y/cpu.stat",
	    "nr_periods 9\nnr_throttled 3\nthrottled_time 5\n");
	expect("4:cpu,cpuacct:/x/y\n0::/\n", 5000, 9, 3);
	expect("4:cpu,cpuacct:/x\n", 0, 0, 0);
	expect("4:cpuset:/x/y\n", 0, 0, 0);
}

static void what_is_no_such_text(void **state)
{
	(void)state;
	put("odd/cpu.max", "18446744073709551615 x\n");
	put("zero/cpu.max", "1000 0\n");
	expect("0::/odd\n", 0, 0, 0);
	expect("0::/zero\n", 0, 0, 0);
	expect("0", 0, 0, 0);
	expect("", 0, 0, 0);
}

/* A process has the CPUs that it is bound to. */
static void those_that_it_may_use(void **state)
{
	cpu_set_t all, one;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	assert_int_equal(gn_cpus_allowed(getpid()), CPU_COUNT(&all));
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(gn_cpus_allowed(getpid()), 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_int_equal(gn_cpus_allowed(-1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_version),
		cmocka_unit_test(the_first_version),
		cmocka_unit_test(what_is_no_such_text),
		cmocka_unit_test(those_that_it_may_use),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
