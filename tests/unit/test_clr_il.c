// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hooksite/clr/il.h"

static const struct gn_il_hooks hooks = {
	.enter = 0xe1e2e3e4e5e6e7e8,
	.leave = 0xa1a2a3a4a5a6a7a8,
	.unwound = 0xb1b2b3b4b5b6b7b8,
	.index = 7,
	.call = 0x11000001,
	.values = {.enter = 0x11000003, .leave = 0x11000004},
	.locals = 0x11000002,
	.frame = 0,
	.result = true,
};

/* Rewrites from memory of exactly that size. */
static int rewrite(const uint8_t *body, size_t n, struct gn_il_body *made)
{
	uint8_t *copy = malloc(n);
	int err;

	assert_non_null(copy);
	memcpy(copy, body, n);
	err = gn_il_rewrite(copy, n, &hooks, made);
	free(copy);
	return err;
}

/* How often a hook is called, and the place of the first call. */
static unsigned int count(const struct gn_il_body *b, uint64_t hook, size_t *at)
{
	unsigned int n = 0;

	*at = 0;
	for (size_t i = 0; i + sizeof(hook) <= b->size; i++) {
		if (memcmp(b->bytes + i, &hook, sizeof(hook)) != 0)
			continue;
		if (!n++)
			*at = i;
	}
	return n;
}

/* How often it contains the bytes. */
static unsigned int often(const struct gn_il_body *b, const uint8_t *bytes,
			  size_t n)
{
	unsigned int found = 0;

	for (size_t i = 0; i + n <= b->size; i++)
		found += memcmp(b->bytes + i, bytes, n) == 0;
	return found;
}

/* Two ways to return, one end; an exception has its own end. */
static void returns(void **state)
{
	/* ldarg.0; brtrue.s 2; ldc.i4.1; ret; ldc.i4.2; ret */
	static const uint8_t body[] = {7 << 2 | 2, 0x02, 0x2d, 2,
				       0x17,	   0x2a, 0x18, 0x2a};
	size_t enter, leave, unwound;
	struct gn_il_body made;

	(void)state;
	assert_int_equal(rewrite(body, sizeof(body), &made), 0);
	assert_int_equal(count(&made, hooks.enter, &enter), 1);
	assert_int_equal(count(&made, hooks.leave, &leave), 1);
	assert_int_equal(count(&made, hooks.unwound, &unwound), 1);
	assert_true(enter < unwound && unwound < leave);
	assert_int_equal(made.nmap, 6);
	gn_il_free(&made);
}

/* The body is ldarg.0, and a call that continues in another method: the leave
 * is before that call, and only there. */
static void leaves_before_call(const uint8_t *body, size_t n)
{
	size_t enter, leave, unwound, call = n - 2;
	struct gn_il_body made;

	assert_int_equal(rewrite(body, n, &made), 0);
	assert_int_equal(count(&made, hooks.enter, &enter), 1);
	assert_int_equal(count(&made, hooks.leave, &leave), 1);
	assert_int_equal(count(&made, hooks.unwound, &unwound), 0);
	assert_memory_equal(made.bytes + made.size - call, body + 2, call);
	gn_il_free(&made);
}

static void tail_call(void **state)
{
	/* ldarg.0; tail. call 06000001; ret */
	static const uint8_t body[] = {9 << 2 | 2, 0x02, 0xfe, 0x14, 0x28,
				       1,	   0,	 0,    6,    0x2a};

	(void)state;
	leaves_before_call(body, sizeof(body));
}

/* The prefixes of a call can have any order, with nothing between them. */
static void constrained_tail_call(void **state)
{
	/* ldarg.0; constrained. 02000001; tail. callvirt 06000001; ret */
	static const uint8_t body[] = {15 << 2 | 2, 0x02, 0xfe, 0x16, 1,    0,
				       0,	    2,	  0xfe, 0x14, 0x6f, 1,
				       0,	    0,	  6,	0x2a};

	(void)state;
	leaves_before_call(body, sizeof(body));
}

