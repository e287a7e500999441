/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the library for Mono that need no Mono. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hooksite/mono/calls.h"
#include "hooksite/mono/written.h"

static void types_are_as_recorded(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"int", "int"},
		{"int,int16,uint16,single,double",
		 "int,short,ushort,float,double"},
		{"intptr,uintptr&,N.Type[]", "nint,nuint&,N.Type[]"},
		{"N.int16", "N.int16"},
		{"int[,]&,byte*", "int[,]&,byte*"},
		{"N.Outer`1/Inner`2<int, string, N.Q>",
		 "N.Outer<int>+Inner<string,N.Q>"},
		{"Outer/Inner`1<int>", "Outer+Inner<int>"},
		{"L`1<T_REF>,T_REF[]", "L<T>,T[]"},
		{"D`2<L`1<int16>, E`1/F<single>>[],int",
		 "D<L<short>,E<float>+F>[],int"},
		{"P/<Main>c__AnonStorey0`1<int>",
		 "P+<Main>c__AnonStorey0<int>"},
		{"N.<>__AnonType0`1<long>", "N.<>__AnonType0<long>"},
		{"int modopt(N.Is Long),long", "int,long"},
		/* hostile: it ends, and writes something */
		{"A`99<int", "A<in>"},
		{"<", "<"},
		{",,", ",,"},
		{"`", ""},
	};
	char bytes[256];
	struct gn_text text;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		gn_text_init(&text, bytes, sizeof(bytes));
		gn_mono_put_types(&text, cases[i][0], strlen(cases[i][0]));
		assert_string_equal(bytes, cases[i][1]);
	}
}

static void deep_and_long_types_end(void **state)
{
	enum { N = 4000 };
	char *deep = malloc(N * 4 + 1), bytes[128];
	struct gn_text text;

	(void)state;
	for (int i = 0; i < N; i++)
		memcpy(deep + i * 4, "A`1<", 4);
	deep[N * 4] = '\0';
	gn_text_init(&text, bytes, sizeof(bytes));
	gn_mono_put_types(&text, deep, N * 4);
	assert_true(strlen(bytes) < sizeof(bytes));
	memset(deep, '/', N * 4);
	gn_text_init(&text, bytes, sizeof(bytes));
	gn_mono_put_types(&text, deep, N * 4);
	assert_true(text.full);
	free(deep);
}

static void calls_end_by_their_frames(void **state)
{
	struct gn_calls c = {.n = 0};

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		assert_true(gn_calls_push(&c, 7, 100000 - i * 32));
	assert_int_equal(c.n, 1000);
	/* memory was taken on the stack */
	assert_int_equal(gn_calls_pop(&c, 7, 100000 - 999 * 32 - 16),
			 100000 - 999 * 32);
	/* another function ends: the calls that it called are gone */
	assert_int_equal(gn_calls_pop(&c, 8, 100000 - 500 * 32), 0);
	assert_int_equal(c.n, 501);
	assert_int_equal(gn_calls_pop(&c, 7, 100000 - 500 * 32),
			 100000 - 500 * 32);
	/* a new call is where others were */
	assert_true(gn_calls_push(&c, 9, 100000 - 100 * 32));
	assert_int_equal(c.n, 101);
	assert_int_equal(gn_calls_unwind(&c, 5), 0);
	assert_int_equal(gn_calls_unwind(&c, 7), 100000 - 99 * 32);
	assert_int_equal(c.n, 99);
	free(c.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_as_recorded),
		cmocka_unit_test(deep_and_long_types_end),
		cmocka_unit_test(calls_end_by_their_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
