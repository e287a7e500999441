// SPDX-License-Identifier: BSD-2-Clause
/* Periods of the live view: begins, ends, late and lost records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model_feed.h"

#define CLR(index) GN_FUNC(GN_RUNTIME_CLR, index)

static void jit_goes_on(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	const struct gn_model_live *live;
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_event(&f, 400, 1, GN_KIND_JIT_BEGIN, CLR(3), 0, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	live = thread_in(m, 1)->live;
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_JIT], 600);
	assert_int_equal(live->doing, GN_CLASS_JIT);
	assert_int_equal(live->nactivities, 1);
	assert_int_equal(live->activity[0].class, GN_CLASS_JIT);
	assert_int_equal(live->activity[0].start, 400);
	assert_int_equal(live->activity[0].end, 0);
	/* compiled, never called, without a name so far */
	assert_string_equal(name_in(m, live->activity[0].function),
			    "[func 0x10000003]");
	gn_model_free(m);
	feed_name(&f, 1, CLR(3), 0, "C.M");
	feed_event(&f, 1300, 1, GN_KIND_GC_BEGIN, 0, 0, 0);
	feed_event(&f, 1500, 1, GN_KIND_GC_END, 0, 0, 0);
	feed_event(&f, 1600, 1, GN_KIND_JIT_END, CLR(3), 0, 0);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	live = thread_in(m, 1)->live;
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_JIT], 400);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_GC], 200);
	assert_int_equal(live->doing, GN_CLASS_APP);
	assert_int_equal(live->nactivities, 2);
	assert_int_equal(live->activity[0].class, GN_CLASS_GC);
	assert_int_equal(live->activity[0].end, 1500);
	assert_int_equal(live->activity[0].function, -1);
	assert_int_equal(live->activity[1].end, 1600);
	assert_string_equal(name_in(m, live->activity[1].function), "C.M");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* Only the last ones are kept; those whose frame is gone have ended. */