static void refuses(void **state)
{
	/* jmp; a call without its token; a jump out of the code; no code at
	 * all */
	static const uint8_t jmp[] = {5 << 2 | 2, 0x27, 1, 0, 0, 6};
	static const uint8_t cut[] = {3 << 2 | 2, 0x28, 1, 0};
	static const uint8_t out[] = {3 << 2 | 2, 0x2b, 100, 0x2a};
	static const uint8_t none[] = {2};
	struct gn_il_body made;

	(void)state;
	assert_int_equal(rewrite(jmp, sizeof(jmp), &made), -EOPNOTSUPP);
	assert_int_equal(rewrite(cut, sizeof(cut), &made), -EINVAL);
	assert_int_equal(rewrite(out, sizeof(out), &made), -EINVAL);
	assert_int_equal(rewrite(none, sizeof(none), &made), -EINVAL);
}

static void locals(void **state)
{
	/* of int and string; a method that returns List<int>, and one that
	 * returns void: two more locals for each */
	static const uint8_t old[] = {7, 2, 8, 0x0e};
	static const uint8_t list[] = {0, 0, 0x15, 0x12, 5, 1, 8};
	static const uint8_t nothing[] = {0x20, 0, 0x1f, 9, 1};
	static const uint8_t want[] = {7,    4,	   8, 0x0e, 0x19,
				       0x15, 0x12, 5, 1,    8};
	struct gn_bytes b = {old, sizeof(old)}, m = {list, sizeof(list)};
	struct gn_bytes made;
	uint16_t frame;
	bool result;

	(void)state;
	assert_int_equal(gn_il_locals(&b, &m, &made, &frame, &result), 0);
	assert_int_equal(frame, 2);
	assert_true(result);
	assert_int_equal(made.n, sizeof(want));
	assert_memory_equal(made.at, want, sizeof(want));
	free((void *)made.at);
	m = (struct gn_bytes){nothing, sizeof(nothing)};
	assert_int_equal(gn_il_locals(&b, &m, &made, &frame, &result), 0);
	assert_false(result);
	assert_int_equal(made.n, 6);
	free((void *)made.at);
}

static gn_token type_token(void *ctx, const struct gn_bytes *type)
{
	(void)ctx;
	return 0x1b000000 | type->at[0];
}

static const struct gn_il_objects of_class = {.self = true};
static const struct gn_il_objects of_value = {.self = false};

/* string M(double, int, T, Class, Enum) of an object. */
static const uint8_t valued[] = {0x30, 1,    5,	   0x0e, 0x0d, 0x08,
				 0x1e, 0x00, 0x12, 5,	 0x11, 9};

static void same(const struct gn_il_value *got, const struct gn_il_value *want)
{
	assert_int_equal(got->has, want->has);
	assert_int_equal(got->arg, want->arg);
	assert_int_equal(got->size, want->size);
	assert_int_equal(got->type, want->type);
}

/* By their position in the source, in the order of the request. */
static void values(void **state)
{
	static const struct gn_il_value want[] = {
		{.has = true, .arg = 5, .type = 0x1b000011},
		{.has = true, .arg = 2, .size = -4},
		{.has = false},
		{.has = true, .arg = 3, .type = 0x1b00001e},
		{.has = true, .arg = 4, .size = 8},
	};
	static const struct gn_il_value result = {.has = true, .size = 8};
	static const uint8_t real[] = {0, 1, 0x0d, 0x05};
	struct gn_bytes m = {valued, sizeof(valued)};
	struct gn_il_values got;

	(void)state;
	gn_il_values(&m, &of_class, "401523 6", type_token, NULL, &got);
	assert_int_equal(got.nargs, 5);
	for (size_t i = 0; i < 5; i++)
		same(&got.arg[i], &want[i]);
	assert_true(got.asks_result);
	same(&got.result, &result);
	m = (struct gn_bytes){real, sizeof(real)};
	gn_il_values(&m, &of_class, "01 ", type_token, NULL, &got);
	assert_int_equal(got.nargs, 1);
	assert_int_equal(got.arg[0].size, 1);
	assert_true(got.asks_result && !got.result.has);
}

