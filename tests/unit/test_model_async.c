// SPDX-License-Identifier: BSD-2-Clause
/* Async methods of abnormal programs. tests/streams has the normal ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "model_lives.h"

/* With tables this takes half a second of CPU time, with a search in lists
 * 40. */
#define MANY 200000u
#define MOST (10 * CLOCKS_PER_SEC)

static void assert_fast(void (*feed)(struct feed *f, uint32_t i), size_t rows,
			size_t awaits)
{
	struct feed f = begin(false);
	clock_t before = clock();
	struct gn_model *m;

	for (uint32_t i = 1; i <= MANY; i++)
		feed(&f, i);
	m = feed_finish(&f);
	assert_int_equal(m->nasyncs, rows);
	assert_int_equal(m->asyncs[0].nawaits, awaits);
	gn_model_free(m);
	assert_in_range(clock() - before, 0, MOST);
}

static void suspend_in_state(struct feed *f, uint32_t i)
{
	feed_event(f, i, 1, GN_KIND_ASYNC_SUSPENDS, CLR(1), i, 0);
}

static void suspend_method(struct feed *f, uint32_t i)
{
	feed_event(f, i, 1, GN_KIND_ASYNC_SUSPENDS, CLR(i), 0, 0);
}

static void many_states_take_no_longer_each(void **state)
{
	(void)state;
	assert_fast(suspend_in_state, 1, MANY);
}

static void many_methods_take_no_longer_each(void **state)
{
	(void)state;
	assert_fast(suspend_method, MANY, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_states_take_no_longer_each),
		cmocka_unit_test(many_methods_take_no_longer_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
