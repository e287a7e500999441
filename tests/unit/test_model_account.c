// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/account.h"

static uint64_t ns(const struct gn_interval *iv, enum gn_class class)
{
	return iv->mask & 1u << class ? iv->ns[class] : 0;
}

static uint64_t sum(const struct gn_interval *iv)
{
	uint64_t total = 0;
	int c;

	for (c = 0; c < GN_CLASS_COUNT; c++)
		total += ns(iv, c);
	return total;
}

struct fixture {
	struct gn_account a;
	struct gn_checks checks;
	struct gn_interval iv;
	enum gn_classify how;
	uint32_t before, after; /* cost of the next record's probe */
};

static void close_at(struct fixture *f, uint64_t time, uint64_t os)
{
	struct gn_ending e = {.time = time,
			      .os_ns = os,
			      .os_event = os,
			      .before = f->before,
			      .after = f->after,
			      .classify = f->how};

	gn_account_close(&f->a, &e, &f->iv, &f->checks);
	assert_int_equal(sum(&f->iv), f->iv.elapsed);
}

static void without_os_time_all_is_app(void **state)
{
	struct fixture f = {.a.since = 100};

	(void)state;
	close_at(&f, 150, 0);
	assert_int_equal(f.iv.elapsed, 50);
	assert_int_equal(f.iv.app, 50);
	assert_int_equal(ns(&f.iv, GN_CLASS_APP), 50);
	close_at(&f, 150, 0);
	assert_int_equal(f.iv.elapsed, 0);
	/* a time before the interval's start gives no length */
	close_at(&f, 140, 0);
	assert_int_equal(f.iv.elapsed, 0);
}

static void slices_split_os_time(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_slice(&f.a, GN_CLASS_SLEEP, 20);
	gn_account_slice(&f.a, GN_CLASS_RUNQUEUE, 5);
	gn_account_slice(&f.a, GN_CLASS_SLEEP, 1);
	close_at(&f, 100, 26);
	assert_int_equal(ns(&f.iv, GN_CLASS_SLEEP), 21);
	assert_int_equal(ns(&f.iv, GN_CLASS_RUNQUEUE), 5);
	assert_int_equal(ns(&f.iv, GN_CLASS_APP), 74);
	assert_int_equal(f.iv.app, 74);
	/* they belong to that interval only */
	close_at(&f, 200, 0);
	assert_int_equal(f.iv.app, 100);
	assert_int_equal(f.checks.slice_mismatches, 0);
}

static void suspension_is_no_application_time(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_slice(&f.a, GN_CLASS_SUSPEND, 30);
	close_at(&f, 100, 30);
	assert_int_equal(ns(&f.iv, GN_CLASS_SUSPEND), 30);
	assert_int_equal(f.iv.app, 70);
}

static void os_notes_add_to_the_record(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_os_note(&f.a, 5000000000u);
	gn_account_slice(&f.a, GN_CLASS_DISK, 5000000007u);
	close_at(&f, 6000000000u, 7);
	assert_int_equal(f.iv.app, 999999993);
	assert_int_equal(f.checks.slice_mismatches, 0);
	close_at(&f, 6000000010u, 0);
	assert_int_equal(f.iv.app, 10);
}

static void too_few_slices_are_judged_by_the_next(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_slice(&f.a, GN_CLASS_DISK, 10);
	close_at(&f, 100, 40);
	assert_int_equal(ns(&f.iv, GN_CLASS_DISK), 10);
	assert_int_equal(ns(&f.iv, GN_CLASS_UNCLASSIFIED), 30);
	assert_int_equal(f.iv.app, 60);
	assert_int_equal(f.checks.slice_mismatches, 0);
	/* the next slice's number shows that one was lost: explained */
	gn_account_slice_seen(&f.a, true, &f.checks);
	gn_account_slice_seen(&f.a, false, &f.checks);
	assert_int_equal(f.checks.slice_mismatches, 0);
	/* that loss also explains what is missing in the open interval */
	close_at(&f, 200, 5);
	gn_account_slice_seen(&f.a, false, &f.checks);
	assert_int_equal(f.checks.slice_mismatches, 0);
	/* but nothing later */
	close_at(&f, 300, 5);
	gn_account_slice_seen(&f.a, false, &f.checks);
	assert_int_equal(f.checks.slice_mismatches, 1);
}

