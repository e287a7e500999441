// SPDX-License-Identifier: BSD-2-Clause
/* Periods of the live view: times that continue across their ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_feed.h"

/* f1 sleeps from 100 to 2650, periods end at 1000, 2000 and 3000. */
static void a_sleep_is_in_each_period(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 50, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 100);
	m = feed_period(&f);
	assert_int_equal(m->start, 0);
	assert_int_equal(m->end, 1000);
	assert_int_equal(thread_in(m, 1)->elapsed, 1000);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SLEEP], 900);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_APP], 100);
	assert_int_equal(values_of(m, "f1")->calls, 1);
	assert_int_equal(values_of(m, "f1")->elapsed_incl, 950);
	assert_int_equal(values_of(m, "f1")->app_incl, 50);
	assert_int_equal(values_of(m, "f1")->finished, 0);
	assert_int_equal(thread_in(m, 1)->live->state, GN_THREAD_WAITING);
	assert_int_equal(thread_in(m, 1)->live->doing, GN_CLASS_SLEEP);
	assert_int_equal(thread_in(m, 1)->live->reason, FEED_FUTEX);
	/* not over: it does not count, but has this time so far */
	assert_int_equal(wait_in(m, GN_CLASS_SLEEP).ns, 900);
	assert_int_equal(wait_in(m, GN_CLASS_SLEEP).count, 0);
	assert_int_equal(wait_in(m, GN_CLASS_SLEEP).longest, 900);
	gn_model_free(m);

	feed_now(&f, 2000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 100);
	m = feed_period(&f);
	assert_int_equal(m->start, 1000);
	assert_int_equal(thread_in(m, 1)->start, 1000);
	assert_int_equal(thread_in(m, 1)->end, 2000);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SLEEP], 1000);
	assert_int_equal(values_of(m, "f1")->calls, 0);
	assert_int_equal(values_of(m, "f1")->elapsed_incl, 1000);
	assert_int_equal(values_of(m, "f1")->app_incl, 0);
	assert_int_equal(wait_in(m, GN_CLASS_SLEEP).longest, 1900);
	gn_model_free(m);

	feed_slice(&f, 100, 2650, 1, GN_CLASS_SLEEP, 0, false);
	feed_event(&f, 2700, 1, GN_KIND_LEAVE, 1, 800, 2550);
	feed_now(&f, 3000, 1, GN_CPU_ON, GN_CLASS_APP, 2650);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SLEEP], 650);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_APP], 350);
	assert_int_equal(values_of(m, "f1")->elapsed_incl, 700);
	assert_int_equal(values_of(m, "f1")->app_incl, 50);
	/* the whole call, across all periods */
	assert_int_equal(values_of(m, "f1")->finished, 1);
	assert_int_equal(values_of(m, "f1")->min, 2650);
	assert_int_equal(values_of(m, "f1")->max, 2650);
	assert_int_equal(wait_in(m, GN_CLASS_SLEEP).ns, 650);
	assert_int_equal(wait_in(m, GN_CLASS_SLEEP).count, 1);
	assert_int_equal(wait_in(m, GN_CLASS_SLEEP).longest, 2550);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void a_run_is_in_each_period(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;
	uint64_t i;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 0, 1, GN_KIND_ENTER, 1, 800, 0);
	for (i = 1; i <= 3; i++) {
		feed_now(&f, i * 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
		m = feed_period(&f);
		assert_int_equal(thread_in(m, 1)->elapsed, 1000);
		assert_int_equal(values_of(m, "f1")->app_excl, 1000);
		assert_int_equal(share_in(m, 1, "f1")->app, 1000);
		assert_int_equal(share_in(m, 1, "f1")->calls, i == 1);
		assert_int_equal(thread_in(m, 1)->live->state,
				 GN_THREAD_RUNNING);
		assert_int_equal(thread_in(m, 1)->live->doing, GN_CLASS_APP);
		assert_stack(m, 1, "f1");
		gn_model_free(m);
	}
	feed_event(&f, 3500, 1, GN_KIND_EXIT, 0, 0, 0);
	m = feed_finish(&f);
	assert_int_equal(thread_in(m, 1)->elapsed, 500);
	assert_int_equal(thread_in(m, 1)->live->state, GN_THREAD_ENDED);
	assert_int_equal(values_of(m, "f1")->unwound, 1);
	gn_model_free(m);
}

