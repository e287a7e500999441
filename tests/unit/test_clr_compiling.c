// SPDX-License-Identifier: BSD-2-Clause
/* Which compilations of a thread are over although no end was reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hooksite/clr/compiling.h"

#define TOP 0x7fff00000000

static uint32_t begins(struct gn_compiling *c, uint64_t depth, uint32_t index)
{
	struct gn_compiling_one over;
	uint32_t n = 0;

	while (gn_compiling_over(c, TOP - depth, 100 + index, &over))
		n++;
	gn_compiling_begins(c, TOP - depth, 100 + index, index);
	return n;
}

static void one_after_the_other(void **state)
{
	struct gn_compiling c = {.n = 0};
	struct gn_compiling_one one;

	(void)state;
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(begins(&c, 5000, i), 0);
		assert_true(gn_compiling_ends(&c, 100 + i, &one));
		assert_int_equal(one.index, i);
		assert_int_equal(c.n, 0);
	}
	assert_false(gn_compiling_ends(&c, 100, &one));
}

/* A compilation runs another one that it needs, far below it on the stack. */
static void in_each_other(void **state)
{
	struct gn_compiling c = {.n = 0};
	struct gn_compiling_one one;

	(void)state;
	assert_int_equal(begins(&c, 5000, 1), 0);
	assert_int_equal(begins(&c, 15000, 2), 0);
	assert_int_equal(begins(&c, 25000, 3), 0);
	for (uint32_t i = 3; i; i--) {
		assert_true(gn_compiling_ends(&c, 100 + i, &one));
		assert_int_equal(one.index, i);
	}
	assert_int_equal(c.n, 0);
}

/* A compilation began in a session; its end can come when nobody listens. */
static void in_another_session(void **state)
{
	struct gn_compiling c = {.n = 0};
	struct gn_compiling_one one;

	(void)state;
	gn_compiling_in(&c, 1);
	assert_int_equal(begins(&c, 5000, 1), 0);
	gn_compiling_in(&c, 1);
	assert_int_equal(c.n, 1);
	gn_compiling_in(&c, 2);
	assert_int_equal(begins(&c, 5000, 2), 0);
	assert_true(gn_compiling_ends(&c, 102, &one));
	assert_int_equal(one.index, 2);
	assert_int_equal(c.n, 0);
}

/* A begin at about the same depth as an open compilation, or less: that one
 * threw. */
static void thrown(void **state)
{
	static const uint64_t depths[] = {4000, 5000, 5500};
	struct gn_compiling_one one;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct gn_compiling c = {.n = 0};

		begins(&c, 5000, 1);
		assert_int_equal(begins(&c, depths[i], 2), 1);
		assert_true(gn_compiling_ends(&c, 102, &one));
		assert_int_equal(c.n, 0);
	}
}

/* A method that threw is compiled again when it is tried again, at any
 * depth. */
static void thrown_again(void **state)
{
	struct gn_compiling c = {.n = 0};

	(void)state;
	begins(&c, 5000, 1);
	assert_int_equal(begins(&c, 50000, 1), 1);
	assert_int_equal(c.n, 1);
}

/* The end of an outer compilation shows that inner ones are over. */
static void thrown_within(void **state)
{
	struct gn_compiling c = {.n = 0};
	struct gn_compiling_one one;

	(void)state;
	begins(&c, 5000, 1);
	begins(&c, 15000, 2);
	gn_compiling_hooks(&c);
	assert_true(gn_compiling_ends(&c, 101, &one));
	assert_int_equal(one.index, 2);
	assert_true(one.hooks);
	assert_true(gn_compiling_ends(&c, 101, &one));
	assert_int_equal(one.index, 1);
	assert_false(one.hooks);
	assert_int_equal(c.n, 0);
}

/* Each is deeper than the one before: the oldest cannot all be open. */
static void too_many(void **state)
{
	struct gn_compiling c = {.n = 0};
	uint32_t over = 0;

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		over += begins(&c, 5000 * i, i);
	assert_int_equal(over, 100 - GN_COMPILING_MAX);
	assert_int_equal(c.n, GN_COMPILING_MAX);
	assert_int_equal(c.one[0].index, 100 - GN_COMPILING_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_after_the_other),
		cmocka_unit_test(in_each_other),
		cmocka_unit_test(in_another_session),
		cmocka_unit_test(thrown),
		cmocka_unit_test(thrown_again),
		cmocka_unit_test(thrown_within),
		cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