static void what_cannot_be_true_is_unclassified(void **state)
{
	struct fixture f = {0};

	(void)state;
	/* more slice time than OS time */
	gn_account_slice(&f.a, GN_CLASS_DISK, 30);
	close_at(&f, 100, 20);
	assert_int_equal(f.checks.slice_mismatches, 1);
	assert_int_equal(ns(&f.iv, GN_CLASS_DISK), 0);
	assert_int_equal(ns(&f.iv, GN_CLASS_UNCLASSIFIED), 20);
	assert_int_equal(f.iv.app, 80);
	/* more OS time than elapsed time */
	gn_account_slice(&f.a, GN_CLASS_DISK, 30);
	close_at(&f, 200, 101);
	assert_int_equal(f.checks.os_overruns, 1);
	assert_int_equal(ns(&f.iv, GN_CLASS_UNCLASSIFIED), 100);
	assert_int_equal(f.iv.app, 0);
	/* sums that overflow 64 bits do not become small */
	gn_account_os_note(&f.a, UINT64_MAX);
	gn_account_os_note(&f.a, UINT64_MAX);
	gn_account_slice(&f.a, GN_CLASS_DISK, UINT64_MAX);
	gn_account_slice(&f.a, GN_CLASS_LOCK, 11);
	close_at(&f, 300, 10);
	assert_int_equal(f.checks.os_overruns, 2);
	assert_int_equal(ns(&f.iv, GN_CLASS_UNCLASSIFIED), 100);
}

static void a_gap_is_unclassified(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_begin(&f.a, GN_CLASS_JIT, 1, 1);
	gn_account_slice(&f.a, GN_CLASS_DISK, 30);
	f.a.gap = true;
	close_at(&f, 100, 30);
	assert_true(f.iv.gap);
	assert_int_equal(ns(&f.iv, GN_CLASS_UNCLASSIFIED), 100);
	assert_int_equal(f.iv.app, 0);
	/* the lost record may be the end of the compilation */
	close_at(&f, 200, 0);
	assert_false(f.iv.gap);
	assert_int_equal(ns(&f.iv, GN_CLASS_APP), 100);
}

static void interval_rule(void **state)
{
	struct fixture f = {.how = GN_CLASSIFY_INTERVAL};

	(void)state;
	close_at(&f, 100, 0);
	assert_int_equal(f.iv.app, 100);
	gn_account_slice(&f.a, GN_CLASS_DISK, 1);
	close_at(&f, 200, 1);
	assert_int_equal(f.iv.app, 0);
	assert_int_equal(ns(&f.iv, GN_CLASS_APP), 99);
	gn_account_close(&f.a,
			 &(struct gn_ending){.time = 300,
					     .os_event = true,
					     .classify = f.how},
			 &f.iv, &f.checks);
	assert_int_equal(f.iv.app, 0);
	assert_int_equal(ns(&f.iv, GN_CLASS_APP), 100);
}

static void an_interval_without_end_is_what_its_slices_say(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_slice(&f.a, GN_CLASS_SLEEP, 30);
	gn_account_cut(&f.a, 100, GN_CLASSIFY_EXACT, &f.iv);
	assert_int_equal(sum(&f.iv), 100);
	assert_int_equal(ns(&f.iv, GN_CLASS_SLEEP), 30);
	assert_int_equal(ns(&f.iv, GN_CLASS_UNCLASSIFIED), 70);
	assert_int_equal(f.iv.app, 0);
	assert_true(f.iv.gap);
	/* impossible slices */
	gn_account_slice(&f.a, GN_CLASS_SLEEP, 300);
	gn_account_cut(&f.a, 200, GN_CLASSIFY_EXACT, &f.iv);
	assert_int_equal(ns(&f.iv, GN_CLASS_UNCLASSIFIED), 100);
}

