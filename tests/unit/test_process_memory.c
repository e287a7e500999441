// SPDX-License-Identifier: BSD-2-Clause
/* Memory limits of control groups, in a folder that looks like the kernel's. */
#include "process/memory.h"
#include "group_files.h"

static uint64_t limit(const char *text)
{
	struct gn_memory_group least = {.folder = NULL};

	gn_memory_group(text, root, &least);
	if (!least.folder)
		return UINT64_MAX;
	free(least.folder);
	return least.bytes;
}

static void how_often_it_was_full(void **state)
{
	struct gn_memory_group least = {.folder = NULL};
	uint64_t full = 7;

	(void)state;
	put("full/memory.max", "9000\n");
	put("full/memory.high", "8000\n");
	put("full/memory.events", "low 1\nhigh 20\nmax 300\noom 4000\n");
	gn_memory_group("0::/full/inner\n", root, &least);
	assert_int_equal(least.bytes, 8000);
	assert_int_equal(least.full, 320);
	put("full/memory.events", "high 21\nmax 300\n");
	assert_true(gn_memory_full(least.folder, &full));
	assert_int_equal(full, 321);
	put("full/memory.failcnt", "12\n");
	assert_true(gn_memory_full(least.folder, &full));
	assert_int_equal(full, 12);
	assert_false(gn_memory_full("/nonexistent", &full));
	free(least.folder);
}

static void the_least_of_a_group_and_those_around_it(void **state)
{
	(void)state;
	put("a/b/memory.max", "max\n");
	put("a/memory.max", "1000000\n");
	put("a/small/memory.max", "5000\n");
	assert_int_equal(limit("0::/a/b\n"), 1000000);
	assert_int_equal(limit("0::/a/small\n"), 5000);
	assert_true(limit("0::/other\n") == UINT64_MAX);
	assert_true(limit("0::/\n") == UINT64_MAX);
}

static void both_versions(void **state)
{
	(void)state;
	put("memory/x/memory.limit_in_bytes", "70000\n");
	put("memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("unified/u/memory.max", "60000\n");
	assert_int_equal(limit("9:cpu,cpuacct:/x\n4:memory:/x\n0::/\n"), 70000);
	assert_int_equal(limit("4:hugetlb,memory:/x/y\n"), 70000);
	assert_int_equal(limit("4:memory:/x\n0::/u\n"), 60000);
	assert_true(limit("4:memory:/\n") == UINT64_MAX);
	assert_true(limit("4:memories:/x\n") == UINT64_MAX);
}

static void what_is_no_such_text(void **state)
{
	static const char *const texts[] = {"",	  "\n\n", ":",	  "0",
					    "0:", "0::",  "::::", "0:memory"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_true(limit(texts[i]) == UINT64_MAX);
	assert_true(gn_memory_limit(-1) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_of_a_group_and_those_around_it),
		cmocka_unit_test(both_versions),
		cmocka_unit_test(how_often_it_was_full),
		cmocka_unit_test(what_is_no_such_text),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
