/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks in methods of Java: what the new code is, byte by byte, and which
 * methods are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "java_class.h"

#define SEVEN              \
	(struct jc_test)   \
	{                  \
		.index = 7 \
	}

/* A method m()V of these instructions. */
static struct jc_method method(struct jc_part code)
{
	return (struct jc_method){.name = "m",
				  .type = "()V",
				  .stack = 2,
				  .locals = 1,
				  .code = code};
}

/* enter, leave before the return, a handler for what is between, its frame */
static void test_plain(void **state)
{
	struct jc_method m = method(JC(0, 177));
	struct jc_test t = SEVEN;
	uint16_t name;

	(void)state;
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code, JC(JC_CALL_ENTER, 0, JC_CALL_LEAVE, 177,
				 JC_CALL_UNWOUND, 191));
	jc_check(t.read.handlers, JC(0, 5, 0, 6, 0, 12, 0, 0));
	assert_int_equal(t.read.stack, 3);
	assert_int_equal(t.read.locals, 1);
	assert_int_equal(t.read.nattributes, 1);
	jc_check(jc_attribute(&t.read, 0, &name),
		 JC(0, 1, 255, 0, 12, 0, 0, 0, 1, 7, 0, JC_THROWABLE));
	assert_int_equal(name, JC_ADDED_TABLE);
	assert_int_equal(t.read.constants, JC_FIRST_FREE);
	jc_drop(&t);
}

/* Older classes have no frames. The stack holds an exception and an index. */
static void test_old(void **state)
{
	struct jc_method m = method(JC(177));
	struct jc_test t = SEVEN;

	(void)state;
	m.major = 49;
	m.stack = 0;
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code,
		 JC(JC_CALL_ENTER, JC_CALL_LEAVE, 177, JC_CALL_UNWOUND, 191));
	assert_int_equal(t.read.handlers.n, 0);
	assert_int_equal(t.read.stack, 2);
	assert_int_equal(t.read.nattributes, 0);
	jc_drop(&t);
}

static void check_push(uint32_t index, struct jc_part push, bool constant)
{
	struct jc_method m = method(JC(177));
	struct jc_test t = {.index = index};

	assert_int_equal(jc_rewrite(&t, &m), 1);
	assert_memory_equal(t.read.code.at, push.at, push.n);
	assert_int_equal(t.read.code.at[push.n], 184);
	assert_int_equal(t.read.constants, JC_FIRST_FREE + constant);
	if (constant) {
		const uint8_t *p = t.read.pool.at + t.read.pool.n - 5;

		assert_memory_equal(p,
				    JC(3, (uint8_t)(index >> 24),
				       (uint8_t)(index >> 16),
				       (uint8_t)(index >> 8), (uint8_t)index)
					    .at,
				    5);
	}
	jc_drop(&t);
}

static void test_indexes(void **state)
{
	(void)state;
	check_push(0, JC(3), false);
	check_push(5, JC(8), false);
	check_push(6, JC(16, 6), false);
	check_push(127, JC(16, 127), false);
	check_push(128, JC(17, 0, 128), false);
	check_push(32767, JC(17, 127, 255), false);
	check_push(32768, JC(19, 0, JC_FIRST_FREE), true);
	check_push(0x80000000, JC(19, 0, JC_FIRST_FREE), true);
	check_push(UINT32_MAX - 1, JC(16, 254), false);
}

/* Branches to a return come to the call of leave, those to the begin do not
 * come to that of enter. */
