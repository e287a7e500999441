// SPDX-License-Identifier: BSD-2-Clause
/* Functions that are no longer seen: their time belongs to their callers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_feed.h"

#define CLR(index) GN_FUNC(GN_RUNTIME_CLR, index)

/* f1 calls f2, which calls f3, at 100, 200 and 300; a period ends at 1000. */
static struct feed three_frames(void)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);

	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_event(&f, 200, 1, GN_KIND_ENTER, 2, 790, 0);
	feed_event(&f, 300, 1, GN_KIND_ENTER, 3, 780, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	return f;
}

static void in_the_middle(void **state)
{
	struct feed f = three_frames();
	struct gn_model *m;

	(void)state;
	m = feed_period(&f);
	assert_false(function_in(m, "f2")->muted);
	gn_model_free(m);
	feed_mute(&f, 1000, 2, 0);
	feed_event(&f, 1400, 1, GN_KIND_LEAVE, 3, 780, 0);
	/* records that were made before the muting took effect */
	feed_event(&f, 1500, 1, GN_KIND_LEAVE, 2, 790, 0);
	feed_event(&f, 1600, 1, GN_KIND_ENTER, 2, 790, 0);
	feed_event(&f, 1700, 1, GN_KIND_TAILCALL, 2, 790, 0);
	feed_event(&f, 1800, 1, GN_KIND_LEAVE, 1, 800, 0);
	m = feed_period(&f);
	assert_true(function_in(m, "f2")->muted);
	assert_false(function_in(m, "f1")->muted);
	assert_int_equal(values_of(m, "f2")->calls, 0);
	assert_int_equal(values_of(m, "f2")->elapsed_incl, 0);
	assert_int_equal(values_of(m, "f2")->finished, 0);
	assert_int_equal(values_of(m, "f3")->elapsed_incl, 400);
	assert_int_equal(values_of(m, "f3")->max, 1100);
	assert_int_equal(values_of(m, "f1")->elapsed_incl, 800);
	assert_int_equal(values_of(m, "f1")->elapsed_excl, 400);
	assert_int_equal(values_of(m, "f1")->max, 1700);
	assert_int_equal(m->checks.unmatched_leaves, 0);
	assert_int_equal(m->checks.unwound_frames, 0);
	/* it is below f1 now */
	assert_string_equal(name_in(m, m->edges[1].caller), "f1");
	assert_string_equal(name_in(m, m->edges[1].callee), "f3");
	assert_int_equal(m->edges[1].v.elapsed_incl, 400);
	gn_model_free(m);
	m = feed_finish(&f);
	assert_int_equal(m->checks.open_frames, 0);
	gn_model_free(m);
}

static void on_top_and_at_the_bottom(void **state)
{
	struct feed f = three_frames();
	struct gn_model *m;

	(void)state;
	gn_model_free(feed_period(&f));
	feed_mute(&f, 1000, 3, 0);
	feed_mute(&f, 1000, 1, 0);
	feed_mute(&f, 1000, 1, 0);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_stack(m, 1, "f2");
	assert_int_equal(values_of(m, "f2")->elapsed_excl, 1000);
	assert_int_equal(values_of(m, "f1")->elapsed_incl, 0);
	gn_model_free(m);
	feed_mute(&f, 2000, 2, 0);
	feed_now(&f, 3000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_stack(m, 1, "");
	assert_int_equal(thread_in(m, 1)->v.elapsed_excl, 0);
	assert_int_equal(thread_in(m, 1)->elapsed, 1000);
	gn_model_free(m);
	m = feed_finish(&f);
	assert_int_equal(m->checks.unwound_frames, 0);
	assert_int_equal(m->checks.open_frames, 0);
	gn_model_free(m);
}

/* In the period of the muting, its calls count, but have no end. */
static void its_calls_stay(void **state)
{
	struct feed f = three_frames();
	struct gn_model *m;

	(void)state;
	feed_mute(&f, 1000, 2, 0);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f2")->calls, 1);
	assert_int_equal(values_of(m, "f2")->finished, 0);
	assert_int_equal(values_of(m, "f2")->unwound, 0);
	assert_stack(m, 1, "f1 f3");
	gn_model_free(m);
	m = feed_finish(&f);
	/* from now on it is in each model */
	assert_true(function_in(m, "f2")->muted);
	gn_model_free(m);
}

static void recursive_frames(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 2, 800, 0);
	feed_event(&f, 200, 1, GN_KIND_ENTER, 1, 790, 0);
	feed_event(&f, 300, 1, GN_KIND_ENTER, 2, 780, 0);
	feed_event(&f, 350, 1, GN_KIND_JIT_BEGIN, 0, 0, 0);
	feed_event(&f, 400, 1, GN_KIND_ENTER, 2, 770, 0);
	feed_event(&f, 500, 1, GN_KIND_ENTER, 3, 760, 0);
	feed_mute(&f, 600, 2, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_stack(m, 1, "f1 f3");
	gn_model_free(m);
	/* the compilation began above f1, which is still open */
	feed_event(&f, 1100, 1, GN_KIND_LEAVE, 3, 760, 0);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_stack(m, 1, "f1");
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_JIT], 1000);
	assert_int_equal(thread_in(m, 1)->live->doing, GN_CLASS_JIT);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* The same id means another function in each process. */
