/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits on what a hostile program can keep alive, and counters of what was
 * dropped; and threads that end without a record. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "model/threads.h"
#include "model_lives.h"

/* Enters without leaves, each on a new path. */
static void frames_have_a_bound(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;
	uint64_t i;

	(void)state;
	f.p->stage.most_frames = 1000;
	for (i = 0; i < 5000; i++)
		feed_event(&f, 10 + i, 1, GN_KIND_ENTER, CLR(1), 0x100000 - i,
			   0);
	m = feed_period(&f);
	assert_true(thread_in(m, 1)->v.calls <= 1024);
	assert_int_equal(thread_in(m, 1)->v.calls + m->lost, 5000);
	assert_int_equal(thread_in(m, 1)->live->depth,
			 thread_in(m, 1)->v.calls);
	assert_true(gn_model_lossy(m));
	assert_true(thread_in(m, 1)->gaps > 0);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* Calls of always new functions from always new paths. */
static void paths_have_a_bound(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;
	uint64_t i;

	(void)state;
	f.p->stage.tree.most = 100;
	for (i = 0; i < 500; i++) {
		feed_event(&f, 10 + i, 1, GN_KIND_ENTER, CLR((uint32_t)i + 1),
			   0x800, 0);
		feed_event(&f, 10 + i, 1, GN_KIND_LEAVE, CLR((uint32_t)i + 1),
			   0x800, 0);
	}
	assert_int_equal(f.p->stage.tree.n, 100);
	/* a known path is not new */
	feed_event(&f, 600, 1, GN_KIND_ENTER, CLR(7), 0x800, 0);
	feed_event(&f, 600, 1, GN_KIND_LEAVE, CLR(7), 0x800, 0);
	m = feed_period(&f);
	assert_int_equal(thread_in(m, 1)->v.calls, 99); /* session, process */
	assert_int_equal(m->lost, 500 - 98);
	assert_int_equal(m->checks.unmatched_leaves, 500 - 98);
	gn_model_free(m);
	/* there is room again */
	feed_event(&f, 1000, 1, GN_KIND_ENTER, CLR(400), 0x800, 0);
	m = feed_period(&f);
	assert_int_equal(m->lost, 0);
	assert_int_equal(thread_in(m, 1)->v.calls, 1);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* Functions that are called once each, and names that nobody needs. */
static void functions_have_a_bound(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;
	uint32_t i;

	(void)state;
	f.p->stage.names.most_fns = 100;
	for (i = 1; i <= 500; i++) {
		feed_event(&f, 10 + i, 1, GN_KIND_ENTER, CLR(i), 0x800, 0);
		feed_event(&f, 10 + i, 1, GN_KIND_LEAVE, CLR(i), 0x800, 0);
	}
	name_functions(&f, 1, 1, 200, 1);
	assert_int_equal(f.p->stage.names.nfns, 100);
	m = feed_period(&f);
	assert_int_equal(m->lost, 400 + 100);
	assert_int_equal(m->nfunctions, 100);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

static void texts_have_a_bound(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;

	(void)state;
	f.p->stage.names.most_texts = 20000;
	name_functions(&f, 1, 1, 1000, 1);
	assert_in_range(f.p->stage.names.pool.size, 20000, 20200);
	assert_in_range(f.p->stage.names.nfns, 200, 400);
	/* a thread's name is short, and always kept */
	name_thread(&f, 1, 77);
	m = feed_period(&f);
	assert_int_equal(m->lost + f.p->stage.names.nfns, 1000);
	assert_string_equal(thread_in(m, 1)->name, "n0000004d");
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* 1 calls 2 to 200, and each of them calls 1000. */
static void call_many(struct feed *f)
{
	uint64_t now = 10;

	feed_event(f, now, 1, GN_KIND_ENTER, CLR(1), 0x900, 0);
	for (uint32_t i = 2; i <= 200; i++, now += 40) {
		feed_event(f, now + 10, 1, GN_KIND_ENTER, CLR(i), 0x800, 0);
		feed_event(f, now + 20, 1, GN_KIND_ENTER, CLR(1000), 0x700, 0);
		feed_event(f, now + 30, 1, GN_KIND_LEAVE, CLR(1000), 0x700, 0);
		feed_event(f, now + 40, 1, GN_KIND_LEAVE, CLR(i), 0x800, 0);
	}
	feed_event(f, now + 10, 1, GN_KIND_LEAVE, CLR(1), 0x900, 0);
}

/* Each call and its own time count for its function, even if its path had no
 * room; then only the caller is unknown. */
static void other_paths_are_told(void **state)
{
	struct feed f = begin(false);
	const struct gn_model_function *other;
	struct gn_model *m;
	uint64_t own = 0, calls = 0, children = 0;

	(void)state;
	f.p->stage.tree.most = 100;
	call_many(&f);
	m = feed_finish(&f);
	assert_false(gn_model_lossy(m));
	assert_false(gn_model_broken(m));
	for (size_t i = 0; i < m->nfunctions; i++) {
		own += m->functions[i].v.elapsed_excl;
		calls += m->functions[i].v.calls;
	}
	assert_int_equal(calls, 1 + 2 * 199);
	assert_int_equal(own, m->session.elapsed_excl);
	assert_int_equal(own, 199 * 40 + 10);
	other = function_in(m, "[other]");
	assert_int_equal(other->v.calls, 0);
	assert_int_equal(other->v.elapsed_excl, 0);
	for (size_t i = 0; i < m->nnodes; i++)
		if (m->nodes[i].parent >= 0 &&
		    m->nodes[m->nodes[i].parent].function ==
			    (int32_t)other->index)
			children += m->nodes[i].v.calls;
	assert_int_equal(m->checks.other_calls, children);
	assert_in_range(children, 2 * (199 - 49), 2 * (199 - 47));
	/* session, process, [other], and one node for each function below it */
	assert_in_range(m->nnodes, 100, 100 + 1 + 201);
	gn_model_free(m);
}

/* A capture that is read to its end is limited only by memory. */
static void a_whole_capture_has_no_bounds(void **state)
{
	struct feed f = begin(false);

	(void)state;
	assert_int_equal(f.p->stage.most_frames, 0);
	/* except call paths: a path without room loses nothing */
	assert_int_equal(f.p->stage.tree.most, GN_MOST_NODES);
	assert_int_equal(f.p->stage.names.most_fns, 0);
	assert_int_equal(f.p->stage.names.most_texts, 0);
	gn_model_free(feed_finish(&f));
}

/* Muting searches all frames for the function. The search has a limit, and the
 * rest is reported. */
static void muting_has_a_bound(void **state)
{
	enum { DEEP = 20000, MUTES = 30000 };
	struct feed f = begin(false);
	struct gn_model *m;

	(void)state;
	for (uint32_t i = 1; i <= DEEP; i++)
		feed_event(&f, i, 1, GN_KIND_ENTER, CLR(1), 0x900000 - i, 0);
	for (uint32_t i = 1; i <= MUTES; i++)
		feed_mute(&f, DEEP, CLR(1 + i), 1);
	m = feed_finish(&f);
	assert_in_range(m->lost, 1, MUTES - 10000);
	assert_true(gn_model_lossy(m));
	gn_model_free(m);
}

/* Files that got their probes late, and threads that have unexplained leaves
 * for that reason. */
static void late_probes_take_no_time(void **state)
{
	enum { MANY = 100000 };
	struct feed f = begin(false);
	const clock_t start = clock();
	struct gn_model *m;

	(void)state;
	f.p->opts.most_ended = f.p->fold_at = UINT32_MAX;
	for (uint32_t i = 1; i <= MANY; i++) {
		feed_named(&f, GN_KIND_MODULE, i, 0);
		feed_named(&f, GN_KIND_FUNCTION, i, i);
		feed_thread(&f, i, 2, GN_KIND_THREAD, 1, 1);
		feed_event(&f, i, 2, GN_KIND_ENTER, i, 0x200, 0);
		feed_event(&f, i, 2, GN_KIND_LEAVE, i, 0x100, 0);
		end_thread(&f, i, 2);
	}
	for (uint32_t i = 1; i <= MANY; i++)
		feed_unprobed(&f, MANY + i, i);
	m = feed_finish(&f);
	assert_int_equal(m->checks.earlier_leaves, MANY);
	assert_true(function_in(m, "f1")->v.unprobed);
	assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
	gn_model_free(m);
}

static bool only_first(void *ctx, uint32_t pid, uint32_t tid)
{
	assert_int_equal(pid, 1);
	*(uint32_t *)ctx += 1;
	return tid == 1;
}

/* The end of thread 2 is lost: it is the record after the last one received. */
static void a_thread_whose_end_was_lost_ends(void **state)
{
	struct feed f = begin(true);
	uint32_t asked = 0;
	struct gn_model *m;
	uint64_t i;

	(void)state;
	feed_thread(&f, 0, 2, GN_KIND_THREAD, 1, 1);
	for (i = 1; i <= 5; i++) {
		/* nothing was lost: no thread is asked about */
		assert_int_equal(gn_pipeline_silent(f.p, only_first, &asked),
				 0);
		end_period(&f, 100 * i);
	}
	assert_int_equal(asked, 0);
	f.seq[1]++;
	name_thread(&f, 1, 600);
	assert_int_equal(gn_pipeline_silent(f.p, only_first, &asked), 0);
	/* thread 2 has been silent for more than a period, thread 1 has not */
	assert_int_equal(asked, 1);
	m = feed_period(&f);
	assert_int_equal(m->lost, 2);
	assert_int_equal(thread_in(m, 2)->live->state, GN_THREAD_ENDED);
	assert_int_equal(thread_in(m, 2)->gaps, 1);
	gn_model_free(m);
	m = feed_period(&f);
	assert_null(thread_in(m, 2));
	assert_int_equal(m->lost, 0);
	gn_model_free(m);
	gn_model_free(feed_finish(&f));
}

/* After one silent period, a thread may just wait for its turn. */
static void a_thread_is_not_asked_for_at_once(void **state)
{
	struct feed f = begin(true);
	uint32_t asked = 0;

	(void)state;
	f.seq[1]++;
	name_thread(&f, 1, 5);
	gn_model_free(feed_period(&f));
	assert_int_equal(gn_pipeline_silent(f.p, only_first, &asked), 0);
	assert_int_equal(asked, 0);
	gn_model_free(feed_period(&f));
	assert_int_equal(gn_pipeline_silent(f.p, only_first, &asked), 0);
	assert_int_equal(asked, 1);
	gn_model_free(feed_finish(&f));
}

/* Records that use up the room of a period end it, but not fewer. */
static void a_period_is_full(void **state)
{
	struct feed f = begin(true);
	uint32_t i;

	(void)state;
	for (i = 1; i < GN_PERIOD_ENDED; i++) {
		feed_thread(&f, i, 2, GN_KIND_THREAD, 1, 1);
		end_thread(&f, i, 2);
	}
	assert_false(gn_pipeline_full(f.p));
	feed_thread(&f, i, 2, GN_KIND_THREAD, 1, 1);
	end_thread(&f, i, 2);
	assert_true(gn_pipeline_full(f.p));
	end_period(&f, i);
	assert_false(gn_pipeline_full(f.p));
	for (i = 1; i <= GN_PERIOD_NODES; i++)
		feed_event(&f, 100000 + i, 1, GN_KIND_ENTER, 5, 0, 0);
	assert_true(gn_pipeline_full(f.p));
	/* what stays open belongs to the next period from its begin on */
	end_period(&f, 1000000);
	assert_false(gn_pipeline_full(f.p));
	gn_model_free(feed_finish(&f));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_a_bound),
		cmocka_unit_test(paths_have_a_bound),
		cmocka_unit_test(functions_have_a_bound),
		cmocka_unit_test(texts_have_a_bound),
		cmocka_unit_test(other_paths_are_told),
		cmocka_unit_test(a_whole_capture_has_no_bounds),
		cmocka_unit_test(muting_has_a_bound),
		cmocka_unit_test(late_probes_take_no_time),
		cmocka_unit_test(a_thread_whose_end_was_lost_ends),
		cmocka_unit_test(a_thread_is_not_asked_for_at_once),
		cmocka_unit_test(a_period_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
