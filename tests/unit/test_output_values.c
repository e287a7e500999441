// SPDX-License-Identifier: BSD-2-Clause
/* Numbers of arguments and results as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "output/calls.h"

static void shows(enum gn_value_type type, uint64_t number, const char *want)
{
	struct gn_call_value v = {.type = (uint8_t)type, .number = number};
	char got[GN_CELL];

	gn_call_number(got, &v);
	assert_string_equal(got, want);
}

static void shows_double(double value, const char *want)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	shows(GN_VALUE_F64, bits, want);
}

static void shows_float(float value, const char *want)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	shows(GN_VALUE_F32, bits, want);
}

/* The fewest digits that identify the number. */
static void floating_point(void **state)
{
	(void)state;
	shows_double(3.25, "3.25");
	shows_double(-0.5, "-0.5");
	shows_double(0.1, "0.1");
	shows_double(0.1 + 0.2, "0.30000000000000004");
	shows_double(1e300, "1e+300");
	shows_double(DBL_MAX, "1.7976931348623157e+308");
	shows_double(5e-324, "5e-324");
	shows_double(123456, "123456");
	shows_double(100, "100");
	shows_double(-250, "-250");
	shows_double(999999999999999, "999999999999999");
	shows_double(1e15, "1e+15");
	shows_double(1234.5, "1234.5");
	shows_double(0, "0");
	shows_double(-0.0, "-0");
	shows_double(INFINITY, "inf");
	shows_double(-INFINITY, "-inf");
	shows_float(0.1f, "0.1");
	shows_float(16777216, "16777216");
	shows_float(1500000, "1500000");
	shows_float(1e7f, "1e+07");
	shows_float(3.4e10f, "3.4e+10");
	shows_float(FLT_MAX, "3.4028235e+38");
	shows_float(-INFINITY, "-inf");
	shows(GN_VALUE_F64, 0x7ff8000000000000, "nan");
	shows(GN_VALUE_F64, 0xfff8000000000001, "nan");
	shows(GN_VALUE_F32, 0xffc00000, "nan");
}

static void integers(void **state)
{
	(void)state;
	shows(GN_VALUE_I32, UINT64_MAX, "-1");
	shows(GN_VALUE_U64, UINT64_MAX, "18446744073709551615");
	shows(GN_VALUE_PTR, 0x1f, "0x1f");
	shows(GN_VALUE_CLASS, 0x2f, "0x2f");
	shows(GN_VALUE_BOOL, 1, "true");
	shows(GN_VALUE_STRUCT, 0, "{...}");
}

/* Checks how a string is shown. */
static void string_is(const struct gn_calls_writer *w, const char *text,
		      size_t len, const char *want)
{
	struct gn_timeline_opts opts = {.utf8 = true};
	struct gn_calls_thread thread = {.name = "", .process_name = ""};
	struct gn_calls_function f = {
		.name = "f", .shown = "f", .module = "", .text = "f"};
	struct gn_call_value v = {
		.which = 1, .type = GN_VALUE_STR, .number = 1, .len = len};
	struct gn_call c = {.thread = &thread,
			    .function = &f,
			    .level = 1,
			    .values = &v,
			    .nvalues = 1};
	struct gn_calls_out out = {.opts = &opts};
	char *got = NULL;
	size_t size = 0;

	memcpy(v.text, text, len);
	out.f = open_memstream(&got, &size);
	assert_non_null(out.f);
	assert_int_equal(w->close(&out, &c, false), 0);
	fclose(out.f);
	if (!strstr(got, want))
		fail_msg("%s is not in %s", want, got);
	free(got);
}

/* A string is complete, and does not run into the next one. */
static void strings(void **state)
{
	static const char nul[] = "a\0b\0", all[] = "\"\\\n\x80\xc3\xa9";

	(void)state;
	string_is(&gn_calls_table, nul, 4, "f(arg1=\"a\\x00b\\x00\");");
	string_is(&gn_calls_table, "", 0, "f(arg1=\"\");");
	string_is(&gn_calls_table, all, sizeof(all) - 1,
		  "f(arg1=\"\\\"\\\\\\x0a\\x80\xc3\xa9\");");
	string_is(&gn_calls_ndjson, nul, 4, "\"value\":\"a\\u0000b\\u0000\"");
	string_is(&gn_calls_ndjson, "", 0, "\"value\":\"\"");
	string_is(&gn_calls_ndjson, all, sizeof(all) - 1,
		  "\"value\":\"\\\"\\\\\\n\\\\x80\xc3\xa9\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floating_point),
		cmocka_unit_test(integers),
		cmocka_unit_test(strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
