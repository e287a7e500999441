// SPDX-License-Identifier: BSD-2-Clause
/* Rows of functions with the same name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_lives.h"

static void call(struct feed *f, uint64_t time, uint32_t func)
{
	feed_event(f, time, 1, GN_KIND_ENTER, func, 0x100, 0);
	feed_event(f, time + 1, 1, GN_KIND_LEAVE, func, 0x100, 0);
}

/* One instance of a generic method was called, another one was inlined. */
static void copies_of_any_instance_mark_the_row(void **state)
{
	struct feed f = begin(false);
	const struct gn_model_function *list;
	struct gn_model *m;

	(void)state;
	feed_name(&f, 1, CLR(1), 1, "List<T>.Add(T)");
	feed_name(&f, 1, CLR(2), 1, "List<T>.Add(T)");
	feed_name(&f, 1, CLR(3), 1, "List<T>.Clear()");
	feed_name(&f, 1, CLR(4), 1, "List<T>.Count()");
	call(&f, 10, CLR(1));
	call(&f, 20, CLR(3));
	feed_event(&f, 30, 1, GN_KIND_INLINED, CLR(2), 0, 0);
	feed_event(&f, 31, 1, GN_KIND_INLINED, CLR(4), 0, 0);
	end_thread(&f, 40, 1);
	m = feed_finish(&f);
	list = function_in(m, "List<T>.Add(T)");
	assert_non_null(list);
	assert_int_equal(list->v.calls, 1);
	assert_true(list->v.inlined);
	assert_false(values_of(m, "List<T>.Clear()")->inlined);
	/* without a call there is no row */
	assert_null(function_in(m, "List<T>.Count()"));
	assert_int_equal(m->code.ninlined, 2);
	gn_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_of_any_instance_mark_the_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