/* It waits from 100, is woken at 900 and runs from 1100. */
static void a_woken_thread_waits_for_a_cpu(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_now_woken(&f, 1000, 1, GN_CPU_WOKEN, GN_CLASS_LOCK, 100, 900);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_LOCK], 800);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_RUNQUEUE], 100);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_APP], 100);
	assert_int_equal(thread_in(m, 1)->live->state, GN_THREAD_RUNNABLE);
	assert_int_equal(thread_in(m, 1)->live->doing, GN_CLASS_RUNQUEUE);
	gn_model_free(m);
	feed_slice(&f, 100, 900, 1, GN_CLASS_LOCK, 2, false);
	feed_slice(&f, 900, 1100, 1, GN_CLASS_RUNQUEUE, 0, false);
	feed_event(&f, 1200, 1, GN_KIND_EXIT, 0, 0, 1000);
	m = feed_finish(&f);
	assert_int_equal(thread_in(m, 1)->elapsed, 200);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_LOCK], 0);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_RUNQUEUE], 100);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_APP], 100);
	/* the wait counts now; its time was reported before */
	assert_int_equal(wait_in(m, GN_CLASS_LOCK).ns, 0);
	assert_int_equal(wait_in(m, GN_CLASS_LOCK).count, 1);
	assert_int_equal(wait_in(m, GN_CLASS_LOCK).longest, 800);
	gn_model_free(m);
}

static void runnable_threads(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_thread(&f, 0, 2, GN_KIND_THREAD, 1, 0);
	feed_now(&f, 1000, 1, GN_CPU_QUEUED, GN_CLASS_APP, 400);
	feed_now(&f, 1000, 2, GN_CPU_UNKNOWN, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_RUNQUEUE], 600);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_APP], 400);
	assert_int_equal(thread_in(m, 1)->live->state, GN_THREAD_RUNNABLE);
	assert_int_equal(thread_in(m, 2)->classes[GN_CLASS_RUNQUEUE], 1000);
	assert_int_equal(thread_in(m, 2)->live->state, GN_THREAD_RUNNABLE);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void kernel_work_that_goes_on(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_FAULT, 700);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_FAULT], 300);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_APP], 600);
	assert_int_equal(thread_in(m, 1)->live->state, GN_THREAD_RUNNING);
	assert_int_equal(thread_in(m, 1)->live->doing, GN_CLASS_FAULT);
	gn_model_free(m);
	feed_slice(&f, 700, 1200, 1, GN_CLASS_FAULT, 0, false);
	feed_event(&f, 1500, 1, GN_KIND_LEAVE, 1, 800, 500);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_SYSCALL, 1800);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_FAULT], 200);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_APP], 300);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SYSCALL], 200);
	assert_int_equal(thread_in(m, 1)->live->reason, FEED_FUTEX);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* Thread 2 suspends from 300 to 1600; thread 1 waits from 400 to 1800. */
static void a_suspension_goes_on(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_thread(&f, 0, 2, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 300, 2, GN_KIND_SUSPEND_BEGIN, 0, 0, 0);
	feed_now(&f, 1000, 1, GN_CPU_WAITING, GN_CLASS_LOCK, 400);
	feed_now(&f, 1000, 2, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SUSPEND], 600);
	assert_int_equal(thread_in(m, 1)->live->state, GN_THREAD_WAITING);
	assert_int_equal(thread_in(m, 1)->live->doing, GN_CLASS_SUSPEND);
	gn_model_free(m);
	feed_event(&f, 1600, 2, GN_KIND_SUSPEND_END, 0, 0, 0);
	/* it is over, but did not end the wait, which has another reason */
	feed_now(&f, 1700, 1, GN_CPU_WAITING, GN_CLASS_LOCK, 400);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SUSPEND], 0);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_LOCK], 700);
	assert_int_equal(thread_in(m, 1)->live->doing, GN_CLASS_LOCK);
	gn_model_free(m);
	feed_slice(&f, 400, 1800, 1, GN_CLASS_LOCK, 2, false);
	feed_event(&f, 2000, 1, GN_KIND_EXIT, 0, 0, 1400);
	m = feed_finish(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SUSPEND], 0);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_LOCK], 100);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_APP], 200);
	assert_int_equal(wait_in(m, GN_CLASS_SUSPEND).longest, 1200);
	gn_model_free(m);
}