/* Without a requested type, each has its own type. */
static void own_values(void **state)
{
	/* double M(string, float, bool, ulong, T[], T, ref int) */
	static const uint8_t own[] = {0,    7,	  0x0d, 0x0e, 0x0c, 2,	  0x0b,
				      0x1d, 0x13, 0,	0x13, 0,    0x10, 8};
	static const struct gn_il_value want[] = {
		{.arg = 0, .own = GN_VALUE_NETSTR},
		{.arg = 2, .own = GN_VALUE_BOOL},
		{.arg = 3, .own = GN_VALUE_U64},
		{.arg = 4, .own = GN_VALUE_CLASS, .is_class = true},
		{.arg = 5},
		{.arg = 6, .own = GN_VALUE_PTR},
	};
	struct gn_bytes m = {own, sizeof(own)};
	struct gn_il_values got;

	(void)state;
	gn_il_values(&m, &of_class, "KLMNOPQ", type_token, NULL, &got);
	assert_int_equal(got.nargs, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_true(got.arg[i].has);
		assert_int_equal(got.arg[i].arg, want[i].arg);
		assert_int_equal(got.arg[i].own, want[i].own);
		assert_int_equal(got.arg[i].is_class, want[i].is_class);
	}
	assert_true(got.asks_result && got.result.has);
	assert_int_equal(got.result.own, GN_VALUE_F64);
	/* its fields are not known, and it is not read */
	m = (struct gn_bytes){(const uint8_t[]){0, 0, 0x16}, 3};
	gn_il_values(&m, &of_class, "K", type_token, NULL, &got);
	assert_int_equal(got.result.own, GN_VALUE_STRUCT);
	assert_true(got.result.has && !got.result.size && !got.result.type);
	/* it returns nothing */
	m = (struct gn_bytes){(const uint8_t[]){0, 0, 1}, 3};
	gn_il_values(&m, &of_class, "KR", type_token, NULL, &got);
	assert_true(got.asks_result && !got.result.has && !got.nargs);
}

/* Floating-point arguments are numbered separately. */
static void float_values(void **state)
{
	/* float M(int, double, string, float) */
	static const uint8_t floats[] = {0, 4, 0x0c, 8, 0x0d, 0x0e, 0x0c};
	static const struct gn_il_value want[] = {
		{.has = true, .arg = 3, .size = 4},
		{.has = true, .arg = 1, .size = 8},
		{.has = true, .arg = 0, .size = -4},
		{.has = false},
		{.has = true, .arg = 2, .size = 8},
	};
	static const struct gn_il_value result = {.has = true, .size = 4};
	struct gn_bytes m = {floats, sizeof(floats)};
	struct gn_il_values got;

	(void)state;
	gn_il_values(&m, &of_class, "CBA1D2 ", type_token, NULL, &got);
	assert_int_equal(got.nargs, 5);
	for (size_t i = 0; i < 5; i++)
		same(&got.arg[i], &want[i]);
	same(&got.result, &result);
	gn_il_values(&m, &of_class, "0", type_token, NULL, &got);
	assert_true(got.asks_result && !got.result.has);
	m = (struct gn_bytes){valued, sizeof(valued)};
	gn_il_values(&m, &of_class, "AAH", type_token, NULL, &got);
	assert_true(got.asks_result && !got.result.has && !got.nargs);
}

/* Types that cannot be an object have no class. */
static void class_values(void **state)
{
	/* int[] M(string, double, int, T, List<T>, KeyValue<T>, int[,]) of an
	 * object */
	static const uint8_t objects[] = {
		0x20, 7,    0x1d, 8,	0x0e, 0x0d, 8,	  0x13, 0,
		0x15, 0x12, 5,	  1,	0x13, 0,    0x15, 0x11, 9,
		1,    0x13, 0,	  0x14, 8,    2,    0,	  0,
	};
	static const bool want[] = {true, true,	 false, false,
				    true, false, true};
	struct gn_bytes m = {objects, sizeof(objects)};
	struct gn_il_values got;

	(void)state;
	gn_il_values(&m, &of_class, "zbcdefga", type_token, NULL, &got);
	assert_int_equal(got.nargs, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_true(got.arg[i].is_class);
		assert_int_equal(got.arg[i].has, want[i]);
	}
	assert_int_equal(got.arg[0].arg, 0);
	assert_int_equal(got.arg[1].arg, 1);
	assert_int_equal(got.arg[4].arg, 5);
	assert_true(got.result.has && got.result.is_class);
	/* of a value */
	gn_il_values(&m, &of_value, "z1", type_token, NULL, &got);
	assert_int_equal(got.nargs, 2);
	assert_false(got.arg[0].has);
	assert_true(got.arg[1].has && !got.arg[1].is_class);
	/* what is known about its type parameters */
	gn_il_values(&m, &(struct gn_il_objects){.of_type = 1}, "bcd",
		     type_token, NULL, &got);
	assert_true(got.arg[2].has && got.arg[2].size == 8);
	assert_false(got.arg[1].has);
	gn_il_values(&m, &(struct gn_il_objects){.of_type = 2, .of_method = 1},
		     "bcd", type_token, NULL, &got);
	assert_false(got.arg[2].has);
	/* it belongs to nothing */
	m = (struct gn_bytes){(const uint8_t[]){0, 0, 0x01}, 3};
	gn_il_values(&m, &of_class, "za", type_token, NULL, &got);
	assert_false(got.arg[0].has || got.result.has);
}

