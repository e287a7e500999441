/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the running kernel: whole ones only. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/kernel_names.h"

static void test_names(void **state)
{
	struct gn_kernel_name names[] = {
		{.name = "task_struct"},       {.name = "ask_struct"},
		{.name = "task_struc"},	       {.name = "schedule"},
		{.name = "no_such_name_here"},
	};
	int err = gn_kernel_names(names, sizeof(names) / sizeof(names[0]));

	(void)state;
	if (err == -ENOENT)
		skip();
	assert_int_equal(err, 0);
	assert_true(names[0].known);
	assert_false(names[1].known);
	assert_false(names[2].known);
	assert_true(names[3].known);
	assert_false(names[4].known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
