// SPDX-License-Identifier: BSD-2-Clause
/* The cost of an event's probes is subtracted from the interval that contains
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <gnomon/event.h>
#include "model_feed.h"

#define FN(n) GN_FUNC(GN_RUNTIME_CLR, n)

/* Cost of a hit: 7 before, 3 after. */
static struct feed begin(bool raw)
{
	struct gn_pipeline_opts opts = {
		.classify = GN_CLASSIFY_EXACT, .raw = raw, .families = ~0u};
	struct feed f = {.p = gn_pipeline_new(&opts)};
	struct gn_rec_cost cost = {.h = {.time = 1, .kind = GN_KIND_COST},
				   .id = GN_PROBE_MANAGED,
				   .samples = 100,
				   .before_ns = 7,
				   .after_ns = 3,
				   .spread_ns = 1};

	assert_non_null(f.p);
	feed_rec(&f, &cost, sizeof(cost));
	return f;
}

static void tell(struct feed *f, uint64_t time, uint16_t event, uint32_t func,
		 uint64_t value)
{
	struct gn_rec_event r = {.h = {.time = time,
				       .tid = 1,
				       .seq = ++f->seq[1],
				       .kind = GN_KIND_EVENT},
				 .func = func,
				 .event = event,
				 .value = {value, 0}};

	feed_rec(f, &r, sizeof(r));
}

/* A call from 200 to 400, with an exception from 250 to 350 and three events in
 * it. */
static struct gn_model *play(struct feed *f)
{
	feed_thread(f, 100, 1, GN_KIND_THREAD, 1, 0);
	feed_event(f, 200, 1, GN_KIND_ENTER, FN(1), 0x100, 0);
	tell(f, 250, GN_RT_THROW, FN(2), 0);
	tell(f, 300, GN_RT_THROWN_IN, FN(1), 0);
	tell(f, 350, GN_RT_CATCH, FN(1), 2);
	feed_event(f, 400, 1, GN_KIND_LEAVE, FN(1), 0x100, 0);
	feed_event(f, 500, 1, GN_KIND_EXIT, 0, 0, 0);
	return feed_finish(f);
}

static void events_cost(void **state)
{
	struct feed f = begin(false);
	struct gn_model *m = play(&f);

	(void)state;
	/* the two hits of the call take 3 and 7 of it */
	assert_int_equal(m->functions[0].v.elapsed_incl, 200 - 3 - 30 - 7);
	assert_int_equal(m->probe_cost, 2 * 10 + 30);
	assert_int_equal(m->costs[GN_PROBE_MANAGED].hits, 5);
	for (unsigned int i = 0; i < GN_FAMILY_COUNT; i++) {
		bool mine = 1u << i == GN_FAMILY_EXCEPTIONS;

		assert_int_equal(m->events_cost[i].hits, mine ? 3 : 0);
		assert_int_equal(m->events_cost[i].ns, mine ? 30 : 0);
	}
	/* two hits between the throw and the catch */
	assert_int_equal(m->nexceptions, 1);
	assert_int_equal(m->exceptions[0].ns, 100 - 20);
	gn_model_free(m);
}

static void raw_times_keep_it(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m = play(&f);

	(void)state;
	assert_int_equal(m->functions[0].v.elapsed_incl, 200);
	assert_int_equal(m->exceptions[0].ns, 100);
	gn_model_free(m);
}

/* The catch of the first exception is lost, so it is not reported as uncaught.
 * The second one is thrown after the loss, before another record shows the
 * loss. */
static void a_catch_can_be_lost(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 100, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 200, 1, GN_KIND_ENTER, FN(1), 0x100, 0);
	tell(&f, 250, GN_RT_THROW, FN(2), 0);
	f.seq[1]++;
	tell(&f, 300, GN_RT_THROW, FN(3), 0);
	feed_event(&f, 350, 1, GN_KIND_ENTER, FN(4), 0xf0, 0);
	feed_event(&f, 360, 1, GN_KIND_LEAVE, FN(4), 0xf0, 0);
	tell(&f, 370, GN_RT_CATCH, FN(1), 3);
	feed_event(&f, 400, 1, GN_KIND_LEAVE, FN(1), 0x100, 0);
	feed_event(&f, 500, 1, GN_KIND_EXIT, 0, 0, 0);
	m = feed_finish(&f);
	assert_int_equal(m->nexceptions, 1);
	assert_int_equal(m->exceptions[0].count, 1);
	assert_true(m->exceptions[0].caught);
	assert_int_equal(m->exceptions[0].ns, 70);
	gn_model_free(m);
}

#define UNCAUGHT 100 /* more than a thread can have open */