static void of_one_process(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;
	uint32_t i;

	(void)state;
	for (i = 1; i <= 3; i++) {
		feed_thread(&f, 0, i, GN_KIND_THREAD, i, 0);
		feed_event(&f, 100, i, GN_KIND_ENTER, CLR(5), 800, 0);
	}
	feed_mute(&f, 200, CLR(5), 1);
	feed_mute(&f, 200, CLR(5), 77);
	for (i = 1; i <= 3; i++)
		feed_now(&f, 1000, i, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_stack(m, 1, "");
	assert_stack(m, 2, "[func 0x10000005]");
	assert_stack(m, 3, "[func 0x10000005]");
	gn_model_free(m);
	for (i = 1; i <= 2; i++)
		feed_event(&f, 1100, i, GN_KIND_ENTER, CLR(5), 790, 0);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->v.calls, 0);
	assert_int_equal(thread_in(m, 2)->v.calls, 1);
	gn_model_free(m);
	/* process 0: in all processes */
	feed_mute(&f, 1200, CLR(5), 0);
	m = feed_period(&f);
	for (i = 1; i <= 3; i++)
		assert_stack(m, i, "");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* The runtime reports its exceptions whatever is muted. */
static void unwinds(void **state)
{
	struct feed f = three_frames();
	struct gn_model *m;

	(void)state;
	/* one was open */
	feed_event(&f, 1000, 1, GN_KIND_UNWIND_BEGIN, 3, 0, 0);
	feed_mute(&f, 1000, 3, 0);
	feed_event(&f, 1100, 1, GN_KIND_UNWIND_END, 0, 0, 0);
	feed_event(&f, 1200, 1, GN_KIND_UNWIND_BEGIN, 3, 0, 0);
	feed_event(&f, 1300, 1, GN_KIND_UNWIND_END, 0, 0, 0);
	feed_event(&f, 1400, 1, GN_KIND_UNWIND_BEGIN, 2, 0, 0);
	feed_event(&f, 1500, 1, GN_KIND_UNWIND_END, 0, 0, 0);
	m = feed_period(&f);
	assert_stack(m, 1, "f1");
	assert_int_equal(m->checks.unmatched_unwinds, 0);
	assert_int_equal(m->checks.unwound_frames, 1);
	assert_int_equal(values_of(m, "f3")->unwound, 0);
	assert_int_equal(values_of(m, "f2")->unwound, 1);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_the_middle),
		cmocka_unit_test(on_top_and_at_the_bottom),
		cmocka_unit_test(its_calls_stay),
		cmocka_unit_test(recursive_frames),
		cmocka_unit_test(of_one_process),
		cmocka_unit_test(unwinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