static void test_branches(void **state)
{
	struct jc_method m = method(JC(3,	      /* 0: iconst_0 */
				       153, 0, 9,     /* 1: ifeq 10 */
				       3,	      /* 4: iconst_0 */
				       154, 255, 251, /* 5: ifne 0 */
				       0, 0,	      /* 8: nop */
				       177));	      /* 10: return */
	struct jc_test t = SEVEN;

	(void)state;
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code,
		 JC(JC_CALL_ENTER, 3, 153, 0, 9, 3, 154, 255, 251, 0, 0,
		    JC_CALL_LEAVE, 177, JC_CALL_UNWOUND, 191));
	jc_drop(&t);
	/* one over a return */
	m = method(JC(3, 153, 0, 4, 177, 177));
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code,
		 JC(JC_CALL_ENTER, 3, 153, 0, 9, JC_CALL_LEAVE, 177,
		    JC_CALL_LEAVE, 177, JC_CALL_UNWOUND, 191));
	jc_check(t.read.handlers, JC(0, 5, 0, 9, 0, 21, 0, 0));
	jc_drop(&t);
	/* subroutines of old classes */
	m = method(JC(168, 0, 4, 177, 75, 169, 0));
	m.major = 48;
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code, JC(JC_CALL_ENTER, 168, 0, 9, JC_CALL_LEAVE, 177,
				 75, 169, 0, JC_CALL_UNWOUND, 191));
	jc_check(t.read.handlers,
		 JC(0, 5, 0, 8, 0, 17, 0, 0, 0, 14, 0, 17, 0, 17, 0, 0));
	jc_drop(&t);
}

/* Their padding changes with their place. */
static void test_switches(void **state)
{
	struct jc_method m = method(JC(3,				/* 0 */
				       170, 0, 0,			/* 1 */
				       0, 0, 0, 24, 255, 255, 255, 255, /* 4 */
				       0, 0, 0, 0, 0, 0, 0, 23, 255, 255, 255,
				       255, 177, /* 24 */
				       177));	 /* 25 */
	struct jc_test t = SEVEN;

	(void)state;
	/* the last case is at 0 */
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code,
		 JC(JC_CALL_ENTER, 3, /* 5 */
		    170, 0,	      /* 6 */
		    0, 0, 0, 28, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 22,
		    255, 255, 255, 255, JC_CALL_LEAVE, 177, /* 28 */
		    JC_CALL_LEAVE, 177,			    /* 34 */
		    JC_CALL_UNWOUND, 191));
	jc_drop(&t);
	m = method(JC(3, 171, 0, 0,		     /* 0, 1 */
		      0, 0, 0, 19, 0, 0, 0, 1,	     /* 4 */
		      255, 255, 255, 0, 0, 0, 0, 20, /* 12 */
		      177, 177));		     /* 20 */
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code,
		 JC(JC_CALL_ENTER, 3, 171, 0, 0, 0, 0, 18, 0, 0, 0, 1, 255, 255,
		    255, 0, 0, 0, 0, 24, JC_CALL_LEAVE, 177, JC_CALL_LEAVE, 177,
		    JC_CALL_UNWOUND, 191));
	jc_drop(&t);
}

/* The method's own handlers come first. What returns is not covered. */
static void test_handlers(void **state)
{
	struct jc_method m = method(JC(0, 0, 177, 87, 177));
	struct jc_test t = SEVEN;

	(void)state;
	m.handlers = JC(0, 0, 0, 2, 0, 3, 0, JC_OBJECT, 0, 1, 0, 5, 0, 3, 0, 0);
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code, JC(JC_CALL_ENTER, 0, 0, JC_CALL_LEAVE, 177, 87,
				 JC_CALL_LEAVE, 177, JC_CALL_UNWOUND, 191));
	jc_check(t.read.handlers, JC(0, 5, 0, 7, 0, 13, 0, JC_OBJECT, /* own */
				     0, 6, 0, 20, 0, 13, 0, 0,	      /* own */
				     0, 5, 0, 7, 0, 20, 0, 0,	      /* ours */
				     0, 13, 0, 14, 0, 20, 0, 0));
	jc_drop(&t);
}

/* Code of n times `nop` between head and tail. */
static struct jc_part stretch(struct jc_part head, size_t n,
			      struct jc_part tail)
{
	uint8_t *p = calloc(head.n + n + tail.n, 1);

	assert_non_null(p);
	memcpy(p, head.at, head.n);
	memcpy(p + head.n + n, tail.at, tail.n);
	return (struct jc_part){p, head.n + n + tail.n};
}

static void check_stretched(struct jc_part head, size_t n, struct jc_part tail,
			    int refused)
{
	struct jc_method m = method(stretch(head, n, tail));
	struct jc_test t = SEVEN;

	assert_int_equal(jc_rewrite(&t, &m), !refused);
	assert_int_equal(t.refused, refused);
	jc_drop(&t);
	free((void *)m.code.at);
}