static void activities_are_a_ring(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	const struct gn_model_live *live;
	struct gn_model *m;
	uint64_t i;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_event(&f, 110, 1, GN_KIND_GC_BEGIN, 0, 0, 0);
	for (i = 0; i < 10; i++) {
		feed_event(&f, 200 + 20 * i, 1, GN_KIND_JIT_BEGIN, 0, 0, 0);
		feed_event(&f, 210 + 20 * i, 1, GN_KIND_JIT_END, 0, 0, 0);
	}
	m = feed_period(&f);
	live = thread_in(m, 1)->live;
	assert_int_equal(live->nactivities, GN_LIVE_ACTIVITIES);
	assert_int_equal(live->activity[0].start, 380);
	assert_int_equal(live->activity[7].start, 240);
	assert_int_equal(live->doing, GN_CLASS_GC);
	gn_model_free(m);
	feed_event(&f, 500, 1, GN_KIND_ENTER, 2, 790, 0);
	feed_event(&f, 500, 1, GN_KIND_JIT_BEGIN, 0, 0, 0);
	/* the compiling function is left; the compilation has no end */
	feed_event(&f, 600, 1, GN_KIND_LEAVE, 1, 800, 0);
	m = feed_period(&f);
	live = thread_in(m, 1)->live;
	assert_int_equal(live->activity[0].start, 500);
	assert_int_equal(live->activity[0].end, 600);
	assert_int_equal(live->doing, GN_CLASS_APP);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void a_thread_ends(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_thread(&f, 0, 2, GN_KIND_THREAD, 1, 1);
	feed_event(&f, 100, 2, GN_KIND_ENTER, 2, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	feed_now(&f, 1000, 2, GN_CPU_ON, GN_CLASS_APP, 0);
	gn_model_free(feed_period(&f));
	feed_event(&f, 1400, 2, GN_KIND_EXIT, 0, 0, 0);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	feed_now(&f, 2000, 2, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(m->nthreads, 2);
	assert_int_equal(thread_in(m, 2)->elapsed, 400);
	assert_int_equal(thread_in(m, 2)->live->state, GN_THREAD_ENDED);
	assert_int_equal(thread_in(m, 2)->live->depth, 0);
	assert_int_equal(share_in(m, 2, "f2")->elapsed, 400);
	assert_int_equal(m->processes[0].threads, 2);
	gn_model_free(m);
	/* late records do not bring it back */
	feed_event(&f, 1390, 2, GN_KIND_LEAVE, 2, 800, 0);
	feed_slice(&f, 1300, 1390, 2, GN_CLASS_LOCK, 0, false);
	/* the name of a waker is kept for a while */
	feed_slice(&f, 2100, 2200, 1, GN_CLASS_LOCK, 2, false);
	feed_now(&f, 3000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	feed_now(&f, 3000, 2, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(m->nthreads, 1);
	assert_int_equal(m->processes[0].threads, 1);
	assert_int_equal(m->nwaits, 1);
	assert_string_equal(m->waits[0].waker_name, "t2");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void a_tid_comes_again(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_thread(&f, 0, 2, GN_KIND_THREAD, 1, 1);
	feed_event(&f, 300, 2, GN_KIND_EXIT, 0, 0, 0);
	gn_model_free(feed_period(&f));
	f.seq[2] = 0;
	feed_thread(&f, 1500, 2, GN_KIND_THREAD, 1, 1);
	feed_event(&f, 1600, 2, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 2000, 2, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 2)->start, 1500);
	assert_int_equal(thread_in(m, 2)->elapsed, 500);
	assert_stack(m, 2, "f1");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void processes_come_and_go(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 10, 1, GN_KIND_EXIT, 0, 0, 0);
	feed_thread(&f, 0, 2, GN_KIND_THREAD, 2, 0);
	feed_event(&f, 100, 2, GN_KIND_ENTER, 1, 800, 0);
	gn_model_free(feed_period(&f));
	/* 2 forks 3, which continues in f1 */
	feed_thread(&f, 1200, 3, GN_KIND_THREAD, 3, 2);
	feed_now(&f, 2000, 2, GN_CPU_ON, GN_CLASS_APP, 0);
	feed_now(&f, 2000, 3, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(m->nprocesses, 2);
	assert_stack(m, 3, "f1");
	assert_int_equal(values_of(m, "f1")->calls, 0);
	assert_int_equal(values_of(m, "f1")->elapsed_incl, 1900 + 800);
	gn_model_free(m);
	/* and executes another program */
	feed_thread(&f, 2400, 3, GN_KIND_EXEC, 3, 3);
	feed_event(&f, 2500, 3, GN_KIND_ENTER, 2, 900, 0);
	feed_event(&f, 2600, 2, GN_KIND_EXIT, 0, 0, 0);
	feed_now(&f, 3000, 3, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_stack(m, 3, "f2");
	assert_int_equal(share_in(m, 3, "f1")->elapsed, 400);
	assert_int_equal(share_in(m, 3, "f2")->elapsed, 500);
	assert_int_equal(share_in(m, 3, "-")->elapsed, 100);
	gn_model_free(m);
	feed_now(&f, 4000, 3, GN_CPU_WAITING, GN_CLASS_NET, 3500);
	m = feed_period(&f);
	assert_int_equal(m->nprocesses, 1);
	assert_int_equal(m->processes[0].pid, 3);
	assert_int_equal(values_of(m, "f2")->class_excl[GN_CLASS_NET], 500);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* Records from before the period's end are read after it. */
static void records_at_the_boundary(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_WAITING, GN_CLASS_LOCK, 998);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_LOCK], 2);
	gn_model_free(m);
	/* f2 was entered before the wait for the lock */
	feed_event(&f, 990, 1, GN_KIND_ENTER, 2, 790, 0);
	feed_slice(&f, 998, 1300, 1, GN_CLASS_LOCK, 0, false);
	feed_event(&f, 1400, 1, GN_KIND_LEAVE, 2, 790, 302);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f2")->elapsed_excl, 400);
	assert_int_equal(values_of(m, "f2")->class_excl[GN_CLASS_LOCK], 300);
	assert_int_equal(values_of(m, "f2")->max, 400);
	assert_int_equal(values_of(m, "f1")->elapsed_excl, 600);
	assert_int_equal(wait_in(m, GN_CLASS_LOCK).count, 1);
	assert_int_equal(wait_in(m, GN_CLASS_LOCK).longest, 302);
	gn_model_free(m);
	feed_now(&f, 3000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	gn_model_free(feed_period(&f));
	/* then an end can also be at the boundary */
	feed_event(&f, 2990, 1, GN_KIND_EXIT, 0, 0, 0);
	m = feed_finish(&f);
	assert_int_equal(thread_in(m, 1)->start, 3000);
	assert_int_equal(thread_in(m, 1)->end, 3000);
	assert_int_equal(thread_in(m, 1)->elapsed, 0);
	gn_model_free(m);
}

/* A slice that may belong to the next interval, and a look before that is read;
 * and a slice that is longer than the time of the look. */
static void slices_that_wait(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_slice(&f, 700, 900, 1, GN_CLASS_RUNQUEUE, 0, true);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 900);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_RUNQUEUE], 200);
	gn_model_free(m);
	feed_event(&f, 690, 1, GN_KIND_ENTER, 2, 790, 0);
	feed_event(&f, 1100, 1, GN_KIND_LEAVE, 2, 790, 200);
	feed_slice(&f, 1200, 2005, 1, GN_CLASS_SLEEP, 0, false);
	feed_now(&f, 2000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 1200);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->end, 2005);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_RUNQUEUE], 0);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SLEEP], 805);
	assert_int_equal(values_of(m, "f2")->class_excl[GN_CLASS_APP], 100);
	gn_model_free(m);
	feed_event(&f, 2100, 1, GN_KIND_LEAVE, 1, 800, 805);
	gn_model_free(feed_finish(&f));
}