static void recursion_goes_on(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_event(&f, 200, 1, GN_KIND_ENTER, 2, 790, 0);
	feed_event(&f, 300, 1, GN_KIND_ENTER, 1, 780, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->elapsed_incl, 900);
	assert_int_equal(values_of(m, "f1")->elapsed_excl, 800);
	assert_stack(m, 1, "f1 f2 f1");
	gn_model_free(m);
	feed_event(&f, 1300, 1, GN_KIND_LEAVE, 1, 780, 0);
	feed_event(&f, 1400, 1, GN_KIND_LEAVE, 2, 790, 0);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(m->nnodes, 5);
	assert_int_equal(values_of(m, "f1")->calls, 0);
	assert_int_equal(values_of(m, "f1")->elapsed_incl, 1000);
	assert_int_equal(values_of(m, "f1")->elapsed_excl, 900);
	assert_int_equal(values_of(m, "f1")->max, 1000);
	assert_int_equal(values_of(m, "f2")->max, 1200);
	assert_stack(m, 1, "f1");
	gn_model_free(m);
	feed_now(&f, 3000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	/* nodes that nothing is in any more are removed */
	assert_int_equal(m->nnodes, 3);
	assert_int_equal(m->nfunctions, 1);
	gn_model_free(m);
	feed_event(&f, 3100, 1, GN_KIND_LEAVE, 1, 800, 0);
	m = feed_finish(&f);
	assert_int_equal(values_of(m, "f1")->max, 3000);
	assert_int_equal(m->checks.open_frames, 0);
	gn_model_free(m);
}

/* The cost of the probe that began the interval is subtracted where there is
 * room. */
static void probe_cost_is_taken_out_once(void **state)
{
	struct gn_rec_cost cost = {.h = {.kind = GN_KIND_COST},
				   .id = GN_PROBE_MANAGED,
				   .samples = 10,
				   .before_ns = 30,
				   .after_ns = 70};
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	uint32_t managed = GN_FUNC(GN_RUNTIME_CLR, 1);
	struct gn_model *m;

	(void)state;
	feed_rec(&f, &cost, sizeof(cost));
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 980, 1, GN_KIND_ENTER, managed, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(m->probe_cost, 30 + 20);
	assert_int_equal(m->probe_cost_left, 0);
	assert_int_equal(m->costs[GN_PROBE_MANAGED].hits, 1);
	assert_int_equal(thread_in(m, 1)->elapsed, 950);
	gn_model_free(m);
	feed_event(&f, 1500, 1, GN_KIND_LEAVE, managed, 800, 0);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(m->probe_cost, 50 + 30 + 70);
	assert_int_equal(m->costs[GN_PROBE_MANAGED].hits, 1);
	assert_int_equal(m->functions[0].v.elapsed_excl, 500 - 50 - 30);
	assert_int_equal(m->functions[0].v.max, 520 - 70 - 30);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* An interval that contains any OS event has no application time. */
static void the_interval_rule(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_INTERVAL);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->app_excl, 900);
	gn_model_free(m);
	feed_now(&f, 2000, 1, GN_CPU_WAITING, GN_CLASS_NET, 1990);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->app_excl, 0);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_APP], 990);
	gn_model_free(m);
	feed_slice(&f, 1990, 2100, 1, GN_CLASS_NET, 0, false);
	feed_event(&f, 2500, 1, GN_KIND_LEAVE, 1, 800, 110);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->app_excl, 0);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void what_is_not_live_ignores_now(void **state)
{
	struct feed f = {.p = gn_pipeline_new(&(struct gn_pipeline_opts){0})};
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 0);
	feed_event(&f, 200, 1, GN_KIND_LEAVE, 1, 800, 0);
	m = feed_finish(&f);
	assert_int_equal(m->end, 200);
	assert_int_equal(thread_in(m, 1)->elapsed, 200);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SLEEP], 0);
	assert_null(thread_in(m, 1)->live);
	gn_model_free(m);
}

static void a_period_of_nothing(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m, *other;

	(void)state;
	m = feed_period(&f);
	assert_int_equal(m->nthreads, 0);
	assert_int_equal(m->nnodes, 1);
	feed_now(&f, 10, 9, GN_CPU_ON, GN_CLASS_APP, 0);
	other = feed_period(&f);
	assert_int_equal(other->nthreads, 0);
	gn_model_free(other);
	other = feed_finish(&f);
	/* each is independent */
	gn_model_free(m);
	gn_model_free(other);
}

static void a_model_outlives_its_pipeline(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	feed_event(&f, 1200, 1, GN_KIND_ENTER, 2, 780, 0);
	gn_model_free(feed_finish(&f));
	assert_string_equal(m->threads[0].name, "t1");
	assert_string_equal(m->nodes[2].name, "f1");
	assert_stack(m, 1, "f1");
	gn_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sleep_is_in_each_period),
		cmocka_unit_test(a_run_is_in_each_period),
		cmocka_unit_test(a_woken_thread_waits_for_a_cpu),
		cmocka_unit_test(runnable_threads),
		cmocka_unit_test(kernel_work_that_goes_on),
		cmocka_unit_test(a_suspension_goes_on),
		cmocka_unit_test(recursion_goes_on),
		cmocka_unit_test(probe_cost_is_taken_out_once),
		cmocka_unit_test(the_interval_rule),
		cmocka_unit_test(what_is_not_live_ignores_now),
		cmocka_unit_test(a_period_of_nothing),
		cmocka_unit_test(a_model_outlives_its_pipeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
