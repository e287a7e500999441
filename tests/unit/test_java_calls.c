/* SPDX-License-Identifier: BSD-2-Clause */
/* Open calls of a thread in the library for Java. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "hooksite/java/calls.h"

#define TOLD 64

/* What gnomon is told: a letter, the method, and the depth. */
static struct {
	char kind[TOLD];
	uint32_t index[TOLD], depth[TOLD];
	size_t n;
} told;

static void tell(char kind, uint64_t index, uint64_t key)
{
	assert_true(told.n < TOLD);
	told.kind[told.n] = kind;
	told.index[told.n] = (uint32_t)index;
	told.depth[told.n++] = (uint32_t)(gn_call_key(0) - key);
}

#define TELL(name, kind)                               \
	static void name(uint64_t index, uint64_t key) \
	{                                              \
		tell(kind, index, key);                \
	}

TELL(enter, 'e')
TELL(leave, 'l')
TELL(resumed, 'r')
TELL(suspended, 's')

static const struct gn_call_hooks hooks = {.enter = enter,
					   .leave = leave,
					   .resumed = resumed,
					   .suspended = suspended};

static void expect(size_t at, char kind, uint32_t index, int depth)
{
	assert_true(at < told.n);
	assert_int_equal(told.kind[at], kind);
	assert_int_equal(told.index[at], index);
	assert_int_equal((int32_t)told.depth[at], depth);
}

static int begin(void **state)
{
	(void)state;
	told.n = 0;
	return 0;
}

static void nested(void **state)
{
	struct gn_java_calls c = {.at = NULL};

	(void)state;
	gn_java_calls_enter(&c, 7, &hooks);
	gn_java_calls_enter(&c, 7, &hooks);
	gn_java_calls_leave(&c, 7, &hooks);
	gn_java_calls_leave(&c, 7, &hooks);
	assert_int_equal(told.n, 4);
	expect(1, 'e', 7, 1);
	expect(2, 'l', 7, 1);
	expect(3, 'l', 7, 0);
	free(c.at);
}

/* An end that no hook saw ends with the caller; one of a call from before is
 * not told. */
static void healed(void **state)
{
	struct gn_java_calls c = {.at = NULL};

	(void)state;
	gn_java_calls_leave(&c, 3, &hooks);
	assert_int_equal(told.n, 0);
	gn_java_calls_enter(&c, 1, &hooks);
	gn_java_calls_enter(&c, 2, &hooks);
	gn_java_calls_leave(&c, 9, &hooks);
	assert_int_equal(c.n, 2);
	gn_java_calls_leave(&c, 1, &hooks);
	assert_int_equal(told.n, 3);
	expect(2, 'l', 1, 0);
	assert_int_equal(c.n, 0);
	free(c.at);
}

/* The calls of a virtual thread go on above those of another thread. */
static void moved(void **state)
{
	struct gn_java_calls a = {.at = NULL}, b = {.at = NULL};
	struct gn_java_resting *r;

	(void)state;
	gn_java_calls_enter(&a, 1, &hooks);
	gn_java_calls_go_on(&a, NULL, &hooks);
	gn_java_calls_enter(&a, 2, &hooks);
	gn_java_calls_enter(&a, 3, &hooks);
	/* a call below belongs to the thread that carries it */
	gn_java_calls_leave(&a, 1, &hooks);
	assert_int_equal(a.n, 3);
	r = gn_java_calls_rest(&a, &hooks);
	assert_non_null(r);
	expect(3, 's', 3, 1);
	expect(4, 's', 2, 0);
	assert_int_equal(a.n, 1);
	gn_java_calls_leave(&a, 1, &hooks);
	expect(5, 'l', 1, 0);
	gn_java_calls_enter(&b, 8, &hooks);
	gn_java_calls_enter(&b, 9, &hooks);
	gn_java_calls_go_on(&b, r, &hooks);
	expect(8, 'r', 2, 2);
	expect(9, 'r', 3, 3);
	gn_java_calls_leave(&b, 3, &hooks);
	expect(10, 'l', 3, 3);
	free(r);
	free(a.at);
	free(b.at);
}

/* A deep recursion. */
static void deep(void **state)
{
	struct gn_java_calls c = {.at = NULL};

	(void)state;
	assert_int_equal(gn_grow(&c.at, &c.room, 100000, sizeof(*c.at)), 0);
	assert_true(c.room >= 100000);
	assert_null(gn_java_calls_rest(&c, &hooks));
	free(c.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nested, begin),
		cmocka_unit_test_setup(healed, begin),
		cmocka_unit_test_setup(moved, begin),
		cmocka_unit_test_setup(deep, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