/* The class of each object is read before the hook that gets its slot. */
static void class_places(void **state)
{
	static const uint8_t plain[] = {2 << 2 | 2, 0x14, 0x2a};
	const struct gn_bytes m = {valued, sizeof(valued)};
	struct gn_il_hooks with = hooks;
	size_t see, context, enter, leave;
	struct gn_il_body made;

	(void)state;
	with.see = 0xd1d2d3d4d5d6d7d8;
	with.context = 0xc1c2c3c4c5c6c7c8;
	/* its own object, its third parameter, and the result */
	gn_il_values(&m, &of_class, "zbda", type_token, NULL, &with.values);
	assert_int_equal(gn_il_rewrite(plain, sizeof(plain), &with, &made), 0);
	assert_int_equal(count(&made, with.see, &see), 3);
	assert_int_equal(count(&made, with.context, &context), 3);
	assert_int_equal(count(&made, with.enter, &enter), 1);
	assert_int_equal(count(&made, with.leave, &leave), 1);
	assert_true(context < see && see < enter && enter < leave);
	gn_il_free(&made);
}

/* Values that are impossible or unreadable. */
static void no_values(void **state)
{
	static const uint8_t nothing[] = {0, 0, 0x01};
	struct gn_bytes m = {valued, sizeof(valued) - 1};
	struct gn_il_values got;

	(void)state;
	gn_il_values(&m, &of_class, "1111111111", type_token, NULL, &got);
	assert_int_equal(got.nargs, GN_ARGS_MAX);
	for (size_t i = 0; i < got.nargs; i++)
		assert_false(got.arg[i].has);
	assert_false(got.asks_result);
	m = (struct gn_bytes){nothing, sizeof(nothing)};
	gn_il_values(&m, &of_class, "0", type_token, NULL, &got);
	assert_true(got.asks_result && !got.result.has);
	gn_il_values(&m, &of_class, "7", type_token, NULL, &got);
	assert_true(!got.asks_result && !got.nargs);
}

/* Arguments at the enter, the result at the leave. If the method continues in
 * another one, the leave says that there is no result. */
static void value_places(void **state)
{
	static const uint8_t plain[] = {2 << 2 | 2, 0x14, 0x2a};
	/* ldarg.0; brtrue.s 2; ldnull; ret; tail. call 06000001; ret */
	static const uint8_t tail[] = {13 << 2 | 2, 0x02, 0x2d, 2,    0x14,
				       0x2a,	    0xfe, 0x14, 0x28, 1,
				       0,	    0,	  6,	0x2a};
	static const uint8_t argument[] = {0xfe, 0x0a, 2, 0, 0xe0};
	static const uint8_t local[] = {0xfe, 0x0d, 1, 0, 0xe0};
	/* and with the values for the hook */
	static const uint8_t size[] = {0xfe, 0x1c, 0x1e, 0, 0, 0x1b, 0xe0};
	static const uint8_t none[] = {0x20, 0, 0, 0, 0, 0xe0, 0x21, 0xa8};
	const struct gn_bytes m = {valued, sizeof(valued)};
	struct gn_il_hooks with = hooks;
	struct gn_il_body made;

	(void)state;
	gn_il_values(&m, &of_class, "120", type_token, NULL, &with.values);
	assert_int_equal(gn_il_rewrite(plain, sizeof(plain), &with, &made), 0);
	assert_int_equal(often(&made, argument, sizeof(argument)), 1);
	assert_int_equal(often(&made, size, sizeof(size)), 1);
	assert_int_equal(often(&made, local, sizeof(local)), 1);
	assert_int_equal(often(&made, none, sizeof(none)), 0);
	gn_il_free(&made);
	assert_int_equal(gn_il_rewrite(tail, sizeof(tail), &with, &made), 0);
	assert_int_equal(often(&made, local, sizeof(local)), 1);
	assert_int_equal(often(&made, none, sizeof(none)), 1);
	gn_il_free(&made);
}

