// SPDX-License-Identifier: BSD-2-Clause
/* Arguments of USDT probes that -a requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/values.h"

/* Requests one value of a probe with these arguments. Returns the
 * description. */
static const char *ask(const char *value, const char *arguments,
		       struct gn_value_spec *out)
{
	struct gn_note note = {.provider = "p"};
	struct gn_asked asked;
	char text[64] = "usdt::p:n:";
	const char *want, *why;
	size_t at;

	strcat(text, value);
	assert_int_equal(gn_asked_parse(text, &asked, &at, &want), 0);
	assert_string_equal(asked.function, "usdt::p:n");
	note.nargs = gn_note_args(arguments, 0, NULL, NULL, note.arg);
	why = gn_asked_of_probe(&asked.values.value[0], &note, out);
	gn_asked_clear(&asked);
	return why;
}

static void is(const char *value, const char *arguments,
	       enum gn_value_type type, int size)
{
	struct gn_value_spec v;

	assert_null(ask(value, arguments, &v));
	assert_int_equal(v.type, type);
	assert_int_equal(v.at.size, size);
	assert_int_equal(v.flags, GN_F_OF_HIT);
}

static void is_number(const char *value, const char *arguments, int64_t number)
{
	struct gn_value_spec v;

	assert_null(ask(value, arguments, &v));
	assert_int_equal(v.at.how, GN_HOW_CONSTANT);
	assert_true(v.at.value == number);
}

/* Without a type: as in the note. Otherwise the smaller size of both. */
static void sizes_and_signs(void **state)
{
	(void)state;
	is("arg1", "-4@%eax", GN_VALUE_I32, -4);
	is("arg1", "4@%eax", GN_VALUE_U32, 4);
	is("arg1", "-1@%al", GN_VALUE_I8, -1);
	is("arg1", "2@-8(%rbp)", GN_VALUE_U16, 2);
	is("arg1", "-8@%rax", GN_VALUE_I64, -8);
	is("arg2", "8@%rax 8@%rdi", GN_VALUE_U64, 8);
	is("arg1/i64", "4@%eax", GN_VALUE_I64, 4);
	is("arg1/i64", "-4@%eax", GN_VALUE_I64, -4);
	is("arg1/i32", "4@%eax", GN_VALUE_I32, -4);
	is("arg1/u8", "-8@8(%rsp)", GN_VALUE_U8, 1);
	is("arg1/bool", "-4@%eax", GN_VALUE_BOOL, -4);
	is("arg1/ptr", "8@%rax", GN_VALUE_PTR, 8);
	is("arg12/str",
	   "1@$0 1@$0 1@$0 1@$0 1@$0 1@$0 1@$0 1@$0 1@$0 1@$0 1@$0 8@%rsi",
	   GN_VALUE_STR, 8);
}

static void constants(void **state)
{
	(void)state;
	is_number("arg1", "-4@$-1", -1);
	is_number("arg1", "4@$-1", UINT32_MAX);
	is_number("arg1", "-8@$-5", -5);
	is_number("arg1", "1@$300", 44);
	is_number("arg1/i8", "8@$255", -1);
	is_number("arg1/u16", "-4@$-1", UINT16_MAX);
}

static void what_cannot_be_told(void **state)
{
	struct gn_value_spec v;

	(void)state;
	assert_non_null(ask("arg1", "", &v));
	assert_non_null(ask("arg3", "8@%rax 8@%rdi", &v));
	assert_non_null(ask("arg1", "8f@%xmm0", &v));
	assert_non_null(ask("arg1/str", "4@%eax", &v));
}

/* For functions: which value it is, and whether it can be in a register. */
static void function_values(void **state)
{
	static const struct gn_value_spec want[] = {
		{.which = 1, .type = GN_VALUE_F64},
		{.which = 1, .type = GN_VALUE_I64},
		{.which = 2, .type = GN_VALUE_F32},
		{.which = 0, .type = GN_VALUE_F64},
	};
	struct gn_asked asked;
	const char *text;
	size_t at;

	(void)state;
	assert_int_equal(gn_asked_parse("N.C.f:arg1/f64,arg1,arg2/f32,ret/f64",
					&asked, &at, &text),
			 0);
	for (size_t i = 0; i < 4; i++) {
		const struct gn_value_spec *v = &asked.values.value[i];

		assert_int_equal(v->which, want[i].which);
		assert_int_equal(v->type, want[i].type);
		assert_int_equal(v->at.how, GN_VALUE_IS_FLOAT(v->type)
						    ? GN_HOW_NONE
						    : GN_HOW_REGISTER);
	}
	assert_int_equal(asked.values.value[4].type, 0);
	gn_asked_clear(&asked);
}

/* Only the object's class can be reported. */
static void classes(void **state)
{
	struct gn_asked asked;
	const char *text;
	size_t at;

	(void)state;
	assert_int_equal(gn_asked_parse("f:this,arg2/class,ret/class", &asked,
					&at, &text),
			 0);
	assert_int_equal(asked.values.value[0].which, GN_VALUE_THIS);
	assert_int_equal(asked.values.value[1].which, 2);
	assert_int_equal(asked.values.value[2].which, 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(asked.values.value[i].type, GN_VALUE_CLASS);
		assert_int_equal(asked.values.value[i].at.how, GN_HOW_NONE);
	}
	gn_asked_clear(&asked);
}

static void bad(const char *text, size_t place)
{
	struct gn_asked asked;
	const char *want;
	size_t at;

	assert_int_not_equal(gn_asked_parse(text, &asked, &at, &want), 0);
	assert_int_equal(at, place);
	assert_null(asked.function);
}

static void bad_texts(void **state)
{
	(void)state;
	bad("usdt::p:n:ret", 10);
	bad("usdt::p:n:arg0", 10);
	bad("usdt::p:n:arg13", 10);
	bad("usdt::p:n:arg001", 10);
	bad("usdt::p:n:arg", 10);
	bad("usdt::p:n:arg1/f32", 15);
	bad("f:arg12", 2);
	bad("f:arg1/struct", 7);
	bad("f:arg7/f64", 2);
	bad("f:this/ptr", 7);
	bad("f:this,this/class", 17);
	bad("usdt::p:n:this", 10);
	bad("usdt::p:n:arg1/class", 15);
	bad("f:arg1/f16", 7);
	bad("f:arg1/f64,arg1/f32", 19);
	bad("f:ret,ret/f64", 13);
	bad("f:arg7", 2);
	/* function n of a library named usdt */
	bad("usdt:n:arg7", 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_and_signs),
		cmocka_unit_test(constants),
		cmocka_unit_test(what_cannot_be_told),
		cmocka_unit_test(function_values),
		cmocka_unit_test(classes),
		cmocka_unit_test(bad_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
