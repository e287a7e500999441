/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods by the names of what compilers made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "names/own_name.h"

static void machines_have_their_methods_name(void **state)
{
	static const struct {
		const char *name, *own; /* NULL: it has none */
	} cases[] = {
		{"N.P+<Fetch>d__3.MoveNext()", "N.P.Fetch"},
		{"N.P+<Fetch>d__3.MoveNext", "N.P.Fetch"},
		{"N.P+<Fetch>d__3.*", "N.P.Fetch"},
		{"N.P+<Fetch>d__3#1.MoveNext()", "N.P.Fetch"},
		{"N.P+<Gen>d__14<System.Tuple<int,string>>.MoveNext()",
		 "N.P.Gen<System.Tuple<int,string>>"},
		{"N.P+<Gen>d__14<*>.MoveNext(*)", "N.P.Gen<*>"},
		{"N.Sx+<A-IWork-Do>d__0.MoveNext()", "N.Sx.A.IWork.Do"},
		{"N.P+<>c+<<Lambdas>b__34_0>d.MoveNext()",
		 "N.P+<>c.<Lambdas>b__34_0"},
		{"N.P+<>c__DisplayClass33_0+<<Host>g__Loc|0>d.MoveNext()",
		 "N.P+<>c__DisplayClass33_0.<Host>g__Loc|0"},
		{"C+VB$StateMachine_3_Fetch.MoveNext()", "C.Fetch"},
		{"C+VB$StateMachine_12_Fetch<T>.MoveNext()", "C.Fetch<T>"},
		{"N.P.MoveNext()", NULL},
		{"N.P+<Fetch>d__3.Dispose()", NULL},
		{"N.P+<Fetch>d__3.MoveNextAsync()", NULL},
		{"N.P+<>c.<Main>b__0_0(int)", NULL},
		{"N.P+<>d__3.MoveNext()", NULL},
		{"N.P+<Fetch>e__3.MoveNext()", NULL},
		{"N.P+<Fetch>d__3<int.MoveNext()", NULL},
		{"N.P+<Fetch", NULL},
		{"+<", NULL},
		{"C+VB$StateMachine_", NULL},
		{"C+VB$StateMachine_1_.MoveNext()", NULL},
		{"", NULL},
	};
	char own[64];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool has = gn_own_name(cases[i].name, own, sizeof(own));

		assert_int_equal(has, cases[i].own != NULL);
		if (has)
			assert_string_equal(own, cases[i].own);
	}
}

/* A name as long as its room, and one that is longer. */
static void room_is_kept(void **state)
{
	static const char name[] = "N.P+<Fetch>d__3.MoveNext()";
	char own[16];

	(void)state;
	for (size_t size = 1; size <= sizeof(own); size++) {
		memset(own, '#', sizeof(own));
		assert_int_equal(gn_own_name(name, own, size),
				 size > strlen("N.P.Fetch"));
		for (size_t i = size; i < sizeof(own); i++)
			assert_int_equal(own[i], '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_have_their_methods_name),
		cmocka_unit_test(room_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
