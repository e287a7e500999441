/* SPDX-License-Identifier: BSD-2-Clause */
/* Native functions as people write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "names/native_name.h"

static void the_name_in_the_source(void **state)
{
	static const struct {
		const char *name, *demangled,
			*wanted; /* NULL: same as the name */
	} cases[] = {
		{"work", "work", NULL},
		{"work.constprop.0", "work.constprop.0", "work"},
		{"work.isra.0.lto_priv.12", "work.isra.0.lto_priv.12", "work"},
		{"work.part.0", "work.part.0", NULL},
		{"work.isra.0.cold", "work.isra.0.cold", NULL},
		{"main.work", "main.work", NULL},
		{"work.", "work.", NULL},
		{".0", ".0", NULL},
		{"_Z", "f(int)", "f"},
		{"_Z", "ns::f()", "ns::f"},
		{"_Z", "int ns::Box<char>::get<int>(int) const",
		 "ns::Box::get"},
		{"_Z", "std::vector<int, std::allocator<int> > f<int>()", "f"},
		{"_Z", "unsigned long f<(E)1>(int (*)(char))", "f"},
		{"_Z", "(anonymous namespace)::f(int)", "f"},
		{"_Z", "void ns::(anonymous namespace)::f<int>(int)", "ns::f"},
		{"_Z", "f(int)::{lambda(int)#1}::operator()(int) const",
		 "f::{lambda(int)#1}::operator()"},
		{"_Z", "N::f() const::L::g(int)", "N::f::L::g"},
		{"_Z", "v::operator<<(int)", "v::operator<<"},
		{"_Z", "v::operator bool() const", "v::operator bool"},
		{"_Z", "operator new(unsigned long)", "operator new"},
		{"_Z", "v::w& v::operator<< <int>(v::w&, int)",
		 "v::operator<<"},
		{"_Z", "auto operator<=><v<int>>(v<int>)", "operator<=>"},
		{"_Z", "bool v::operator< <int>(int)", "v::operator<"},
		{"_Z", "v& v::operator<<=(int)", "v::operator<<="},
		{"_Z", "bool operator==<int>(v<int>)", "operator=="},
		{"_Z", "bool operator><int>(v<int>)", "operator>"},
		{"_Z", "int v::operator()<int>(int)", "v::operator()"},
		{"_Z", "int* v::operator-><int>()", "v::operator->"},
		{"_Z", "operator\"\" _km(char)", "operator\"\" _km"},
		{"_Z", "v::~v()", "v::~v"},
		{"_Z", "operators::f(int)", "operators::f"},
		{"_Z", "f[abi:cxx11](int)", "f"},
		{"_Z", "decltype(auto) ns::f<int>(int)", "ns::f"},
		{"_Z", "decltype (a+b) f<int>(int)", "f"},
		{"_Z", "non-virtual thunk to v::f()", NULL},
		{"_Z", "vtable for v", NULL},
		{"_Z1fi.isra.0", "f(int) [clone .isra.0]", "f"},
		{"_Z", "f(f(int)::_Z1fi.Frame*) [clone .actor]", "f"},
		{"_Z1fi.part.0", "f(int) [clone .part.0]", NULL},
		{"_R", "<r::A as r::B>::f", NULL},
		{"_R", "core::ptr::drop::<[u8]>", NULL},
		{"_Z", "a_very_long_name_of_a_function_with_no_room(int)",
		 NULL},
		{"_Z", "f(int", NULL},
		{"_Z", "f<(int)", NULL},
		{"_Z", "))((", NULL},
		{"_Z", "operator", NULL},
		{"_Z", "a::operator", NULL},
		{"_Z", "", NULL},
	};
	char to[40];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool other = gn_native_name(cases[i].name, cases[i].demangled,
					    to, sizeof(to));

		assert_int_equal(other, cases[i].wanted != NULL);
		if (other)
			assert_string_equal(to, cases[i].wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_in_the_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