/* With a borrowed signature a reference to an argument is passed, which then
 * holds the result, and what the call returns is dropped. */
static void borrowed(void **state)
{
	/* ldarg.0; ret */
	static const uint8_t body[] = {2 << 2 | 2, 0x02, 0x2a};
	/* ldarga 3; ldc.i8 */
	static const uint8_t address[] = {0xfe, 0x0a, 3, 0, 0x21};
	/* calli; pop */
	static const uint8_t call[] = {0x29, 1, 0, 0, 0x06, 0x26};
	static const uint8_t stored[] = {0xfe, 0x0b, 3, 0, 0xdd};
	static const uint8_t loaded[] = {0xfe, 0x09, 3, 0, 0x2a};
	struct gn_il_hooks with = hooks;
	struct gn_il_body made;

	(void)state;
	with.borrowed = (struct gn_il_borrowed){true, true, true, true};
	with.frame = 3;
	with.call = with.values.enter = with.values.leave = 0x06000001;
	assert_int_equal(gn_il_rewrite(body, sizeof(body), &with, &made), 0);
	assert_int_equal(often(&made, address, sizeof(address)), 3);
	assert_int_equal(often(&made, call, sizeof(call)), 3);
	assert_int_equal(often(&made, stored, sizeof(stored)), 1);
	assert_int_equal(often(&made, loaded, sizeof(loaded)), 1);
	gn_il_free(&made);
}

/* FieldDef 1 is the state of C#, FieldDef 2 that of F#. */
static enum gn_il_member any_member(const void *ctx, gn_token member)
{
	(void)ctx;
	switch (member) {
	case 0x04000001:
		return GN_IL_STATE;
	case 0x04000002:
		return GN_IL_POINT;
	case 0x0a000001:
		return GN_IL_SETS_RESULT;
	case 0x0a000002:
		return GN_IL_SETS_ERROR;
	default:
		return GN_IL_NO_MEMBER;
	}
}

/* ldarg.0; ldfld state; pop; ldarg.0; ldc.i4.3; stfld state; ldarg.0;
 * ldc.i4 -2; stfld state; ret */
static const uint8_t machine[] = {
	27 << 2 | 2, 0x02, 0x7b, 1, 0, 0,    4,	   0x26, 0x02, 0x19,
	0x7d,	     1,	   0,	 0, 4, 0x02, 0x20, 0xfe, 0xff, 0xff,
	0xff,	     0x7d, 1,	 0, 0, 4,    0,	   0x2a,
};

static void rewrite_machine(enum gn_il_how how, struct gn_il_body *made)
{
	struct gn_il_async async = {
		.how = how,
		.session = 5,
		.entered = 0xc1c2c3c4c5c6c7c8,
		.suspends = 0xc1c2c3c4c5c6c7c9,
		.completes = 0xc1c2c3c4c5c6c7ca,
		.faults = 0xc1c2c3c4c5c6c7cb,
	};
	struct gn_il_hooks with = hooks;
	struct gn_il_method m;

	with.result = false;
	with.async = &async;
	if (how == GN_IL_UNTAGS)
		with.enter = with.leave = with.unwound = 0;
	assert_int_equal(gn_il_read(machine, sizeof(machine), &m), 0);
	assert_int_equal(gn_il_machine(&m, any_member, NULL, &async.machine),
			 0);
	assert_int_equal(async.machine.n, 2);
	assert_int_equal(gn_il_rewrite(machine, sizeof(machine), &with, made),
			 0);
	for (uint64_t i = 0; i < 3; i++) {
		size_t at;

		assert_int_equal(count(made, async.entered + i, &at),
				 how != GN_IL_UNTAGS);
	}
	gn_il_machine_free(&async.machine);
}

/* A state that is read loses its tags wherever it may have some. A state that
 * is stored gets tags in a session that uses them. */
