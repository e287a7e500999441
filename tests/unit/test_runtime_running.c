/* SPDX-License-Identifier: BSD-2-Clause */
/* Which runtime a process has or will have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/runtime.h"

/* gnomon is not waited for when it attaches to itself, as doctor does, though
 * its file has the words that make others launchers. */
static void gnomon_starts_none(void **state)
{
	(void)state;
	assert_non_null(gn_runtime_started_by("/proc/self/exe"));
	assert_null(gn_runtime_launched(getpid()));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(gnomon_starts_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
