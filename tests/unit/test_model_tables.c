// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/pool.h"
#include "model/table.h"

static void table_keeps_what_was_put(void **state)
{
	struct gn_table t = {0};
	uint64_t i;

	(void)state;
	assert_int_equal(gn_table_get(&t, 0), GN_NONE);
	gn_table_remove(&t, 5);
	for (i = 0; i < 10000; i++)
		assert_int_equal(gn_table_put(&t, i * i << 20, (uint32_t)i), 0);
	for (i = 0; i < 10000; i++)
		assert_int_equal(gn_table_get(&t, i * i << 20), i);
	assert_int_equal(gn_table_get(&t, 3), GN_NONE);
	assert_int_equal(gn_table_put(&t, 0, 7), 0);
	assert_int_equal(gn_table_get(&t, 0), 7);
	gn_table_free(&t);
}

static void removed_keys_are_gone_and_can_come_back(void **state)
{
	struct gn_table t = {0};
	uint32_t i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		assert_int_equal(gn_table_put(&t, i, i), 0);
		if (i % 2)
			gn_table_remove(&t, i);
	}
	for (i = 0; i < 1000; i++)
		assert_int_equal(gn_table_get(&t, i), i % 2 ? GN_NONE : i);
	assert_int_equal(gn_table_put(&t, 1, 11), 0);
	assert_int_equal(gn_table_get(&t, 1), 11);
	/* keys that come and go do not use up room */
	for (i = 0; i < 100000; i++) {
		assert_int_equal(gn_table_put(&t, 1u << 20 | i, i), 0);
		gn_table_remove(&t, 1u << 20 | i);
	}
	assert_true(t.size <= 1u << 13);
	gn_table_free(&t);
}

static void equal_texts_are_one_pointer(void **state)
{
	struct gn_pool p = {0};
	char big[100000];
	const char *a, *b;
	int i;

	(void)state;
	a = gn_pool_add(&p, "System.String.Concat", 20);
	assert_string_equal(a, "System.String.Concat");
	assert_ptr_equal(gn_pool_add(&p, "System.String.Concat!", 20), a);
	b = gn_pool_add(&p, "System", 6);
	assert_string_equal(b, "System");
	assert_ptr_not_equal(a, b);
	assert_string_equal(gn_pool_add(&p, "", 0), "");
	/* longer than a chunk, and many, which need new chunks */
	memset(big, 'x', sizeof(big));
	assert_int_equal(strlen(gn_pool_add(&p, big, sizeof(big))),
			 sizeof(big));
	for (i = 0; i < 2000; i++)
		assert_int_equal(strlen(gn_pool_add(&p, big, 100 + (size_t)i)),
				 100 + i);
	assert_ptr_equal(gn_pool_add(&p, "System.String.Concat", 20), a);
	assert_string_equal(a, "System.String.Concat");
	gn_pool_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_keeps_what_was_put),
		cmocka_unit_test(removed_keys_are_gone_and_can_come_back),
		cmocka_unit_test(equal_texts_are_one_pointer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
