/* SPDX-License-Identifier: BSD-2-Clause */
/* Which runtime a process has, or is going to have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/runtime.h"

/* gnomon does not wait for itself when it attaches to itself, as doctor does,
 * although its file contains the words that identify launchers. */
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
