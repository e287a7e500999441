/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks in methods of Java: frames, lines, variables and annotations move with
 * the code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "java_class.h"

/* 0: nop, 1: new, 4: pop, 5: return, 6: nop, 7: return. In the new code: 5, 6,
 * 9, 10 (the return at 15), 16, 17 (22), 23. */
static const struct jc_method six = {
	.name = "m",
	.type = "()V",
	.stack = 2,
	.locals = 1,
	.code = {(const uint8_t[]){0, 187, 0, JC_OBJECT, 87, 177, 0, 177}, 8},
	.nattributes = 1,
};

enum {
	HANDLER = 23,
};

/* There is no output, because it is malformed. */
static const struct jc_part refused;

/* An attribute of this name with the first content gets the second one. */
static void check_code(struct jc_method m, uint16_t name, struct jc_part in,
		       struct jc_part out)
{
	struct jc_test t = {.index = 7};
	uint8_t *bytes = calloc(in.n + 6, 1);
	uint16_t found;

	assert_non_null(bytes);
	bytes[1] = (uint8_t)name;
	bytes[4] = (uint8_t)(in.n >> 8);
	bytes[5] = (uint8_t)in.n;
	memcpy(bytes + 6, in.at, in.n);
	m.attributes = (struct jc_part){bytes, in.n + 6};
	assert_int_equal(jc_rewrite(&t, &m), !!out.n);
	if (out.n) {
		jc_check(jc_attribute(&t.read, 0, &found), out);
		assert_int_equal(found, name);
		/* frames are there even if there were none */
		assert_int_equal(t.read.nattributes,
				 1 + (name != JC_STACK_MAP_TABLE));
	} else {
		assert_int_equal(t.refused, GN_JAVA_MALFORMED);
	}
	jc_drop(&t);
	free(bytes);
}

static void check(uint16_t name, struct jc_part in, struct jc_part out)
{
	check_code(six, name, in, out);
}

#define OUR_FRAME(delta) 255, 0, delta, 0, 0, 0, 1, 7, 0, JC_THROWABLE

static void test_frames(void **state)
{
	const uint16_t frames = JC_STACK_MAP_TABLE;

	(void)state;
	/* none; at 0; at 1 and 6 */
	check(frames, JC(0, 0), JC(0, 1, OUR_FRAME(HANDLER)));
	check(frames, JC(0, 1, 0), JC(0, 2, 5, OUR_FRAME(HANDLER - 6)));
	check(frames, JC(0, 2, 1, 4), JC(0, 3, 6, 9, OUR_FRAME(HANDLER - 17)));
	/* one slot on the stack: an integer, an object, what is made at 1 */
	check(frames, JC(0, 1, 64 + 4, 1),
	      JC(0, 2, 64 + 9, 1, OUR_FRAME(HANDLER - 10)));
	check(frames, JC(0, 1, 64 + 4, 7, 0, JC_OBJECT),
	      JC(0, 2, 64 + 9, 7, 0, JC_OBJECT, OUR_FRAME(HANDLER - 10)));
	check(frames, JC(0, 1, 64 + 4, 8, 0, 1),
	      JC(0, 2, 64 + 9, 8, 0, 6, OUR_FRAME(HANDLER - 10)));
	check(frames, JC(0, 1, 247, 0, 4, 8, 0, 1),
	      JC(0, 2, 247, 0, 9, 8, 0, 6, OUR_FRAME(HANDLER - 10)));
	/* chopped, the same, appended, full */
	check(frames, JC(0, 1, 248, 0, 6),
	      JC(0, 2, 248, 0, 16, OUR_FRAME(HANDLER - 17)));
	check(frames, JC(0, 1, 251, 0, 6),
	      JC(0, 2, 251, 0, 16, OUR_FRAME(HANDLER - 17)));
	check(frames, JC(0, 1, 254, 0, 6, 0, 4, 8, 0, 1),
	      JC(0, 2, 254, 0, 16, 0, 4, 8, 0, 6, OUR_FRAME(HANDLER - 17)));
	check(frames, JC(0, 1, 255, 0, 6, 0, 1, 2, 0, 2, 8, 0, 1, 6),
	      JC(0, 2, 255, 0, 16, 0, 1, 2, 0, 2, 8, 0, 6, 6,
		 OUR_FRAME(HANDLER - 17)));
}

static void test_malformed_frames(void **state)
{
	const uint16_t frames = JC_STACK_MAP_TABLE;

	(void)state;
	/* within an instruction, beyond the code, a kind or type that there is
	 * not, what is made by no instruction, too few bytes, too many */
	check(frames, JC(0, 1, 2), refused);
	check(frames, JC(0, 1, 8), refused);
	check(frames, JC(0, 2, 4, 3), refused);
	check(frames, JC(0, 1, 246, 0, 4), refused);
	check(frames, JC(0, 1, 68, 9), refused);
	check(frames, JC(0, 1, 68, 8, 0, 2), refused);
	check(frames, JC(0, 1, 68, 8, 0, 8), refused);
	check(frames, JC(0, 1), refused);
	check(frames, JC(0, 1, 255, 0, 6, 255, 255), refused);
	check(frames, JC(0, 0, 0), refused);
	check(frames, JC(0), refused);
}

