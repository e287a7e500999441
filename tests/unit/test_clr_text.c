// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hooksite/clr/text.h"

static void check(const uint16_t *s, size_t n, const char *want)
{
	char bytes[64];
	struct gn_text t;

	gn_text_init(&t, bytes, sizeof(bytes));
	gn_text_put_utf16(&t, s, n);
	assert_string_equal(bytes, want);
	assert_int_equal(t.len, strlen(want));
	assert_false(t.full);
}

static void test_utf16(void **state)
{
	(void)state;
	check((const uint16_t[]){'a', 0xdf, 0x20ac, 0xd83d, 0xde00}, 5,
	      "a\xc3\x9f\xe2\x82\xac\xf0\x9f\x98\x80");
	/* the highest character, and the limits between lengths */
	check((const uint16_t[]){0xdbff, 0xdfff}, 2, "\xf4\x8f\xbf\xbf");
	check((const uint16_t[]){0x7f, 0x80, 0x7ff, 0x800}, 4,
	      "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80");
	/* a NUL ends it */
	check((const uint16_t[]){'a', 0, 'b'}, 3, "a");
	check(NULL, 0, "");
}

static void test_lone_surrogates(void **state)
{
	(void)state;
	check((const uint16_t[]){0xd83d, 'x'}, 2, "\xef\xbf\xbdx");
	check((const uint16_t[]){0xde00, 'x'}, 2, "\xef\xbf\xbdx");
	check((const uint16_t[]){0xd83d}, 1, "\xef\xbf\xbd");
	check((const uint16_t[]){0xd83d, 0xd83d, 0xde00}, 3,
	      "\xef\xbf\xbd\xf0\x9f\x98\x80");
	/* the second half is after the end */
	check((const uint16_t[]){0xd83d, 0xde00}, 1, "\xef\xbf\xbd");
}

static void test_full(void **state)
{
	char bytes[12];
	struct gn_text t;

	(void)state;
	gn_text_init(&t, bytes, sizeof(bytes));
	gn_text_put(&t, "12345678");
	assert_false(t.full);
	gn_text_put(&t, "9");
	assert_true(t.full);
	assert_string_equal(bytes, "12345678...");
	gn_text_put(&t, "x");
	assert_string_equal(bytes, "12345678...");
	assert_int_equal(t.len, 11);
}

/* At any size, the text ends between characters. */
static void test_full_between_characters(void **state)
{
	static const uint16_t wide[] = {0x20ac, 0xd83d, 0xde00, 0xdf, 'a'};
	char bytes[32], narrow[32];
	struct gn_text t;

	(void)state;
	for (size_t cap = GN_TEXT_CAP_MIN; cap <= sizeof(bytes); cap++) {
		memset(bytes, '#', sizeof(bytes));
		gn_text_init(&t, bytes, cap);
		gn_text_put_utf16(&t, wide, 5);
		gn_text_put_utf16(&t, wide, 5);
		assert_true(t.len < cap);
		assert_int_equal(bytes[t.len], '\0');
		for (size_t i = cap; i < sizeof(bytes); i++)
			assert_int_equal(bytes[i], '#');
		strcpy(narrow, bytes);
		if (t.full) {
			assert_string_equal(narrow + t.len - 3, "...");
			narrow[t.len - 3] = '\0';
		}
		assert_int_equal(strncmp(narrow,
					 "\xe2\x82\xac\xf0\x9f\x98\x80\xc3\x9f"
					 "a\xe2\x82\xac\xf0\x9f\x98\x80\xc3\x9f"
					 "a",
					 strlen(narrow)),
				 0);
		/* the same piece in UTF-8 ends at the same place */
		gn_text_init(&t, bytes, cap);
		gn_text_put(&t, "\xe2\x82\xac\xf0\x9f\x98\x80\xc3\x9f"
				"a\xe2\x82\xac\xf0\x9f\x98\x80\xc3\x9f"
				"a");
		assert_int_equal(strncmp(bytes, narrow, strlen(narrow)), 0);
	}
}

static void test_numbers(void **state)
{
	char bytes[64];
	struct gn_text t;

	(void)state;
	gn_text_init(&t, bytes, sizeof(bytes));
	gn_text_put_u32(&t, 0);
	gn_text_put(&t, " ");
	gn_text_put_u32(&t, 4294967295u);
	assert_string_equal(bytes, "0 4294967295");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utf16),
		cmocka_unit_test(test_lone_surrogates),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_full_between_characters),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