static enum gn_class runs(struct fixture *f)
{
	close_at(f, f->a.since + 10, 0);
	assert_int_equal(sum(&f->iv), 10);
	return (enum gn_class)__builtin_ctz(f->iv.mask);
}

static void activities_nest(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_begin(&f.a, GN_CLASS_JIT, 1, 1);
	assert_int_equal(runs(&f), GN_CLASS_JIT);
	gn_account_begin(&f.a, GN_CLASS_GC, 1, 1);
	assert_int_equal(runs(&f), GN_CLASS_GC);
	gn_account_begin(&f.a, GN_CLASS_JIT, 1, 1);
	/* an end also ends what began inside */
	gn_account_end(&f.a, GN_CLASS_GC);
	assert_int_equal(runs(&f), GN_CLASS_JIT);
	gn_account_end(&f.a, GN_CLASS_GC);
	assert_int_equal(runs(&f), GN_CLASS_JIT);
	gn_account_end(&f.a, GN_CLASS_JIT);
	assert_int_equal(runs(&f), GN_CLASS_APP);
	gn_account_end(&f.a, GN_CLASS_JIT);
	assert_int_equal(runs(&f), GN_CLASS_APP);
}

static void activities_end_with_their_frames(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_begin(&f.a, GN_CLASS_GC, 1, 2);
	gn_account_begin(&f.a, GN_CLASS_JIT, 1, 5);
	gn_account_heal(&f.a, 1, 5);
	gn_account_heal(&f.a, 2, 0); /* another stack */
	assert_int_equal(runs(&f), GN_CLASS_JIT);
	gn_account_heal(&f.a, 1, 4);
	assert_int_equal(runs(&f), GN_CLASS_GC);
	gn_account_heal(&f.a, 1, 1);
	assert_int_equal(runs(&f), GN_CLASS_APP);
}

/* A frame above the place where a compilation began shows that it threw. */
static void activities_end_below_frames(void **state)
{
	struct fixture f = {0};

	(void)state;
	gn_account_begin(&f.a, GN_CLASS_GC, 1, 1);
	gn_account_begin(&f.a, GN_CLASS_JIT, 1, 1);
	gn_account_frame(&f.a, 5000);
	gn_account_begin(&f.a, GN_CLASS_GC, 1, 1);
	assert_int_equal(gn_account_above(&f.a, 4999), 0);
	assert_int_equal(f.a.nnest, 3);
	assert_int_equal(gn_account_above(&f.a, 5001), 1);
	assert_int_equal(f.a.nnest, 1);
	assert_int_equal(f.a.shown_over, 1);
	assert_int_equal(runs(&f), GN_CLASS_GC);
}

static void deep_nests_are_counted(void **state)
{
	struct fixture f = {0};
	int i;

	(void)state;
	for (i = 0; i < GN_NEST_MAX + 5; i++)
		gn_account_begin(&f.a, GN_CLASS_JIT, 1, 1);
	for (i = 0; i < GN_NEST_MAX + 4; i++)
		gn_account_end(&f.a, GN_CLASS_JIT);
	assert_int_equal(runs(&f), GN_CLASS_JIT);
	gn_account_end(&f.a, GN_CLASS_JIT);
	assert_int_equal(runs(&f), GN_CLASS_APP);
}

static void expect_cost(const struct fixture *f, uint64_t taken, uint64_t left)
{
	assert_int_equal(f->iv.cost, taken);
	assert_int_equal(f->iv.owed, left);
}