static void test_sizes(void **state)
{
	(void)state;
	check_stretched(JC(0), 7982, JC(177), 0);
	check_stretched(JC(0), 7983, JC(177), GN_JAVA_NOT_COMPILED);
	check_stretched(JC(0), 8000, JC(177), 0);
	check_stretched(JC(0), 65517, JC(177), 0);
	check_stretched(JC(0), 65518, JC(177), GN_JAVA_TOO_LARGE);
	/* a branch over a return, and one that is far enough without it */
	check_stretched(JC(3, 153, 127, 255), 32762, JC(177, 177, 177),
			GN_JAVA_TOO_LARGE);
	check_stretched(JC(3, 153, 127, 249), 32757, JC(177, 177, 177), 0);
}

/* goto can become longer, and with it what jumps over it. */
static void test_widened(void **state)
{
	struct jc_method m;
	struct jc_test t = SEVEN;
	struct jc_part code;

	(void)state;
	/* 3: a return; 4 + 32760: goto 0 */
	code = stretch(JC(3, 3, 3, 177), 32760, JC(167, 128, 4));
	m = method(code);
	assert_int_equal(jc_rewrite(&t, &m), 1);
	assert_int_equal(t.read.code.n, 5 + code.n + 5 + 2 + 6);
	/* from 32774 to 5 */
	assert_memory_equal(t.read.code.at + 5 + 32764 + 5,
			    JC(200, 255, 255, 127, 255).at, 5);
	jc_drop(&t);
	free((void *)code.at);
}

/* A constructor is entered when super() has returned. */
static void test_constructor(void **state)
{
	struct jc_method m = method(JC(42, 183, 0, JC_INIT, 0, 177));
	struct jc_test t = SEVEN;

	(void)state;
	m.name = "<init>";
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code, JC(42, 183, 0, JC_INIT, JC_CALL_ENTER, 0,
				 JC_CALL_LEAVE, 177, JC_CALL_UNWOUND, 191));
	jc_check(t.read.handlers, JC(0, 9, 0, 10, 0, 16, 0, 0));
	jc_drop(&t);
	/* another object is made before, and a copy of `this` is used */
	m.code = JC(42, 76, 187, 0, JC_OBJECT, 89, 183, 0, JC_INIT, /* 0..8 */
		    76, 42, 76, 3, 153, 0, 6, /* 9..15: ifeq 19 */
		    0, 0, 0,		      /* 16 */
		    43, 183, 0, JC_INIT, 177);
	m.stack = 3;
	m.locals = 2;
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code,
		 JC(42, 76, 187, 0, JC_OBJECT, 89, 183, 0, JC_INIT, 76, 42, 76,
		    3, 153, 0, 6, 0, 0, 0, 43, 183, 0, JC_INIT, JC_CALL_ENTER,
		    JC_CALL_LEAVE, 177, JC_CALL_UNWOUND, 191));
	assert_int_equal(t.read.handlers.n, 0);
	jc_drop(&t);
	/* either super() or another; both go on at the same place */
	m.code = JC(3, 153, 0, 10,	 /* 0: ifeq 11 */
		    42, 183, 0, JC_INIT, /* 4 */
		    167, 0, 7,		 /* 8: goto 15 */
		    42, 183, 0, JC_INIT, /* 11 */
		    0, 177);
	assert_int_equal(jc_rewrite(&t, &m), 1);
	jc_check(t.read.code,
		 JC(3, 153, 0, 15, 42, 183, 0, JC_INIT, JC_CALL_ENTER, /* 8 */
		    167, 0, 12, 42, 183, 0, JC_INIT, /* 13, 16 */
		    JC_CALL_ENTER, 0, JC_CALL_LEAVE, 177, JC_CALL_UNWOUND,
		    191));
	jc_check(t.read.handlers,
		 JC(0, 13, 0, 16, 0, 32, 0, 0, 0, 25, 0, 26, 0, 32, 0, 0));
	jc_drop(&t);
}

