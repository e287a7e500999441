/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the library for CPython that need no interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "hooksite/python/filter.h"
#include "hooksite/python/yields.h"

#define DECODE "json.decoder.JSONDecoder.decode"
#define FILE   "/usr/lib/python3.11/json/decoder.py"

static void test_filter(void **state)
{
	static const struct {
		const char *filter, *name, *module;
		bool is;
	} rows[] = {
		{NULL, DECODE, FILE, true},
		{"json.*", DECODE, FILE, true},
		{"json.decoder.JSONDecoder.decode", DECODE, FILE, true},
		{"decode", DECODE, FILE, false},
		{"JSONDecoder.*", DECODE, FILE, false},
		{"decoder.py:JSONDecoder.*", DECODE, FILE, true},
		{"decoder:decode", DECODE, FILE, true},
		{"decoder:code", DECODE, FILE, false},
		{"encoder.py:*", DECODE, FILE, false},
		{"/usr/*:decode", DECODE, FILE, true},
		{"/lib/*:decode", DECODE, FILE, false},
		{"fib", "__main__.fib", "app.py", true},
		{"app.py:fib", "__main__.fib", "app.py", true},
		{"ib", "__main__.fib", "app.py", false},
		{"len", "builtins.len", "builtins", true},
		{"!json.*", DECODE, FILE, false},
		{"!json.*", "re.compile", "re.py", true},
		{"json.*\n!*.decode", DECODE, FILE, false},
		{"json.*\n!*.decode\n*.JSON*", DECODE, FILE, true},
		{"a\nb", DECODE, FILE, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (gn_python_filter(rows[i].filter, rows[i].name,
				     rows[i].module) != rows[i].is)
			fail_msg("'%s' and %s", rows[i].filter, rows[i].name);
}

/* Up to 3.10 a frame begins at -1, and YIELD_FROM is repeated. */
static void test_old_yields(void **state)
{
	const uint8_t code[] = {100, 1, 86, 0, 1, 0, 69, 0, 100, 0, 72, 0};
	struct gn_yields *y = gn_yields_read(code, sizeof(code), 8);

	(void)state;
	assert_non_null(y);
	assert_true(gn_yields_begins(y, -1));
	assert_false(gn_yields_begins(y, 2));
	assert_false(gn_yields_at(y, -1));
	assert_false(gn_yields_at(y, 0));
	assert_true(gn_yields_at(y, 2));
	assert_true(gn_yields_at(y, 8));
	assert_false(gn_yields_at(y, 10));
	assert_false(gn_yields_at(y, 1000));
	free(y);
}

static void test_yields(void **state)
{
	/* RETURN_GENERATOR, POP_TOP, RESUME, LOAD_CONST, YIELD_VALUE, RESUME */
	const uint8_t code[] = {75, 0, 1, 0, 151, 0, 100, 150, 150, 1, 151, 1};
	const uint8_t code_14[] = {34, 0,   31,	 0, 128, 0,
				   82, 120, 120, 1, 128, 1};
	struct gn_yields *y = gn_yields_read(code, sizeof(code), 12);

	(void)state;
	assert_non_null(y);
	assert_true(gn_yields_begins(y, 0));
	assert_true(gn_yields_begins(y, 4));
	assert_false(gn_yields_begins(y, 8));
	assert_false(gn_yields_begins(y, 10));
	assert_false(gn_yields_at(y, 6));
	assert_true(gn_yields_at(y, 8));
	free(y);
	/* the same in 3.14 */
	y = gn_yields_read(code_14, sizeof(code_14), 14);
	assert_non_null(y);
	assert_true(gn_yields_begins(y, 4));
	assert_false(gn_yields_begins(y, 8));
	assert_false(gn_yields_at(y, 6));
	assert_true(gn_yields_at(y, 8));
	free(y);
	/* no code, and an odd byte */
	y = gn_yields_read(code, 0, 12);
	assert_non_null(y);
	assert_false(gn_yields_at(y, 0));
	free(y);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_old_yields),
		cmocka_unit_test(test_yields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
