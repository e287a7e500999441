// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/waits.h"

static struct gn_wait row(uint32_t fn, uint16_t reason, uint32_t waker,
			  uint64_t ns)
{
	return (struct gn_wait){
		.fn = fn,
		.class = GN_CLASS_LOCK,
		.reason = reason,
		.waker = waker,
		.waker_fn = waker ? 1 : GN_NONE,
		.waker_name = waker ? "waker" : NULL,
		.ns = ns,
		.longest = ns,
		.count = 1,
	};
}

static void add(struct gn_waits *w, struct gn_wait r)
{
	assert_int_equal(gn_waits_add(w, &r), 0);
}

static uint64_t total(const struct gn_wait *rows, uint32_t n, uint64_t *count)
{
	uint64_t ns = 0;
	uint32_t i;

	for (i = 0, *count = 0; i < n; i++) {
		ns += rows[i].ns;
		*count += rows[i].count;
	}
	return ns;
}

static void rows_of_one_kind_are_one(void **state)
{
	struct gn_waits w = {0};

	(void)state;
	add(&w, row(1, 202, 7, 10));
	add(&w, row(1, 202, 7, 30));
	add(&w, row(1, 202, 7, 20));
	assert_int_equal(w.n, 1);
	assert_int_equal(w.rows[0].ns, 60);
	assert_int_equal(w.rows[0].count, 3);
	assert_int_equal(w.rows[0].longest, 30);
	/* everything that distinguishes rows */
	add(&w, row(2, 202, 7, 1));
	add(&w, row(1, 203, 7, 1));
	add(&w, row(1, 202, 8, 1));
	add(&w, row(1, 202, 0, 1));
	assert_int_equal(w.n, 5);
	gn_waits_free(&w);
}

/* Wakers are merged first, then reasons; no time is lost. */
static void rows_are_bounded(void **state)
{
	struct gn_waits w = {0};
	uint64_t count;
	uint32_t i;

	(void)state;
	for (i = 1; i <= GN_WAITS_MAX + 1000; i++)
		add(&w, row(1, 202, i, 2));
	assert_int_equal(w.n, GN_WAITS_MAX + 1);
	assert_int_equal(w.rows[w.n - 1].waker, 0);
	assert_null(w.rows[w.n - 1].waker_name);
	assert_int_equal(w.rows[w.n - 1].count, 1000);
	/* an existing row still takes its own */
	add(&w, row(1, 202, 5, 2));
	assert_int_equal(w.n, GN_WAITS_MAX + 1);
	for (i = 0; i < 3 * GN_WAITS_MAX; i++)
		add(&w, row(1 + i / 50000, (uint16_t)(i % 50000), i + 1, 2));
	assert_true(w.n <= GN_REASONS_MAX + 4);
	assert_int_equal(w.rows[w.n - 1].reason, GN_NO_SYSCALL);
	assert_int_equal(total(w.rows, w.n, &count),
			 2 * (4 * GN_WAITS_MAX + 1001));
	assert_int_equal(count, 4 * GN_WAITS_MAX + 1001);
	gn_waits_free(&w);
}

static void an_open_intervals_rows_are_bounded(void **state)
{
	struct gn_wait_list l = {0};
	struct gn_waits w = {0};
	uint64_t count;
	uint32_t i;

	(void)state;
	for (i = 0; i < 10000; i++) {
		struct gn_wait r = row(99, (uint16_t)i, i, 1);

		r.class = GN_CLASS_DISK + i % 4;
		assert_int_equal(gn_wait_list_add(&l, &r), 0);
	}
	assert_int_equal(l.n, GN_WAIT_OPEN_MAX + 4);
	assert_int_equal(gn_wait_list_flush(&l, &w, 3), 0);
	assert_int_equal(l.n, 0);
	assert_int_equal(total(w.rows, w.n, &count), 10000);
	assert_int_equal(count, 10000);
	for (i = 0; i < w.n; i++)
		assert_int_equal(w.rows[i].fn, 3);
	gn_waits_free(&w);
	gn_wait_list_free(&l);
}

static void ids_of_one_function_are_merged(void **state)
{
	static const uint32_t function_of[] = {0, 1, 1, 0};
	struct gn_model m = {0};
	struct gn_waits w = {0};

	(void)state;
	add(&w, row(1, 202, 7, 10));
	add(&w, row(2, 202, 7, 30));
	add(&w, row(0, 35, 0, 50));
	add(&w, row(0, 202, 0, 60));
	add(&w, row(GN_NONE, 35, 0, 1));
	assert_int_equal(gn_waits_build(&w, function_of, &m), 0);
	gn_waits_order(&m);
	assert_int_equal(m.nwaits, 4);
	assert_int_equal(m.waits[0].function, -1);
	assert_string_equal(m.waits[0].waker_name, "");
	/* the longer time comes first */
	assert_int_equal(m.waits[1].function, 0);
	assert_int_equal(m.waits[1].ns, 60);
	assert_int_equal(m.waits[2].ns, 50);
	assert_int_equal(m.waits[2].waker_function, -1);
	assert_int_equal(m.waits[3].function, 1);
	assert_int_equal(m.waits[3].ns, 40);
	assert_int_equal(m.waits[3].count, 2);
	assert_int_equal(m.waits[3].longest, 30);
	assert_int_equal(m.waits[3].waker_function, 1);
	assert_string_equal(m.waits[3].waker_name, "waker");
	free(m.waits);
	gn_waits_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_one_kind_are_one),
		cmocka_unit_test(rows_are_bounded),
		cmocka_unit_test(an_open_intervals_rows_are_bounded),
		cmocka_unit_test(ids_of_one_function_are_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