static void check_refused(struct jc_method m, int why)
{
	struct jc_test t = SEVEN;

	assert_int_equal(jc_rewrite(&t, &m), 0);
	assert_int_equal(t.refused, why);
	assert_null(t.out);
	jc_drop(&t);
}

static void test_refused(void **state)
{
	struct jc_method m = method(JC(177));

	(void)state;
	m.code.n = 0;
	m.access = 0x400;
	check_refused(m, GN_JAVA_NO_CODE);
	m = method(JC(177));
	m.name = "finalize";
	check_refused(m, GN_JAVA_EMPTY_FINALIZER);
	/* no opcode; half an instruction; a branch into one, and beyond */
	check_refused(method(JC(202)), GN_JAVA_MALFORMED);
	check_refused(method(JC(17, 0)), GN_JAVA_MALFORMED);
	check_refused(method(JC(167, 0, 1)), GN_JAVA_MALFORMED);
	check_refused(method(JC(167, 0, 3)), GN_JAVA_MALFORMED);
	check_refused(method(JC(167, 255, 255)), GN_JAVA_MALFORMED);
	check_refused(method(JC(196, 0, 0, 0)), GN_JAVA_MALFORMED);
	/* more cases than there are */
	check_refused(method(JC(171, 0, 0, 0, 0, 0, 0, 0, 127, 255, 255, 255)),
		      GN_JAVA_MALFORMED);
	check_refused(method(JC(170, 0, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 127,
				255, 255, 255)),
		      GN_JAVA_MALFORMED);
	m = method(JC(0, 177));
	m.handlers = JC(0, 1, 0, 1, 0, 0, 0, 0);
	check_refused(m, GN_JAVA_MALFORMED);
	m.handlers = JC(0, 0, 0, 3, 0, 0, 0, 0);
	check_refused(m, GN_JAVA_MALFORMED);
	m = method(JC(177));
	m.stack = UINT16_MAX;
	check_refused(m, GN_JAVA_TOO_LARGE);
	/* constructors: the stack is empty; a subroutine; both before and after
	 * super() */
	m = method(JC(183, 0, JC_INIT, 177));
	m.name = "<init>";
	check_refused(m, GN_JAVA_MALFORMED);
	m.code = JC(168, 0, 3, 87, 42, 183, 0, JC_INIT, 177);
	check_refused(m, GN_JAVA_CONSTRUCTOR);
	m.code = JC(3, 153, 0, 7, 42, 183, 0, JC_INIT, 177);
	check_refused(m, GN_JAVA_CONSTRUCTOR);
}

static void test_not_selected(void **state)
{
	struct jc_method m = method(JC(177));
	struct jc_test t = {.index = UINT32_MAX};

	(void)state;
	assert_int_equal(jc_rewrite(&t, &m), 0);
	assert_null(t.out);
	jc_drop(&t);
}

/* Each part of a class file alone is malformed. */
static void test_cut(void **state)
{
	struct jc_method m = method(JC(0, 177));
	struct jc_class c = jc_make(&m);

	(void)state;
	for (size_t n = 0; n < c.n; n++) {
		uint8_t *part = malloc(n ? n : 1);
		struct jc_test t = SEVEN;

		assert_non_null(part);
		memcpy(part, c.at, n);
		assert_int_equal(jc_rewrite_bytes(&t, part, n), -EBADMSG);
		jc_drop(&t);
		free(part);
	}
	free(c.at);
}

static void test_no_memory(void **state)
{
	struct jc_method m = method(JC(42, 183, 0, JC_INIT, 177));
	int max = 0, n;

	(void)state;
	m.name = "<init>";
	do {
		struct jc_test t = {.index = 7, .max = ++max};

		n = jc_rewrite(&t, &m);
		assert_true(n == 1 || n == -ENOMEM);
		jc_drop(&t);
	} while (n < 0);
	assert_true(max > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_old),
		cmocka_unit_test(test_indexes),
		cmocka_unit_test(test_branches),
		cmocka_unit_test(test_switches),
		cmocka_unit_test(test_handlers),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_widened),
		cmocka_unit_test(test_constructor),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_selected),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