/* Exceptions that nobody caught do not displace two that were caught. */
static void the_oldest_are_dropped(void **state)
{
	uint64_t uncaught = 0, caught = 0, ns = 0;
	struct feed f = begin(true);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 100, 1, GN_KIND_THREAD, 1, 0);
	for (uint64_t i = 0; i < UNCAUGHT; i++)
		tell(&f, 200 + i, GN_RT_THROW, FN(2), 0);
	tell(&f, 400, GN_RT_THROW, FN(3), 0);
	tell(&f, 410, GN_RT_THROW, FN(4), 0);
	tell(&f, 420, GN_RT_CATCH, FN(1), 4);
	tell(&f, 450, GN_RT_CATCH, FN(1), 3);
	feed_event(&f, 500, 1, GN_KIND_EXIT, 0, 0, 0);
	m = feed_finish(&f);
	for (size_t i = 0; i < m->nexceptions; i++) {
		const struct gn_model_exception *x = &m->exceptions[i];

		*(x->caught ? &caught : &uncaught) += x->count;
		ns += x->ns;
	}
	assert_int_equal(uncaught, UNCAUGHT);
	assert_int_equal(caught, 2);
	assert_int_equal(ns, 10 + 50);
	gn_model_free(m);
}

static const struct gn_model_event *event_of(const struct gn_model *m,
					     uint16_t event, int nth)
{
	for (size_t i = 0; i < m->nevents; i++)
		if (m->events[i].event == event && !nth--)
			return &m->events[i];
	fail();
	return NULL;
}

static void assert_event(const struct gn_model *m, uint16_t event, int nth,
			 uint64_t start, uint64_t end, bool no_end)
{
	const struct gn_model_event *e = event_of(m, event, nth);

	assert_int_equal(e->start, start);
	assert_int_equal(e->end, end);
	assert_int_equal(e->no_end, no_end);
	assert_int_equal(e->no_cpu, no_end);
}

/* FN(1) catches in each of 100 rounds of 50 ns. FN(3) was unwound before:
 * `inner` ends that unwind, or a handler in it throws and nothing ends it. */
static struct gn_model *unwind_often(uint16_t inner, uint32_t fn)
{
	struct feed f = begin(true);

	feed_thread(&f, 100, 1, GN_KIND_THREAD, 1, 0);
	for (uint64_t at = 0; at < 100 * 50; at += 50) {
		tell(&f, 200 + at, GN_RT_UNWIND, FN(3), 0);
		tell(&f, 205 + at, inner, FN(fn), 0);
		tell(&f, 220 + at, GN_RT_UNWIND, FN(1), 0);
		tell(&f, 230 + at, GN_RT_CATCH, FN(1), 2);
		tell(&f, 240 + at, GN_RT_CAUGHT, FN(0), 0);
	}
	feed_event(&f, 9000, 1, GN_KIND_EXIT, 0, 0, 0);
	return feed_finish(&f);
}

/* The unwind of the catching function has no end of its own. */
static void a_catch_ends_its_unwind(void **state)
{
	struct gn_model *m = unwind_often(GN_RT_UNWOUND, 0);

	(void)state;
	for (int i = 0; i < 100; i++) {
		uint64_t at = 50 * (uint64_t)i;

		assert_event(m, GN_RT_UNWIND, 2 * i, 200 + at, 205 + at, false);
		assert_event(m, GN_RT_UNWIND, 2 * i + 1, 220 + at, 230 + at,
			     false);
		assert_event(m, GN_RT_CATCH, i, 230 + at, 240 + at, false);
	}
	gn_model_free(m);
}

/* A handler throws: the stretches of the replaced exception have no end. Other
 * stretches of the thread keep their ends, however many there are. */
static void replaced_exceptions_have_no_end(void **state)
{
	struct gn_model *m = unwind_often(GN_RT_FINALLY, 3);

	(void)state;
	for (int i = 0; i < 100; i++) {
		uint64_t at = 50 * (uint64_t)i;

		assert_event(m, GN_RT_UNWIND, 2 * i, 200 + at, 200 + at, true);
		assert_event(m, GN_RT_FINALLY, i, 205 + at, 205 + at, true);
		assert_event(m, GN_RT_UNWIND, 2 * i + 1, 220 + at, 230 + at,
			     false);
		assert_event(m, GN_RT_CATCH, i, 230 + at, 240 + at, false);
	}
	gn_model_free(m);
}

