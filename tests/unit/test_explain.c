// SPDX-License-Identifier: BSD-2-Clause
/* What findings say of a handmade model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "explain/explain.h"

#define SECOND 1000000000ull

/* Threads that have ended can have one row. */
static void all_threads_count(void **state)
{
	struct gn_model_thread threads[] = {
		{.tid = 1,
		 .name = "main",
		 .elapsed = SECOND,
		 .classes = {[GN_CLASS_EVENT] = SECOND}},
		{.name = "[7 ended idle threads]",
		 .merged = 7,
		 .elapsed = SECOND,
		 .classes = {[GN_CLASS_EVENT] = SECOND}},
	};
	struct gn_model m = {
		.end = SECOND,
		.session = {.elapsed_incl = 2 * SECOND,
			    .class_incl = {[GN_CLASS_EVENT] = 2 * SECOND}},
		.threads = threads,
		.nthreads = 2,
	};
	struct gn_findings f;

	(void)state;
	assert_int_equal(gn_explain(&m, 0, &f), 0);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.finding[0].rule, "idle");
	assert_non_null(strstr(f.finding[0].text, "its 8 threads were"));
	gn_findings_clear(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_threads_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