/* A loss makes the time before the next look unknown, but not the time after
 * it. */
static void lost_records(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	f.seq[1]++;
	feed_thread(&f, 500, 1, GN_KIND_RENAME, 0, 0);
	feed_now(&f, 1000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 600);
	m = feed_period(&f);
	assert_int_equal(m->lost, 1);
	assert_int_equal(thread_in(m, 1)->gaps, 1);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_UNCLASSIFIED], 900);
	assert_true(values_of(m, "f1")->gap);
	gn_model_free(m);
	feed_now(&f, 2000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 600);
	m = feed_period(&f);
	assert_int_equal(m->lost, 0);
	assert_int_equal(thread_in(m, 1)->gaps, 0);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SLEEP], 1000);
	assert_false(values_of(m, "f1")->gap);
	gn_model_free(m);
	feed_slice(&f, 600, 2100, 1, GN_CLASS_SLEEP, 0, false);
	/* for the whole interval since the lost record */
	feed_event(&f, 2300, 1, GN_KIND_LEAVE, 1, 800, 1500);
	feed_now(&f, 3000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_SLEEP], 100);
	assert_int_equal(thread_in(m, 1)->classes[GN_CLASS_APP], 900);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void lost_slices(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	f.slice_seq[1]++; /* [200, 500) */
	feed_slice(&f, 600, 700, 1, GN_CLASS_DISK, 0, false);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_DISK], 100);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_UNCLASSIFIED],
			 800);
	gn_model_free(m);
	feed_slice(&f, 1100, 1200, 1, GN_CLASS_DISK, 0, false);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_DISK], 100);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_APP], 900);
	gn_model_free(m);
	/* at the second look it was not known what was missing */
	feed_event(&f, 2500, 1, GN_KIND_LEAVE, 1, 800, 500);
	m = feed_finish(&f);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_APP], 500);
	gn_model_free(m);
}

