// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "model/pipeline.h"

static struct gn_pipeline *new_pipeline(void)
{
	struct gn_pipeline_opts opts = {.classify = GN_CLASSIFY_EXACT};
	struct gn_pipeline *p = gn_pipeline_new(&opts);

	assert_non_null(p);
	return p;
}

static struct gn_model *finish(struct gn_pipeline *p)
{
	struct gn_model *m = NULL;

	assert_int_equal(gn_pipeline_finish(p, &m), 0);
	gn_pipeline_free(p);
	return m;
}

static void feed(struct gn_pipeline *p, uint64_t time, uint32_t seq,
		 enum gn_kind kind, uint32_t func, uint64_t key)
{
	struct gn_rec_func r = {.h = {.time = time,
				      .tid = 1,
				      .seq = seq,
				      .kind = kind,
				      .key = key},
				.func = func};

	assert_int_equal(gn_pipeline_feed(p, &r.h, sizeof(r)), 0);
}

static void nothing_makes_an_empty_model(void **state)
{
	struct gn_model *m = finish(new_pipeline());

	(void)state;
	assert_int_equal(m->nthreads, 0);
	assert_int_equal(m->nfunctions, 0);
	assert_int_equal(m->nnodes, 1);
	assert_int_equal(m->session.elapsed_incl, 0);
	assert_false(gn_model_lossy(m));
	assert_false(gn_model_broken(m));
	gn_model_free(m);
	gn_model_free(NULL);
	gn_pipeline_free(NULL);
}

static void records_must_be_whole(void **state)
{
	struct gn_pipeline *p = new_pipeline();
	union {
		struct gn_rec h;
		struct gn_rec_slice slice;
		struct gn_rec_stack stack;
		struct gn_rec_text text;
		uint64_t words[16];
	} r = {0};

	(void)state;
	r.h.kind = GN_KIND_ENTER;
	assert_int_equal(gn_pipeline_feed(p, &r.h, 16), -EBADMSG);
	assert_int_equal(gn_pipeline_feed(p, &r.h, 24), -EBADMSG);
	r.h.kind = GN_KIND_SLICE;
	r.slice.class = GN_CLASS_COUNT;
	assert_int_equal(gn_pipeline_feed(p, &r.h, 40), -EBADMSG);
	r.slice.class = GN_CLASS_APP;
	assert_int_equal(gn_pipeline_feed(p, &r.h, 40), -EBADMSG);
	r.h.kind = GN_KIND_STACK;
	r.stack.lo = r.stack.hi = 4096;
	assert_int_equal(gn_pipeline_feed(p, &r.h, 40), -EBADMSG);
	/* kinds of a later version are no errors */
	r.h.kind = 250;
	assert_int_equal(gn_pipeline_feed(p, &r.h, 24), 0);
	gn_model_free(finish(p));
}

static void texts_must_lie_in_their_record(void **state)
{
	struct gn_pipeline *p = new_pipeline();
	union {
		struct gn_rec_text r;
		char bytes[128];
	} u = {.r = {.h = {.kind = GN_KIND_INFO}, .size = 48}};

	(void)state;
	u.r.len[0] = 5;
	u.r.len[1] = 3;
	memcpy(u.bytes + sizeof(u.r), "helloyou", 8);
	assert_int_equal(gn_pipeline_feed(p, &u.r.h, 48), 0);
	/* truncated; size beyond the record; lengths beyond the size */
	assert_int_equal(gn_pipeline_feed(p, &u.r.h, 40), -EBADMSG);
	u.r.len[1] = 4;
	assert_int_equal(gn_pipeline_feed(p, &u.r.h, 48), -EBADMSG);
	u.r.len[0] = u.r.len[1] = 0xffff;
	assert_int_equal(gn_pipeline_feed(p, &u.r.h, 48), -EBADMSG);
	/* a NUL inside the text */
	u.r.len[0] = 5;
	u.r.len[1] = 3;
	u.bytes[sizeof(u.r) + 2] = '\0';
	assert_int_equal(gn_pipeline_feed(p, &u.r.h, 48), -EBADMSG);
	gn_model_free(finish(p));
}

static void info_and_counters_are_in_the_model(void **state)
{
	struct gn_pipeline *p = new_pipeline();
	union {
		struct gn_rec_text r;
		char bytes[128];
	} u = {.r = {.h = {.kind = GN_KIND_INFO}, .size = 48}};
	struct gn_rec_count c = {.h = {.kind = GN_KIND_COUNT},
				 .id = GN_COUNTER_TORN,
				 .count = 3};
	struct gn_model *m;

	(void)state;
	u.r.len[0] = 5;
	u.r.len[1] = 3;
	memcpy(u.bytes + sizeof(u.r), "helloyou", 8);
	assert_int_equal(gn_pipeline_feed(p, &u.r.h, 48), 0);
	assert_int_equal(gn_pipeline_feed(p, &c.h, sizeof(c)), 0);
	c.id = GN_COUNTER_COUNT + 7; /* of a later version */
	assert_int_equal(gn_pipeline_feed(p, &c.h, sizeof(c)), 0);
	m = finish(p);
	assert_string_equal(gn_model_info(m, "hello"), "you");
	assert_null(gn_model_info(m, "you"));
	assert_int_equal(m->counters[GN_COUNTER_TORN], 3);
	assert_false(gn_model_lossy(m)); /* torn is no loss */
	m->counters[GN_COUNTER_SINK] = 1;
	assert_true(gn_model_lossy(m));
	m->counters[GN_COUNTER_SINK] = 0;
	m->truncated = true;
	assert_true(gn_model_lossy(m));
	m->checks.unmatched_leaves = 1;
	assert_false(gn_model_broken(m));
	m->checks.time_reversals = 1;
	assert_true(gn_model_broken(m));
	gn_model_free(m);
}

