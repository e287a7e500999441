// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/suspend.h"

/* Threads are only distinguished by their addresses. */
static const char a, b, c;

static void a_wait_that_began_in_a_window_waits_for_its_end(void **state)
{
	struct gn_windows ws = {0};

	(void)state;
	assert_int_equal(gn_windows_until(&ws, &b, &a, 10, 20), 10);
	assert_int_equal(gn_windows_begin(&ws, &a, 100), 0);
	/* it is open: until the end of the wait */
	assert_int_equal(gn_windows_until(&ws, &b, &a, 100, 150), 150);
	assert_int_equal(gn_windows_until(&ws, &b, &a, 99, 150), 99);
	assert_int_equal(gn_windows_until(&ws, &a, &a, 110, 150), 110);
	/* woken by another thread, or by an unknown one */
	assert_int_equal(gn_windows_until(&ws, &b, &c, 110, 150), 110);
	assert_int_equal(gn_windows_until(&ws, &b, NULL, 110, 150), 110);
	gn_windows_end(&ws, &b, 160, true); /* not its own window */
	gn_windows_end(&ws, &a, 200, false);
	assert_int_equal(gn_windows_until(&ws, &b, &a, 110, 150), 150);
	assert_int_equal(gn_windows_until(&ws, &b, &a, 110, 250), 200);
	assert_int_equal(gn_windows_until(&ws, &b, &a, 199, 250), 200);
	assert_int_equal(gn_windows_until(&ws, &b, &a, 200, 250), 200);
	gn_windows_end(&ws, &a, 300, false); /* ends nothing */
	assert_int_equal(gn_windows_until(&ws, &b, &a, 210, 250), 210);
	gn_windows_free(&ws);
}

/* It is not known who will end the wait, so an open window holds it. */
static void a_wait_that_goes_on_is_held_by_an_open_window(void **state)
{
	struct gn_windows ws = {0};

	(void)state;
	assert_false(gn_windows_hold(&ws, &b, 110));
	gn_windows_begin(&ws, &a, 100);
	assert_true(gn_windows_hold(&ws, &b, 100));
	assert_false(gn_windows_hold(&ws, &b, 99));
	assert_false(gn_windows_hold(&ws, &a, 110));
	gn_windows_begin(&ws, &c, 120);
	gn_windows_end(&ws, &a, 130, false);
	assert_true(gn_windows_hold(&ws, &b, 120));
	assert_false(gn_windows_hold(&ws, &b, 110));
	gn_windows_end(&ws, &c, 140, false);
	assert_false(gn_windows_hold(&ws, &b, 120));
	gn_windows_free(&ws);
}

static void windows_nest_and_overlap(void **state)
{
	struct gn_windows ws = {0};

	(void)state;
	gn_windows_begin(&ws, &a, 100);
	gn_windows_begin(&ws, &a, 110);
	gn_windows_begin(&ws, &b, 120);
	gn_windows_end(&ws, &a, 130, false);
	assert_int_equal(ws.open, 2);
	gn_windows_end(&ws, &a, 140, false);
	assert_int_equal(ws.open, 1);
	gn_windows_end(&ws, &b, 170, false);
	/* in both: until the end of its waker's window */
	assert_int_equal(gn_windows_until(&ws, &c, &b, 125, 200), 170);
	assert_int_equal(gn_windows_until(&ws, &c, &a, 125, 200), 140);
	assert_int_equal(gn_windows_until(&ws, &c, &b, 105, 200), 105);
	assert_int_equal(gn_windows_until(&ws, &b, &a, 125, 200), 140);
	/* a thread's end ends all windows that it began */
	gn_windows_begin(&ws, &a, 300);
	gn_windows_begin(&ws, &a, 310);
	gn_windows_end(&ws, &a, 320, true);
	assert_int_equal(ws.open, 0);
	assert_int_equal(gn_windows_until(&ws, &c, &a, 305, 400), 320);
	/* an end before the begin gives an empty window */
	gn_windows_begin(&ws, &a, 500);
	gn_windows_end(&ws, &a, 400, false);
	assert_int_equal(gn_windows_until(&ws, &c, &a, 500, 600), 500);
	gn_windows_free(&ws);
}

static void a_collection_begins_in_windows(void **state)
{
	struct gn_windows ws = {0};

	(void)state;
	gn_windows_begin(&ws, &a, 100);
	gn_windows_end(&ws, &a, 200, false);
	gn_windows_collect(&ws, NULL); /* too late for it */
	assert_false(gn_windows_collected(&ws, &a, 150));
	gn_windows_begin(&ws, &a, 300);
	gn_windows_begin(&ws, &b, 310);
	gn_windows_collect(&ws, &a);
	assert_true(gn_windows_collected(&ws, &a, 300));
	assert_false(gn_windows_collected(&ws, &a, 299));
	assert_false(gn_windows_collected(&ws, &b, 320));
	gn_windows_collect(&ws, NULL);
	assert_true(gn_windows_collected(&ws, &b, 320));
	gn_windows_end(&ws, &a, 400, false);
	assert_true(gn_windows_collected(&ws, &a, 399));
	assert_false(gn_windows_collected(&ws, &a, 400));
	gn_windows_free(&ws);
}

static void windows_are_bounded(void **state)
{
	struct gn_windows ws = {0};
	uint64_t t;

	(void)state;
	gn_windows_begin(&ws, &b, 1);
	for (t = 1; t < 1000; t++) {
		assert_int_equal(gn_windows_begin(&ws, &a, 100 * t), 0);
		gn_windows_end(&ws, &a, 100 * t + 50, false);
	}
	assert_int_equal(ws.n, GN_WINDOWS_MAX);
	/* the open one was the oldest, and was dropped */
	assert_int_equal(ws.open, 0);
	gn_windows_end(&ws, &b, 100000, true);
	assert_int_equal(gn_windows_until(&ws, &c, &a, 99910, 99990), 99950);
	assert_int_equal(gn_windows_until(&ws, &c, &a, 110, 190), 110);
	gn_windows_free(&ws);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_wait_that_began_in_a_window_waits_for_its_end),
		cmocka_unit_test(a_wait_that_goes_on_is_held_by_an_open_window),
		cmocka_unit_test(windows_nest_and_overlap),
		cmocka_unit_test(a_collection_begins_in_windows),
		cmocka_unit_test(windows_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
