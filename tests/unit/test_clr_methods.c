// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hooksite/clr/methods.h"

static void test_set(void **state)
{
	struct gn_method_set *s = calloc(1, sizeof(*s));
	uint32_t n = 0;

	(void)state;
	assert_non_null(s);
	assert_false(gn_method_set_has(s, GN_METHOD(1, 0x06000001)));
	assert_int_equal(gn_method_set_add(s, GN_METHOD(1, 0x06000001)), 1);
	assert_int_equal(gn_method_set_add(s, GN_METHOD(1, 0x06000001)), 0);
	assert_true(gn_method_set_has(s, GN_METHOD(1, 0x06000001)));
	assert_false(gn_method_set_has(s, GN_METHOD(2, 0x06000001)));
	while (gn_method_set_add(s, GN_METHOD(3, ++n)) > 0)
		;
	/* it is full, and still distinguishes what it has from what it does not
	 * have */
	assert_true(n > GN_METHODS_SLOTS / 2 && n < GN_METHODS_SLOTS);
	assert_true(gn_method_set_has(s, GN_METHOD(3, n - 1)));
	assert_false(gn_method_set_has(s, GN_METHOD(3, n)));
	free(s);
}

static void test_modules(void **state)
{
	struct gn_modules *m = calloc(1, sizeof(*m));

	(void)state;
	assert_non_null(m);
	assert_int_equal(gn_modules_find(m, 7), 0);
	assert_int_equal(gn_modules_add(m, 7), 1);
	assert_int_equal(gn_modules_add(m, 8), 2);
	assert_int_equal(gn_modules_find(m, 7), 1);
	gn_modules_forget(m, 7);
	assert_int_equal(gn_modules_find(m, 7), 0);
	assert_int_equal(gn_modules_find(m, 8), 2);
	/* as from two threads at the same time */
	assert_int_equal(gn_modules_add(m, 9), 3);
	assert_int_equal(gn_modules_add(m, 9), 4);
	gn_modules_forget(m, 9);
	assert_int_equal(gn_modules_find(m, 9), 0);
	for (int i = 4; i < GN_MODULES_MAX; i++)
		assert_int_equal(gn_modules_add(m, 9), i + 1);
	assert_int_equal(gn_modules_add(m, 9), 0);
	free(m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_modules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