static void percents(void **state)
{
	(void)state;
	assert_true(gn_pct(1, 4) == 25.0);
	assert_true(gn_pct(0, 0) == 0.0);
	assert_true(gn_pct(7, 0) == 0.0);
}

/* Every level is a separate call path; no code may recurse over them. */
static void deep_recursion_makes_a_model(void **state)
{
	struct gn_pipeline *p = new_pipeline();
	uint32_t n = 200000, i, seq = 0;
	struct gn_model *m;

	(void)state;
	for (i = 0; i < n; i++)
		feed(p, i, ++seq, GN_KIND_ENTER, 1, (uint64_t)(n - i) * 16);
	for (i = 0; i < n; i++)
		feed(p, n + i, ++seq, GN_KIND_LEAVE, 1, (uint64_t)(i + 1) * 16);
	feed(p, 2 * n, ++seq, GN_KIND_EXIT, 0, 0);
	m = finish(p);
	assert_int_equal(m->nnodes, n + 2);
	assert_int_equal(m->nfunctions, 1);
	assert_int_equal(m->functions[0].v.calls, n);
	/* entered at 0, left at 2n - 1, counted once at any depth */
	assert_int_equal(m->functions[0].v.elapsed_incl, 2 * n - 1);
	assert_int_equal(m->functions[0].v.elapsed_excl, 2 * n - 1);
	assert_int_equal(m->functions[0].v.max, 2 * n - 1);
	assert_int_equal(m->functions[0].v.min, 1);
	assert_int_equal(m->nedges, 2);
	assert_false(gn_model_broken(m));
	gn_model_free(m);
}

static void after_the_stop_nothing_counts(void **state)
{
	struct gn_pipeline *p = new_pipeline();
	struct gn_model *m;

	(void)state;
	feed(p, 10, 1, GN_KIND_ENTER, 1, 100);
	feed(p, 20, 2, GN_KIND_STOP, 0, 0);
	feed(p, 19, 2, GN_KIND_LEAVE, 1, 100);
	feed(p, 30, 3, GN_KIND_ENTER, 1, 100);
	feed(p, 40, 4, GN_KIND_STOP, 0, 0);
	m = finish(p);
	assert_int_equal(m->nthreads, 1);
	assert_int_equal(m->threads[0].end, 20);
	assert_int_equal(m->functions[0].v.calls, 1);
	assert_int_equal(m->checks.open_frames, 1);
	assert_false(gn_model_broken(m));
	gn_model_free(m);
}

/* The time of a thread before its process was known stays, even if all of it
 * was compilation. */
static void time_before_the_process_counts(void **state)
{
	struct gn_pipeline *p = new_pipeline();
	struct gn_rec_thread exec = {
		.f.h = {.time = 300, .tid = 1, .seq = 3, .kind = GN_KIND_EXEC},
		.pid = 5,
		.comm = "later"};
	struct gn_model *m;

	(void)state;
	feed(p, 100, 1, GN_KIND_JIT_BEGIN, 0, 0);
	feed(p, 300, 2, GN_KIND_JIT_END, 0, 0);
	assert_int_equal(gn_pipeline_feed(p, &exec.f.h, sizeof(exec)), 0);
	feed(p, 400, 4, GN_KIND_EXIT, 0, 0);
	m = finish(p);
	assert_int_equal(m->checks.account_error_ns, 0);
	assert_int_equal(m->session.elapsed_incl, 300);
	gn_model_free(m);
}

static void a_pipeline_can_be_dropped(void **state)
{
	struct gn_pipeline *p = new_pipeline();

	(void)state;
	feed(p, 10, 1, GN_KIND_ENTER, 1, 100);
	feed(p, 20, 2, GN_KIND_ENTER, 2, 90);
	gn_pipeline_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_makes_an_empty_model),
		cmocka_unit_test(records_must_be_whole),
		cmocka_unit_test(texts_must_lie_in_their_record),
		cmocka_unit_test(info_and_counters_are_in_the_model),
		cmocka_unit_test(percents),
		cmocka_unit_test(deep_recursion_makes_a_model),
		cmocka_unit_test(after_the_stop_nothing_counts),
		cmocka_unit_test(time_before_the_process_counts),
		cmocka_unit_test(a_pipeline_can_be_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
