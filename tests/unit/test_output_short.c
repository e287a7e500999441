/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that do not fit, and lines of a given width. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "output/short_name.h"
#include "output/text.h"
#include "output/wrap.h"

static void the_own_name_comes_first(void **state)
{
	static const struct {
		const char *name;
		size_t width;
		const char *wanted;
	} cases[] = {
		{"main", 8, "main"},
		{"a.B.C(int)", 10, "a.B.C(int)"},
		{"a.B.C(int)", 9, "a.B.C"},
		{"System.Threading.PortableThreadPool+WorkerThread."
		 "WorkerDoWork(System.Threading.PortableThreadPool,bool&)",
		 30, "WorkerThread.WorkerDoWork"},
		{"System.Collections.Generic.Dictionary<string,int>.Add(int)",
		 24, "Generic.Dictionary.Add"},
		{"System.Object..ctor(System.Int32)", 12, "Object..ctor"},
		{"App.P+<>c.<Main>b__0_0(int)", 12, "<Main>b__0_0"},
		{"ns::work<std::map<int, char>>(unsigned long, char const*)",
		 32, "ns::work<std::map<int, char>>"},
		{"ns::work<std::map<int, char>>(unsigned long, char const*)",
		 12, "ns::work"},
		{"std::vector<int>::operator<<(std::vector<int> const&) const",
		 20, "vector::operator<<"},
		{"geo::Vector::operator+(geo::Vector const&) const", 20,
		 "Vector::operator+"},
		{"geo::Vector::operator()(geo::Vector const&)", 20,
		 "Vector::operator()"},
		{"geo::Vector::operator()", 20, "Vector::operator()"},
		{"geo::operators::f(int)", 12, "operators::f"},
		{"N.Money.operator +(Money, Money)", 16, "Money.operator +"},
		{"N.P.Of<(int,N.Q)>((int,N.Q))", 20, "N.P.Of<(int,N.Q)>"},
		{"net/http.(*conn).serve", 12, "serve"},
		{"net/http.(*conn).serve", 16, "(*conn).serve"},
		{"java.util.concurrent.locks.ReentrantLock.lock()", 20,
		 "ReentrantLock.lock"},
		{"org.jruby.ext.fiber.ThreadFiberLibrary$$Lambda$7"
		 "+0x00007fc9183a36d0.<init>()",
		 30, "ThreadFibe...c9183a36d0.<init>"},
		/* unbalanced brackets */
		{"Buffer<int>::size<((4)<(8))>", 40,
		 "Buffer<int>::size<((4)<(8))>"},
		{"Ns.Cls<int>.Method<Very.Long.Type", 32,
		 "Cls<int>.Method<Very.Long.Type"},
		/* long types can still be distinguished */
		{"Shop.OrderProcessingController.HandleAsync(int)", 30,
		 "OrderPro...troller.HandleAsync"},
		{"Shop.OrderProcessingController.HandleAsync(int)", 23,
		 "Orde...ller.HandleAsync"},
		{"Shop.OrderProcessingController.HandleAsync(int)", 22,
		 "HandleAsync"},
		{"shop::OrderProcessingController::handle(int)", 24,
		 "OrderPr...roller::handle"},
		/* the words before a name stay */
		{"monitor of java.lang.ref.ReferenceQueue$Lock", 30,
		 "monitor of ReferenceQueue$Lock"},
		{"non-virtual thunk to net::Socket::read(char*)", 36,
		 "non-virtual thunk to Socket::read"},
		{"non-virtual thunk to net::Socket::read(char*)", 20,
		 "non-virt...ket::read"},
		{"a_name_of_one_part_that_is_long", 16, "a_name...is_long"},
		{"net::parse(char const*) [clone .constprop.0]", 44,
		 "net::parse(char const*) [clone .constprop.0]"},
		{"net::parse(char const*) [clone .constprop.0]", 43,
		 "net::parse(char const*).constprop.0"},
		{"net::parse(char const*) [clone .constprop.0]", 24,
		 "net::parse.constprop.0"},
		{"net::parse(char const*) [clone .constprop.0]", 20,
		 "net::parse"},
		{"net::parse(char const*) [clone .isra.0] [clone .part.0]", 32,
		 "net::parse.isra.0.part.0"},
		{"[clone .actor] [clone .actor]", 12, ".actor]"},
		{"(root)", 8, "(root)"},
		{"<<<<<<<<<<<<<<", 8, "<<...<<<"},
		{"((((((((((((((", 8, "((...((("},
		{"..............", 8, "........"},
		{"", 8, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = gn_short_name(cases[i].name, cases[i].width);

		assert_non_null(text);
		assert_string_equal(text, cases[i].wanted);
		free(text);
	}
}

/* As in calls, with values in the place of parameters. */
static void parameters_are_at_the_end(void **state)
{
	static const struct {
		const char *own, *parameters;
	} cases[] = {
		{"f", ""},
		{"f", "(int, char)"},
		{"N.P.Of<(int, string)>", "((int, string))"},
		{"N.P.op_Explicit", "(N.Q)~N.R"},
		{"v::operator()", "(int) const"},
		{"v::operator()", ""},
		{"v::operator+", "(v const&)"},
		{"v::operator<", "(v const&)"},
		{"f(int)::{lambda(int)#1}::operator()", "(int) const"},
		{"net/http.(*conn).serve", ""},
		{"(root)", ""},
	};
	char name[80];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", cases[i].own,
			 cases[i].parameters);
		assert_int_equal(gn_name_parameters(name),
				 strlen(cases[i].own));
	}
}

/* Any name fits, and a name that fits is unchanged. */
static void every_name_fits(void **state)
{
	static const char letters[] = "ab<>()[].:+/ ~", clone[] = " [clone ";
	uint32_t seed = 7;
	char name[40];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t n = seed % (sizeof(name) - 1), width;
		char *text;

		for (size_t k = 0; k < n; k++) {
			seed = seed * 1664525 + 1013904223;
			name[k] = letters[(seed >> 16) % (sizeof(letters) - 1)];
			if (seed >> 29 == 0 && n - k >= sizeof(clone)) {
				memcpy(name + k, clone, sizeof(clone) - 1);
				k += sizeof(clone) - 2;
			}
		}
		name[n] = '\0';
		seed = seed * 1664525 + 1013904223;
		width = 8 + (seed >> 16) % 24;
		text = gn_short_name(name, width);
		assert_non_null(text);
		assert_true(gn_text_width(text) <= width);
		if (n <= width)
			assert_string_equal(text, name);
		free(text);
	}
}

static char *wrapped(const char *text, size_t width)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	gn_wrap_notes(f, text, width);
	fclose(f);
	return out;
}

static void notes_are_wrapped(void **state)
{
	char *text = wrapped("# label       aaaa bbbb cccc 12.5 % dd\n"
			     "a row of the table that is wider than that\n"
			     "# a note without any label\n",
			     24);

	(void)state;
	assert_string_equal(text, "# label       aaaa bbbb\n"
				  "#             cccc\n"
				  "#             12.5 % dd\n"
				  "a row of the table that is wider than that\n"
				  "# a note without any\n"
				  "#   label\n");
	free(text);
	/* what fits is unchanged, including blanks */
	text = wrapped("#    a  b\n#\n", 24);
	assert_string_equal(text, "#    a  b\n#\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_own_name_comes_first),
		cmocka_unit_test(parameters_are_at_the_end),
		cmocka_unit_test(every_name_fits),
		cmocka_unit_test(notes_are_wrapped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
