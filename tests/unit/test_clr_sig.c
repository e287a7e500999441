// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hooksite/clr/sig.h"

/* Types of a made-up module, by the row of their token. */
static const uint8_t list_of_int[] = {0x15, 0x12, 0x05, 0x01, 0x08};
static const uint8_t list_of_itself[] = {0x15, 0x12, 0x05, 0x01, 0x12, 0x0a};

static void put_variable(void *ctx, struct gn_text *out, bool of_method,
			 uint32_t n)
{
	(void)ctx;
	gn_text_put(out, of_method ? "!!" : "!");
	gn_text_put_u32(out, n);
}

static void put_type(void *ctx, struct gn_text *out, gn_token token,
		     unsigned int depth)
{
	static const struct gn_sig_env env = {NULL, put_type, put_variable,
					      NULL, NULL};
	struct gn_sig sig = {0};

	(void)ctx;
	if (GN_TOKEN_TABLE(token) != GN_TOKEN_TYPESPEC) {
		gn_text_put(out, GN_TOKEN_TABLE(token) == GN_TOKEN_TYPEDEF
					 ? "Def"
					 : "Ref");
		gn_text_put_u32(out, GN_TOKEN_ROW(token));
		return;
	}
	/* TypeSpec 1 names a type, TypeSpec 2 names itself */
	if (GN_TOKEN_ROW(token) == 1) {
		sig.bytes = list_of_int;
		sig.size = sizeof(list_of_int);
	} else {
		sig.bytes = list_of_itself;
		sig.size = sizeof(list_of_itself);
	}
	if (!gn_sig_put_type(out, &sig, &env, depth))
		gn_text_put(out, "?");
}

static const struct gn_sig_env env = {NULL, put_type, put_variable, NULL, NULL};

#define CHECK(want, ...)                                     \
	do {                                                 \
		static const uint8_t blob[] = {__VA_ARGS__}; \
		check(want, blob, sizeof(blob));             \
	} while (0)

/* From memory of exactly that size, so that a sanitizer sees every read beyond
 * its end. */
static void check(const char *want, const uint8_t *blob, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	char bytes[256];
	struct gn_text t;

	assert_non_null(copy);
	memcpy(copy, blob, size);
	gn_text_init(&t, bytes, sizeof(bytes));
	gn_sig_put_params(&t, copy, size, &env);
	free(copy);
	assert_string_equal(bytes, want);
}

static void test_primitives(void **state)
{
	(void)state;
	CHECK("()", 0x00, 0x00, 0x01);
	CHECK("(int)", 0x00, 0x01, 0x08, 0x08);
	CHECK("(bool,char,sbyte,byte,short,ushort)", 0x20, 0x06, 0x01, 0x02,
	      0x03, 0x04, 0x05, 0x06, 0x07);
	CHECK("(int,uint,long,ulong,float,double)", 0x20, 0x06, 0x01, 0x08,
	      0x09, 0x0a, 0x0b, 0x0c, 0x0d);
	CHECK("(string,object,nint,nuint,typedref)", 0x20, 0x05, 0x01, 0x0e,
	      0x1c, 0x18, 0x19, 0x16);
}

static void test_types(void **state)
{
	(void)state;
	/* class Def1, struct Ref2; a token of two bytes */
	CHECK("(Def1,Ref2)", 0x00, 0x02, 0x01, 0x12, 0x04, 0x11, 0x09);
	CHECK("(Def32)", 0x00, 0x01, 0x01, 0x12, 0x80, 0x80);
	CHECK("(int&,string*,byte[],byte[][])", 0x00, 0x04, 0x01, 0x10, 0x08,
	      0x0f, 0x0e, 0x1d, 0x05, 0x1d, 0x1d, 0x05);
	CHECK("(void*)", 0x00, 0x01, 0x01, 0x0f, 0x01);
	/* int[,] with sizes and bounds, int[*] */
	CHECK("(int[,],int[*])", 0x00, 0x02, 0x01, 0x14, 0x08, 0x02, 0x02, 0x03,
	      0x04, 0x01, 0x00, 0x14, 0x08, 0x01, 0x00, 0x00);
	/* modifiers and pins are ignored */
	CHECK("(int&)", 0x00, 0x01, 0x1f, 0x05, 0x01, 0x20, 0x09, 0x10, 0x1f,
	      0x09, 0x45, 0x08);
}

static void test_generics(void **state)
{
	(void)state;
	CHECK("(Ref1<int>)", 0x00, 0x01, 0x01, 0x15, 0x12, 0x05, 0x01, 0x08);
	CHECK("(Ref1<int,Ref2<string[]>>)", 0x00, 0x01, 0x01, 0x15, 0x12, 0x05,
	      0x02, 0x08, 0x15, 0x11, 0x09, 0x01, 0x1d, 0x0e);
	CHECK("(!0,!!1)", 0x30, 0x02, 0x02, 0x01, 0x13, 0x00, 0x1e, 0x01);
	CHECK("(Ref1<int>)", 0x00, 0x01, 0x01, 0x12, 0x06);
}

static void test_methods(void **state)
{
	(void)state;
	CHECK("(delegate*<int,string,void>)", 0x00, 0x01, 0x01, 0x1b, 0x00,
	      0x02, 0x01, 0x08, 0x0e);
	CHECK("(delegate*<delegate*<int>>,int)", 0x00, 0x02, 0x01, 0x1b, 0x00,
	      0x00, 0x1b, 0x00, 0x00, 0x08, 0x08);
	CHECK("(int,...,string)", 0x05, 0x02, 0x01, 0x08, 0x41, 0x0e);
}