/* The ends of the first ones are lost: the ends of the next ones still fit. */
static void ends_can_be_lost(void **state)
{
	static const enum gn_kind kinds[] = {
		GN_KIND_SUSPEND_BEGIN, GN_KIND_GC_BEGIN,    GN_KIND_JIT_BEGIN,
		GN_KIND_JIT_END,       GN_KIND_SUSPEND_END, GN_KIND_GC_END};
	struct feed f = begin(true);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 100, 1, GN_KIND_THREAD, 1, 0);
	for (uint64_t i = 0; i < 3; i++)
		feed_event(&f, 200 + 10 * i, 1, kinds[i], FN(1), 0, 0);
	f.seq[1]++;
	/* their begins are lost */
	for (uint64_t i = 3; i < 6; i++)
		feed_event(&f, 300 + 10 * i, 1, kinds[i], FN(1), 0, 0);
	for (uint64_t i = 0; i < 6; i++)
		feed_event(&f, 400 + 10 * i, 1, kinds[i], FN(1), 0, 0);
	feed_event(&f, 900, 1, GN_KIND_EXIT, 0, 0, 0);
	m = feed_finish(&f);
	assert_event(m, GN_RT_SUSPEND, 0, 200, 200, true);
	assert_event(m, GN_RT_SUSPEND, 1, 400, 440, false);
	assert_event(m, GN_RT_COLLECT, 0, 210, 210, true);
	assert_event(m, GN_RT_COLLECT, 1, 410, 450, false);
	assert_event(m, GN_RT_COMPILE, 0, 220, 220, true);
	assert_event(m, GN_RT_COMPILE, 1, 420, 430, false);
	gn_model_free(m);
}

/* The last records of a thread are lost, with its end. `end`: that of the
 * session; 0: the file has no end, so the thread goes on there like all
 * others. */
static struct gn_model *lose_the_rest(uint64_t end)
{
	struct gn_rec_session session = {.h = {.kind = GN_KIND_SESSION},
					 .end = end};
	struct gn_rec_count count = {.h = {.kind = GN_KIND_COUNT},
				     .id = GN_COUNTER_RING_FULL,
				     .count = 5};
	struct feed f = begin(true);

	feed_thread(&f, 100, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 200, 1, GN_KIND_SUSPEND_BEGIN, FN(0), 1, 0);
	feed_event(&f, 210, 1, GN_KIND_GC_BEGIN, FN(0), 0x201, 0);
	feed_event(&f, 220, 1, GN_KIND_JIT_BEGIN, FN(1), 0, 0);
	feed_rec(&f, &count, sizeof(count));
	feed_rec(&f, &session, sizeof(session));
	return feed_finish(&f);
}

static void the_last_records_can_be_lost(void **state)
{
	struct gn_model *m = lose_the_rest(900);

	(void)state;
	assert_event(m, GN_RT_SUSPEND, 0, 200, 200, true);
	assert_event(m, GN_RT_COLLECT, 0, 210, 210, true);
	assert_event(m, GN_RT_COMPILE, 0, 220, 220, true);
	assert_int_equal(m->threads[0].gaps, 1);
	assert_int_equal(m->threads[0].end, 900);
	gn_model_free(m);
	m = lose_the_rest(0);
	assert_false(event_of(m, GN_RT_COMPILE, 0)->no_end);
	assert_int_equal(m->threads[0].gaps, 0);
	gn_model_free(m);
}

/* It is not reported when such a compilation threw. */
static void compilations_that_threw_have_no_end(void **state)
{
	struct feed f = begin(true);
	struct gn_model *m;

	(void)state;
	feed_thread(&f, 100, 1, GN_KIND_THREAD, 1, 0);
	feed_event(&f, 200, 1, GN_KIND_JIT_BEGIN, FN(1), 0xf00, 0);
	feed_event(&f, 210, 1, GN_KIND_JIT_BEGIN, FN(2), 0xe00, 0);
	/* a frame above where it began */
	feed_event(&f, 220, 1, GN_KIND_ENTER, FN(3), 0xe80, 0);
	feed_event(&f, 230, 1, GN_KIND_LEAVE, FN(3), 0xe80, 0);
	feed_event(&f, 240, 1, GN_KIND_JIT_END, FN(2), GN_JIT_GONE, 0);
	feed_event(&f, 250, 1, GN_KIND_JIT_END, FN(1), 10, 0);
	feed_event(&f, 300, 1, GN_KIND_JIT_BEGIN, FN(4), 0xf00, 0);
	feed_event(&f, 310, 1, GN_KIND_JIT_END, FN(4), GN_JIT_GONE, 0);
	feed_event(&f, 900, 1, GN_KIND_EXIT, 0, 0, 0);
	m = feed_finish(&f);
	assert_event(m, GN_RT_COMPILE, 0, 200, 250, false);
	assert_event(m, GN_RT_COMPILE, 1, 210, 210, true);
	assert_event(m, GN_RT_COMPILE, 2, 300, 300, true);
	gn_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_cost),
		cmocka_unit_test(raw_times_keep_it),
		cmocka_unit_test(a_catch_can_be_lost),
		cmocka_unit_test(the_oldest_are_dropped),
		cmocka_unit_test(a_catch_ends_its_unwind),
		cmocka_unit_test(replaced_exceptions_have_no_end),
		cmocka_unit_test(ends_can_be_lost),
		cmocka_unit_test(the_last_records_can_be_lost),
		cmocka_unit_test(compilations_that_threw_have_no_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