static void states(void **state)
{
	/* ldfld; conv.i2, and or; xor; stfld */
	static const uint8_t loaded[] = {0x7b, 1, 0, 0, 4, 0x68};
	static const uint8_t tagged[] = {0x60, 0x61, 0x7d};
	static const bool tags[] = {false, true, false};
	static const bool loses[] = {false, true, true};

	(void)state;
	for (int how = GN_IL_STATES; how <= GN_IL_UNTAGS; how++) {
		struct gn_il_body made;

		rewrite_machine(how, &made);
		assert_int_equal(often(&made, loaded, sizeof(loaded)),
				 loses[how]);
		assert_int_equal(often(&made, tagged, sizeof(tagged)),
				 tags[how]);
		gn_il_free(&made);
	}
}

/* Tokens of two of the methods in awaiting[]: ConfigureAwait() and Await(). */
#define CONFIGURED 0x0a000002
#define AWAITED	   0x0a000003

static enum gn_il_call what_is_called(const void *ctx, gn_token method)
{
	(void)ctx;
	return method == AWAITED      ? GN_IL_AWAITS
	       : method == CONFIGURED ? GN_IL_CONFIGURES
				      : GN_IL_CALLS;
}

/* At 0: call M; call Await. At 10: constrained. T; callvirt M; ldc.i4.0; call
 * ConfigureAwait; call Await. At 32: ldarg.0; call Await. At 38: ldarg.0;
 * brfalse.s to 44; nop; call M, to which the jump at 56 comes behind; call
 * Await; br.s back to 49. At 58: ret. */
static const uint8_t awaiting[] = {
	/* a fat header: 8 words of stack, 58 bytes of code, no locals */
	0x03, 0x30, 0x08, 0x00, 58, 0, 0, 0, 0, 0, 0, 0,
	/* 0 */
	0x28, 1, 0, 0, 0x0a, 0x28, 3, 0, 0, 0x0a,
	/* 10 */
	0xfe, 0x16, 1, 0, 0, 2, 0x6f, 1, 0, 0, 0x0a, 0x16, 0x28, 2, 0, 0, 0x0a,
	0x28, 3, 0, 0, 0x0a,
	/* 32 */
	0x02, 0x28, 3, 0, 0, 0x0a,
	/* 38 */
	0x02, 0x2d, 0x02, 0x00, 0x00, 0x00, 0x28, 1, 0, 0, 0x0a, 0x28, 3, 0, 0,
	0x0a, 0x00, 0x2b, 0xf8, 0x2a};

/* An await begins with the call of the method, between which and the await the
 * compiler allows nothing; but not if something jumps in between. */
static void awaits(void **state)
{
	static const struct gn_il_await found[] = {
		{0, 5}, {10, 27}, {33, 33}, {49, 49}};
	struct gn_il_awaits list;
	struct gn_il_method m;

	(void)state;
	assert_int_equal(gn_il_read(awaiting, sizeof(awaiting), &m), 0);
	assert_int_equal(gn_il_find_awaits(&m, what_is_called, NULL, &list), 0);
	assert_int_equal(list.n, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(list.each[i].begin, found[i].begin);
		assert_int_equal(list.each[i].at, found[i].at);
	}
	gn_il_awaits_free(&list);
}

/* Hooks are around each await, and before what tells of an exception. What was
 * called and awaited at once still is. */
static void suspends(void **state)
{
	static const uint8_t at_once[] = {0x28, 1, 0, 0, 0x0a,
					  0x28, 3, 0, 0, 0x0a};
	static const _Atomic uint32_t now;
	struct gn_il_hooks with = hooks;
	struct gn_il_suspends *s = &with.suspends;
	struct gn_il_awaits list;
	struct gn_il_method m;
	struct gn_il_body made;
	size_t at;

	(void)state;
	assert_int_equal(gn_il_read(awaiting, sizeof(awaiting), &m), 0);
	assert_int_equal(gn_il_find_awaits(&m, what_is_called, NULL, &list), 0);
	*s = (struct gn_il_suspends){
		.awaits = 0xd1d2d3d4d5d6d7d8,
		.awaited = 0xd1d2d3d4d5d6d7d9,
		.resumed = 0xd1d2d3d4d5d6d7da,
		.list = &list,
		.now = &now,
		.session = 9,
	};
	with.result = false;
	assert_int_equal(
		gn_il_rewrite(awaiting, sizeof(awaiting), &with, &made), 0);
	assert_int_equal(count(&made, s->awaits, &at), 4);
	assert_int_equal(count(&made, s->awaited, &at), 5);
	assert_int_equal(count(&made, s->resumed, &at), 5);
	/* around awaits, after them, around the leave and the unwind */
	assert_int_equal(count(&made, (uintptr_t)&now, &at), 4 + 5 + 2);
	assert_int_equal(often(&made, at_once, sizeof(at_once)), 1);
	gn_il_free(&made);
	/* the method that is called for a suspension has one hook only */
	*s = (struct gn_il_suspends){.suspended = 0xd1d2d3d4d5d6d7db,
				     .field = 0x04000001};
	with.enter = with.leave = with.unwound = 0;
	assert_int_equal(
		gn_il_rewrite(awaiting, sizeof(awaiting), &with, &made), 0);
	assert_int_equal(count(&made, s->suspended, &at), 1);
	assert_int_equal(count(&made, hooks.enter, &at), 0);
	gn_il_free(&made);
	gn_il_awaits_free(&list);
}