static void test_hostile(void **state)
{
	uint8_t deep[200] = {0x00, 0x01, 0x01};

	(void)state;
	check("(?)", deep, 0);
	CHECK("(?)", 0x00);
	CHECK("(?)", 0x00, 0x01);
	CHECK("(?)", 0x00, 0x01, 0x01);
	CHECK("(int,?)", 0x00, 0x02, 0x01, 0x08);
	CHECK("(?)", 0x00, 0x01, 0x01, 0xff);
	CHECK("(?)", 0x00, 0x01, 0x01, 0x12);
	CHECK("(?)", 0x00, 0x01, 0x01, 0x12, 0x07);
	CHECK("(?)", 0x00, 0x01, 0x01, 0x12, 0xff);
	CHECK("(?)", 0x00, 0x01, 0x01, 0x12, 0xc0, 0x01);
	CHECK("(Ref1<?)", 0x00, 0x01, 0x01, 0x15, 0x12, 0x05, 0x05);
	CHECK("(?)", 0x00, 0x01, 0x01, 0x15, 0x12, 0x05, 0xdf, 0xff, 0xff,
	      0xff);
	CHECK("(int?)", 0x00, 0x01, 0x01, 0x14, 0x08, 0xdf, 0xff, 0xff, 0xff,
	      0x00, 0x00);
	/* a count of many parameters that do not follow */
	CHECK("(?)", 0x00, 0xdf, 0xff, 0xff, 0xff, 0x01);
	memset(deep + 3, 0x1d, sizeof(deep) - 3);
	check("(?)", deep, sizeof(deep));
	memset(deep + 3, 0x1f, sizeof(deep) - 3);
	check("(?)", deep, sizeof(deep));
}

/* As deep as the type of an F# function of thirty arguments. */
static void test_deep(void **state)
{
	uint8_t deep[4 + 31] = {0x00, 0x01, 0x01};
	char text[8 + 2 * 31] = "(int";

	(void)state;
	memset(deep + 3, 0x1d, 31);
	deep[3 + 31] = 0x08;
	for (int i = 0; i < 31; i++)
		strcat(text, "[]");
	strcat(text, ")");
	check(text, deep, sizeof(deep));
}

/* A recursive type ends at the limit of depth. */
static void test_type_in_itself(void **state)
{
	static const uint8_t blob[] = {0x00, 0x01, 0x01, 0x12, 0x0a};
	char bytes[1024];
	struct gn_text t;

	(void)state;
	gn_text_init(&t, bytes, sizeof(bytes));
	gn_sig_put_params(&t, blob, sizeof(blob), &env);
	assert_non_null(strstr(bytes, "Ref1<Ref1<"));
	assert_non_null(strstr(bytes, "?"));
	assert_true(t.len < 200);
}

/* Random bytes: it ends, and stays within the blob and the text. */
static void test_random(void **state)
{
	static const uint8_t likely[] = {0x08, 0x0e, 0x0f, 0x10, 0x11, 0x12,
					 0x13, 0x14, 0x15, 0x1b, 0x1d, 0x1e,
					 0x1f, 0x20, 0x41, 0x45, 0x00, 0x01,
					 0x02, 0x05, 0x06, 0x0a, 0x80, 0xc0};
	uint64_t random = 88172645463325252u;

	(void)state;
	for (int round = 0; round < 50000; round++) {
		size_t size = 3 + (size_t)round % 60, cap = 8 + round % 120;
		uint8_t *blob = malloc(size);
		char *bytes = malloc(cap);
		struct gn_text t;

		assert_non_null(blob);
		assert_non_null(bytes);
		for (size_t i = 0; i < size; i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			blob[i] =
				random % 8
					? likely[(random >> 8) % sizeof(likely)]
					: (uint8_t)(random >> 16);
		}
		gn_text_init(&t, bytes, cap);
		gn_sig_put_params(&t, blob, size, &env);
		assert_true(t.len < cap);
		assert_int_equal(strlen(bytes), t.len);
		free(blob);
		free(bytes);
	}
}

static gn_token value_type(const uint8_t *type, size_t n)
{
	return gn_sig_value_type(&(struct gn_bytes){type, n});
}

static void test_value_types(void **state)
{
	/* of TypeDef 1; of TypeRef 2, of int; of a class; T; cut short */
	static const uint8_t plain[] = {0x11, 1 << 2}, cut[] = {0x15, 0x11},
			     of_int[] = {0x15, 0x11, 2 << 2 | 1, 1, 8},
			     of_class[] = {0x15, 0x12, 2 << 2 | 1, 1, 8},
			     variable[] = {0x13, 0};

	(void)state;
	assert_int_equal(value_type(plain, sizeof(plain)), 0x02000001);
	assert_int_equal(value_type(of_int, sizeof(of_int)), 0x01000002);
	assert_int_equal(value_type(of_class, sizeof(of_class)), 0);
	assert_int_equal(value_type(variable, sizeof(variable)), 0);
	assert_int_equal(value_type(cut, sizeof(cut)), 0);
	assert_int_equal(value_type(cut, 0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_primitives),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_generics),
		cmocka_unit_test(test_methods),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_type_in_itself),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_value_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