/* Frames that are near come to be far. */
static void test_far_frames(void **state)
{
	uint8_t code[61];
	struct jc_method m = six;

	(void)state;
	memset(code, 0, sizeof(code));
	code[60] = 177;
	m.code = (struct jc_part){code, sizeof(code)};
	check_code(m, JC_STACK_MAP_TABLE, JC(0, 2, 57, 1),
		   JC(0, 3, 62, 1, OUR_FRAME(71 - 65)));
	check_code(m, JC_STACK_MAP_TABLE, JC(0, 1, 59),
		   JC(0, 2, 251, 0, 64, OUR_FRAME(71 - 65)));
	check_code(m, JC_STACK_MAP_TABLE, JC(0, 1, 64 + 59, 1),
		   JC(0, 2, 247, 0, 64, 1, OUR_FRAME(71 - 65)));
}

/* The first line has the call of enter, and each return that of leave. */
static void test_lines(void **state)
{
	(void)state;
	check(JC_LINES, JC(0, 3, 0, 0, 0, 10, 0, 5, 0, 11, 0, 6, 0, 12),
	      JC(0, 3, 0, 0, 0, 10, 0, 10, 0, 11, 0, 16, 0, 12));
	check(JC_LINES, JC(0, 1, 0, 8, 0, 1), refused);
	check(JC_LINES, JC(0, 2, 0, 0, 0, 1), refused);
	check(JC_LINES, JC(0, 0, 0), refused);
}

static void test_variables(void **state)
{

	(void)state;
	/* all the code; 4 to 6; from 6 to the end */
	check(JC_VARIABLES,
	      JC(0, 3, 0, 0, 0, 8, 0, 1, 0, 1, 0, 0, 0, 4, 0, 2, 0, 1, 0, 1, 0,
		 1, 0, 6, 0, 2, 0, 1, 0, 1, 0, 2),
	      JC(0, 3, 0, 0, 0, HANDLER, 0, 1, 0, 1, 0, 0, 0, 9, 0, 7, 0, 1, 0,
		 1, 0, 1, 0, 16, 0, HANDLER - 16, 0, 1, 0, 1, 0, 2));
	check(JC_VARIABLES, JC(0, 1, 0, 4, 0, 5, 0, 1, 0, 1, 0, 0), refused);
	check(JC_VARIABLES, JC(0, 1, 0, 4, 0, 2, 0, 1, 0, 1, 0), refused);
}

/* No path to the type, and an annotation without values */
#define EMPTY 0, 0, 1, 0, 0

static void test_annotations(void **state)
{
	const uint16_t name = JC_ANNOTATIONS;

	(void)state;
	/* a variable, a handler, new, a cast, an argument of a method's type */
	check(name, JC(0, 1, 0x40, 0, 1, 0, 4, 0, 2, 0, 1, EMPTY),
	      JC(0, 1, 0x40, 0, 1, 0, 9, 0, 7, 0, 1, EMPTY));
	check(name, JC(0, 1, 0x42, 0, 0, EMPTY), JC(0, 1, 0x42, 0, 0, EMPTY));
	check(name, JC(0, 2, 0x44, 0, 1, EMPTY, 0x47, 0, 4, 1, EMPTY),
	      JC(0, 2, 0x44, 0, 6, EMPTY, 0x47, 0, 9, 1, EMPTY));
	/* with a path, and values of all kinds, one in another */
	check(name,
	      JC(0, 1, 0x4b, 0, 6, 2, 1, 3, 0, 0, 1, 0, 2, 0, 1, 'I', 0, 1, 0,
		 1, '[', 0, 3, 'e', 0, 1, 0, 2, 'c', 0, 1, '@', 0, 1, 0, 1, 0,
		 1, 's', 0, 1),
	      JC(0, 1, 0x4b, 0, 16, 2, 1, 3, 0, 0, 1, 0, 2, 0, 1, 'I', 0, 1, 0,
		 1, '[', 0, 3, 'e', 0, 1, 0, 2, 'c', 0, 1, '@', 0, 1, 0, 1, 0,
		 1, 's', 0, 1));
	/* those that cannot be understood stay */
	check(name, JC(0, 1, 0x00, 0, EMPTY), JC(0, 1, 0x00, 0, EMPTY));
	check(name, JC(0, 1, 0x44, 0, 8, EMPTY), JC(0, 1, 0x44, 0, 8, EMPTY));
	check(name, JC(0, 2, 0x44, 0, 1, EMPTY), JC(0, 2, 0x44, 0, 1, EMPTY));
}

static void test_others(void **state)
{
	(void)state;
	check(JC_OTHER, JC(0, 4, 1), JC(0, 4, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_malformed_frames),
		cmocka_unit_test(test_far_frames),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_variables),
		cmocka_unit_test(test_annotations),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