/* ldarg.0; ldfld state; pop; ldarg.0; ldc.i4.1; stfld state; ldarg.0; ldarg.0;
 * call SetResult; ldarg.0; ldarg.0; tail., or nops; call SetException; ret */
static void fsharp_body(uint8_t body[38], bool prefixed)
{
	static const uint8_t code[38] = {
		37 << 2 | 2, 0x02, 0x7b, 2,    0,    0,	   4,	 0x26,
		0x02,	     0x17, 0x7d, 2,    0,    0,	   4,	 0x02,
		0x02,	     0x28, 1,	 0,    0,    10,   0x02, 0x02,
		0x00,	     0x00, 0x28, 2,    0,    0,	   10,	 0x00,
		0x00,	     0x00, 0x00, 0x00, 0x00, 0x2a,
	};

	memcpy(body, code, sizeof(code));
	if (prefixed) {
		body[24] = 0xfe;
		body[25] = 0x14;
	}
}

/* F#'s state machine of a task counts from 1, and calls complete it. */
static void fsharp_task(void **state)
{
	static const struct gn_il_store stores[] = {
		{9, 0, GN_IL_SUSPENDS},
		{16, -2, GN_IL_COMPLETES},
		{25, -2, GN_IL_FAULTS},
	};
	/* ldfld; conv.i; ldc.i4 1; conv.i; sub */
	static const uint8_t less[] = {0x7b, 2, 0, 0, 4,    0xd3, 0x20,
				       1,    0, 0, 0, 0xd3, 0x59};
	struct gn_il_async async = {.how = GN_IL_STATES, .entered = 1};
	struct gn_il_hooks with = hooks;
	struct gn_il_method m;
	struct gn_il_body made;
	uint8_t body[38];

	(void)state;
	with.result = false;
	with.async = &async;
	fsharp_body(body, false);
	assert_int_equal(gn_il_read(body, sizeof(body), &m), 0);
	assert_int_equal(gn_il_machine(&m, any_member, NULL, &async.machine),
			 0);
	assert_int_equal(async.machine.n, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct gn_il_store *s = &async.machine.stores[i];

		assert_int_equal(s->at, stores[i].at);
		assert_int_equal(s->state, stores[i].state);
		assert_int_equal(s->kind, stores[i].kind);
	}
	assert_int_equal(gn_il_rewrite(body, sizeof(body), &with, &made), 0);
	assert_int_equal(often(&made, less, sizeof(less)), 1);
	gn_il_free(&made);
	gn_il_machine_free(&async.machine);
	fsharp_body(body, true);
	assert_int_equal(gn_il_machine(&m, any_member, NULL, &async.machine),
			 -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(returns),
		cmocka_unit_test(tail_call),
		cmocka_unit_test(constrained_tail_call),
		cmocka_unit_test(refuses),
		cmocka_unit_test(locals),
		cmocka_unit_test(borrowed),
		cmocka_unit_test(states),
		cmocka_unit_test(awaits),
		cmocka_unit_test(suspends),
		cmocka_unit_test(values),
		cmocka_unit_test(no_values),
		cmocka_unit_test(value_places),
		cmocka_unit_test(own_values),
		cmocka_unit_test(float_values),
		cmocka_unit_test(class_values),
		cmocka_unit_test(class_places),
		cmocka_unit_test(fsharp_task),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