/* A look comes from another CPU. Slices are exact, and are used if all of them
 * are there. */
static void looks_are_not_exact(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 250);
	gn_model_free(feed_period(&f));
	feed_slice(&f, 200, 1300, 1, GN_CLASS_SLEEP, 0, false);
	feed_event(&f, 1400, 1, GN_KIND_LEAVE, 1, 800, 1100);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_SLEEP], 300);
	assert_int_equal(values_of(m, "f1")->class_excl[GN_CLASS_APP], 100);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* The reported time belongs to the interval that had begun unseen. */
static void a_lost_slice_after_a_late_record(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_WAITING, GN_CLASS_LOCK, 900);
	gn_model_free(feed_period(&f));
	feed_event(&f, 890, 1, GN_KIND_ENTER, 2, 790, 0);
	f.slice_seq[1]++; /* [900, 1300) */
	feed_slice(&f, 1350, 1360, 1, GN_CLASS_DISK, 0, false);
	feed_event(&f, 1400, 1, GN_KIND_LEAVE, 2, 790, 410);
	m = feed_period(&f);
	assert_int_equal(values_of(m, "f2")->elapsed_excl, 400);
	assert_int_equal(values_of(m, "f2")->class_excl[GN_CLASS_DISK], 10);
	assert_int_equal(values_of(m, "f2")->class_excl[GN_CLASS_UNCLASSIFIED],
			 300);
	assert_int_equal(values_of(m, "f2")->class_excl[GN_CLASS_APP], 90);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* The checks still work: slices and OS time that contradict each other. */