static void probes_cost_is_taken_from_time_on_a_cpu(void **state)
{
	struct fixture f = {.before = 10, .after = 5};

	(void)state;
	/* the first interval did not start with a probe */
	close_at(&f, 100, 0);
	expect_cost(&f, 10, 0);
	assert_int_equal(f.iv.elapsed, 90);
	assert_int_equal(f.iv.app, 90);
	close_at(&f, 200, 0);
	expect_cost(&f, 15, 0);
	assert_int_equal(f.iv.elapsed, 85);
	/* the cost does not come from OS time, but from a collection if one
	 * ran */
	gn_account_begin(&f.a, GN_CLASS_GC, 1, 1);
	gn_account_slice(&f.a, GN_CLASS_LOCK, 70);
	close_at(&f, 300, 70);
	expect_cost(&f, 15, 0);
	assert_int_equal(ns(&f.iv, GN_CLASS_LOCK), 70);
	assert_int_equal(ns(&f.iv, GN_CLASS_GC), 15);
	assert_int_equal(f.iv.app, 15);
	/* nor from suspension; never below zero */
	gn_account_slice(&f.a, GN_CLASS_SUSPEND, 90);
	close_at(&f, 400, 90);
	expect_cost(&f, 10, 5);
	assert_int_equal(f.iv.elapsed, 90);
	assert_int_equal(f.iv.app, 0);
	close_at(&f, 400, 0);
	expect_cost(&f, 0, 15);
	assert_int_equal(f.iv.elapsed, 0);
	/* slices that never arrive: it was OS time anyway */
	close_at(&f, 500, 95);
	expect_cost(&f, 5, 10);
	assert_int_equal(ns(&f.iv, GN_CLASS_UNCLASSIFIED), 95);
	/* more OS time than elapsed time */
	close_at(&f, 600, 101);
	expect_cost(&f, 0, 15);
	assert_int_equal(f.iv.elapsed, 100);
}

static void probes_cost_is_not_known_of_gaps(void **state)
{
	struct fixture f = {.before = 10, .after = 5};

	(void)state;
	f.a.gap = true;
	close_at(&f, 100, 0);
	expect_cost(&f, 0, 0);
	assert_int_equal(f.iv.elapsed, 100);
	f.a.no_start = true;
	close_at(&f, 200, 0);
	expect_cost(&f, 0, 0);
	gn_account_cut(&f.a, 300, GN_CLASSIFY_EXACT, &f.iv);
	expect_cost(&f, 0, 0);
	/* after a cut or a new beginning, no interval began with a probe */
	close_at(&f, 400, 0);
	expect_cost(&f, 10, 0);
	gn_account_start(&f.a, 500);
	f.before = f.after = UINT32_MAX;
	close_at(&f, 600, 0);
	expect_cost(&f, 100, UINT32_MAX - 100u);
	close_at(&f, 10000000600u, 0);
	expect_cost(&f, 2ull * UINT32_MAX, 0);
}

static void sums_are_kept(void **state)
{
	struct fixture f = {0};

	(void)state;
	close_at(&f, 100, 0);
	gn_account_add(&f.a, &f.iv, true);
	gn_account_slice(&f.a, GN_CLASS_SLEEP, 30);
	f.before = 80;
	close_at(&f, 200, 30);
	gn_account_add(&f.a, &f.iv, false);
	assert_int_equal(f.a.elapsed, 130);
	assert_int_equal(f.a.cost, 70);
	assert_int_equal(f.iv.owed, 10);
	assert_int_equal(f.a.classes[GN_CLASS_APP], 100);
	assert_int_equal(f.a.classes[GN_CLASS_SLEEP], 30);
	assert_int_equal(f.a.app, 100);
	assert_int_equal(f.a.outside_elapsed, 100);
	assert_int_equal(f.a.outside_app, 100);
	assert_int_equal(f.a.outside[GN_CLASS_APP], 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_os_time_all_is_app),
		cmocka_unit_test(slices_split_os_time),
		cmocka_unit_test(suspension_is_no_application_time),
		cmocka_unit_test(os_notes_add_to_the_record),
		cmocka_unit_test(too_few_slices_are_judged_by_the_next),
		cmocka_unit_test(what_cannot_be_true_is_unclassified),
		cmocka_unit_test(a_gap_is_unclassified),
		cmocka_unit_test(interval_rule),
		cmocka_unit_test(
			an_interval_without_end_is_what_its_slices_say),
		cmocka_unit_test(activities_nest),
		cmocka_unit_test(activities_end_with_their_frames),
		cmocka_unit_test(activities_end_below_frames),
		cmocka_unit_test(deep_nests_are_counted),
		cmocka_unit_test(probes_cost_is_taken_from_time_on_a_cpu),
		cmocka_unit_test(probes_cost_is_not_known_of_gaps),
		cmocka_unit_test(sums_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
