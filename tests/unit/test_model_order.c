// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/order.h"

static struct gn_rec at(uint64_t time, uint32_t seq)
{
	return (struct gn_rec){.time = time, .seq = seq};
}

static struct gn_order_seen collect(struct gn_order *o, uint64_t time,
				    uint32_t seq)
{
	struct gn_rec r = at(time, seq);

	return gn_order_collect(o, &r);
}

static void a_jump_is_a_loss(void **state)
{
	struct gn_order o;
	struct gn_order_seen s;
	struct gn_rec note = at(30, 7), slice = at(40, 3);

	(void)state;
	gn_order_init(&o, 0);
	s = collect(&o, 10, 1);
	assert_int_equal(s.lost, 0);
	assert_false(s.reversed || s.drop);
	/* 2, 3, 4 are missing */
	assert_int_equal(collect(&o, 20, 5).lost, 3);
	/* notes use the same count; slices have their own */
	assert_int_equal(gn_order_note(&o, &note).lost, 1);
	assert_int_equal(gn_order_slice(&o, &slice).lost, 2);
	assert_int_equal(collect(&o, 50, 8).lost, 0);
}

static void the_first_record_can_be_late(void **state)
{
	struct gn_order o;

	(void)state;
	gn_order_init(&o, 100);
	assert_int_equal(collect(&o, 100, 4).lost, 3);
}

static void time_never_goes_back(void **state)
{
	struct gn_order o;
	struct gn_order_seen s;

	(void)state;
	gn_order_init(&o, 100);
	assert_int_equal(collect(&o, 200, 1).time, 200);
	s = collect(&o, 150, 2);
	assert_true(s.reversed);
	assert_int_equal(s.time, 200);
	s = collect(&o, 50, 3);
	assert_true(s.reversed);
	assert_int_equal(s.time, 200);
	s = collect(&o, 200, 4);
	assert_false(s.reversed);
}

static void a_number_twice_is_dropped(void **state)
{
	struct gn_order o;
	struct gn_order_seen s;

	(void)state;
	gn_order_init(&o, 0);
	collect(&o, 10, 1);
	collect(&o, 20, 2);
	s = collect(&o, 30, 2);
	assert_true(s.drop && s.reversed);
	/* dropped records do not affect the time */
	assert_false(collect(&o, 25, 3).reversed);
	/* further back: the count starts again */
	s = collect(&o, 40, 1);
	assert_true(s.reversed);
	assert_false(s.drop);
	assert_int_equal(collect(&o, 50, 2).lost, 0);
}

static void numbers_wrap_and_can_be_none(void **state)
{
	struct gn_order o;

	(void)state;
	gn_order_init(&o, 0);
	o.next = UINT32_MAX;
	assert_int_equal(collect(&o, 1, UINT32_MAX).lost, 0);
	assert_int_equal(collect(&o, 2, 0).lost, 0);
	assert_int_equal(collect(&o, 3, 1).lost, 0);
	/* 0 after other numbers is a record without a number */
	assert_false(collect(&o, 4, 0).reversed);
	assert_int_equal(collect(&o, 5, 2).lost, 0);
	/* the same across the wrap */
	o.next = UINT32_MAX - 1;
	assert_int_equal(collect(&o, 6, 3).lost, 5);
}

static struct gn_rec_slice slice(uint64_t start, uint64_t end, uint8_t flags)
{
	return (struct gn_rec_slice){.h = {.time = end, .flags = flags},
				     .start = start};
}

static void slices_that_overtook_wait(void **state)
{
	struct gn_order o;
	struct gn_rec_slice a = slice(10, 20, 0);
	struct gn_rec_slice b = slice(95, 99, GN_F_IN_PROBE);
	struct gn_rec_slice c = slice(100, 110, GN_F_IN_PROBE), out;

	(void)state;
	gn_order_init(&o, 0);
	assert_false(gn_order_hold(&o, &a));
	assert_true(gn_order_hold(&o, &c));
	assert_true(gn_order_hold(&o, &b));
	/* the event has time 100: b lies before it, c begins with it */
	assert_true(gn_order_release(&o, 100, &out));
	assert_int_equal(out.start, 95);
	assert_false(gn_order_release(&o, 100, &out));
	assert_true(gn_order_release(&o, UINT64_MAX, &out));
	assert_int_equal(out.start, 100);
	assert_false(gn_order_release(&o, UINT64_MAX, &out));
	gn_order_free(&o);
}

static void held_slices_are_bounded(void **state)
{
	struct gn_order o;
	struct gn_rec_slice s = slice(100, 110, GN_F_IN_PROBE), out;
	int i;

	(void)state;
	gn_order_init(&o, 0);
	for (i = 0; i < GN_HELD_MAX; i++)
		assert_true(gn_order_hold(&o, &s));
	assert_false(gn_order_hold(&o, &s));
	for (i = 0; i < GN_HELD_MAX; i++)
		assert_true(gn_order_release(&o, 200, &out));
	assert_false(gn_order_release(&o, 200, &out));
	gn_order_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_jump_is_a_loss),
		cmocka_unit_test(the_first_record_can_be_late),
		cmocka_unit_test(time_never_goes_back),
		cmocka_unit_test(a_number_twice_is_dropped),
		cmocka_unit_test(numbers_wrap_and_can_be_none),
		cmocka_unit_test(slices_that_overtook_wait),
		cmocka_unit_test(held_slices_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