static void what_cannot_be_true_is_told(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m = NULL;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_now(&f, 1000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 200);
	gn_model_free(feed_period(&f));
	feed_slice(&f, 200, 1300, 1, GN_CLASS_SLEEP, 0, false);
	feed_event(&f, 1400, 1, GN_KIND_LEAVE, 1, 800, 500);
	feed_now(&f, 2000, 1, GN_CPU_WAITING, GN_CLASS_SLEEP, 1600);
	assert_int_equal(gn_pipeline_period(f.p, &m), 0);
	assert_int_equal(m->checks.slice_mismatches, 1);
	assert_int_equal(m->checks.account_error_ns, 0);
	gn_model_free(m);
	/* more OS time than has passed since 1400 */
	feed_event(&f, 2400, 1, GN_KIND_ENTER, 1, 800, 1001);
	assert_int_equal(gn_pipeline_period(f.p, &m), 0);
	assert_int_equal(m->checks.slice_mismatches, 0);
	assert_int_equal(m->checks.os_overruns, 1);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* A thread that could not be looked at, and one without any record. */
static void what_is_not_told(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_thread(&f, 0, 2, GN_KIND_THREAD, 1, 0);
	gn_model_free(feed_period(&f));
	feed_event(&f, 900, 1, GN_KIND_ENTER, 1, 800, 0);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->live->state, GN_THREAD_RUNNING);
	assert_int_equal(thread_in(m, 1)->elapsed, 900);
	assert_int_equal(thread_in(m, 2)->live->state, GN_THREAD_UNKNOWN);
	assert_int_equal(thread_in(m, 2)->elapsed, 0);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void deep_stacks_are_cut(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	const struct gn_model_live *live;
	struct gn_model *m;
	uint64_t i;

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	for (i = 0; i < 300; i++)
		feed_event(&f, i, 1, GN_KIND_ENTER, 1 + i / 290, 8000 - i, 0);
	m = feed_period(&f);
	live = thread_in(m, 1)->live;
	assert_int_equal(live->depth, 300);
	assert_int_equal(live->nstack, GN_LIVE_STACK);
	assert_string_equal(name_in(m, live->stack[0]), "f1");
	assert_string_equal(name_in(m, live->stack[245]), "f1");
	assert_string_equal(name_in(m, live->stack[246]), "f2");
	assert_string_equal(name_in(m, live->stack[255]), "f2");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void states_must_make_sense(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_rec_now r = {.h = {.time = 10, .tid = 1, .kind = GN_KIND_NOW},
			       .state = GN_CPU_DEAD + 1};

	(void)state;
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	assert_true(gn_pipeline_feed(f.p, &r.h, sizeof(r)) < 0);
	r.state = GN_CPU_WAITING;
	assert_true(gn_pipeline_feed(f.p, &r.h, sizeof(r)) < 0);
	r.class = GN_CLASS_COUNT;
	assert_true(gn_pipeline_feed(f.p, &r.h, sizeof(r)) < 0);
	r.state = GN_CPU_ON;
	r.class = GN_CLASS_JIT;
	assert_true(gn_pipeline_feed(f.p, &r.h, sizeof(r)) < 0);
	assert_true(gn_pipeline_feed(f.p, &r.h, sizeof(r) - 8) < 0);
	gn_model_free(feed_finish(&f));
}

/* Unseen calls may belong to any function of the module, but to no other: that
 * is reported once, in the first period that has the function. */
static void calls_without_probes(void **state)
{
	struct feed f = feed_new(GN_CLASSIFY_EXACT);
	struct gn_model *m;

	(void)state;
	feed_named(&f, GN_KIND_MODULE, 1, 0);
	feed_named(&f, GN_KIND_MODULE, 2, 0);
	feed_named(&f, GN_KIND_FUNCTION, 7, 1);
	feed_named(&f, GN_KIND_FUNCTION, 8, 1);
	feed_named(&f, GN_KIND_FUNCTION, 9, 2);
	feed_named(&f, GN_KIND_FUNCTION, 10, 1);
	feed_thread(&f, 0, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 100, 1, GN_KIND_ENTER, 1, 800, 0);
	feed_event(&f, 200, 1, GN_KIND_ENTER, 9, 790, 0);
	feed_event(&f, 300, 1, GN_KIND_ENTER, 8, 780, 0);
	feed_event(&f, 400, 1, GN_KIND_ENTER, 7, 770, 0);
	feed_unprobed(&f, 450, 1);
	feed_unprobed(&f, 460, 77);
	feed_now(&f, 1000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_true(values_of(m, "f7")->unprobed);
	assert_true(values_of(m, "f8")->unprobed);
	assert_false(values_of(m, "f9")->unprobed);
	assert_false(values_of(m, "f1")->unprobed);
	for (size_t i = 0; i < m->nmodules; i++)
		assert_int_equal(m->modules[i].v.unprobed,
				 !strcmp(m->modules[i].name, "m1"));
	gn_model_free(m);
	feed_event(&f, 1100, 1, GN_KIND_ENTER, 10, 760, 0);
	feed_now(&f, 2000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_period(&f);
	assert_false(values_of(m, "f7")->unprobed);
	assert_true(values_of(m, "f10")->unprobed);
	gn_model_free(m);
	feed_now(&f, 3000, 1, GN_CPU_ON, GN_CLASS_APP, 0);
	m = feed_finish(&f);
	assert_false(values_of(m, "f10")->unprobed);
	gn_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jit_goes_on),
		cmocka_unit_test(activities_are_a_ring),
		cmocka_unit_test(a_thread_ends),
		cmocka_unit_test(a_tid_comes_again),
		cmocka_unit_test(processes_come_and_go),
		cmocka_unit_test(records_at_the_boundary),
		cmocka_unit_test(slices_that_wait),
		cmocka_unit_test(lost_records),
		cmocka_unit_test(calls_without_probes),
		cmocka_unit_test(lost_slices),
		cmocka_unit_test(looks_are_not_exact),
		cmocka_unit_test(a_lost_slice_after_a_late_record),
		cmocka_unit_test(what_cannot_be_true_is_told),
		cmocka_unit_test(what_is_not_told),
		cmocka_unit_test(deep_stacks_are_cut),
		cmocka_unit_test(states_must_make_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
