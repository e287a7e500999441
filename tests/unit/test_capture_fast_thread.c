/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of a single thread: their times, and their places among the
 * kernel's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/fast_clock.h"
#include "fast_taken.h"

/* Counters of two CPUs; the second is ahead by some ns. */
static bool agree_ahead(int64_t ahead)
{
	const struct gn_fast_moment m[] = {
		{1000000, 5000, 20},
		{(uint64_t)(1300000 + ahead * 3), 105000, 30},
		{1600000, 205000, 20},
	};

	return gn_fast_moments_agree(m, 3);
}

static void test_counters(void **state)
{
	const struct gn_fast_moment back[] = {{5, 5, 1}, {4, 9, 1}};

	(void)state;
	assert_true(agree_ahead(0));
	assert_true(agree_ahead(70));
	assert_true(agree_ahead(-70));
	assert_false(agree_ahead(80));
	assert_false(agree_ahead(-80));
	/* before the first one */
	assert_false(agree_ahead(-200000));
	assert_false(gn_fast_moments_agree(back, 2));
	assert_false(gn_fast_moments_agree(back, 1));
}

/* A counter that goes back, as when a virtual machine migrates, gives no
 * line. */
static void test_counter_back(void **state)
{
	struct gn_fast_clock *c = calloc(1, sizeof(*c));
	const struct gn_fast_moment m[] = {{1000000, 5000, 20},
					   {31000000, 10005000, 20},
					   {2000000, 20005000, 20}};

	(void)state;
	assert_non_null(c);
	for (int i = 0; i < 2; i++)
		gn_fast_clock_add(c, &m[i]);
	assert_int_equal(gn_fast_clock_bound(c), 10);
	gn_fast_clock_add(c, &m[2]);
	assert_true(gn_fast_clock_bound(c) >= 10000000);
	free(c);
}

/* Three ticks are 1 ns, and a try takes 40 ns. */
static void test_tries(void **state)
{
	struct gn_fast_tries t = {.ns = 1000, .ticks = 3000};

	(void)state;
	gn_fast_moment_try(&t, 3300, 1120, 3480);
	assert_in_range(t.best.apart, 60, 80);
	/* no CPU for 50 us before the next reading */
	gn_fast_moment_try(&t, 153780, 51280, 153900);
	assert_int_equal(t.best.apart, 40);
	assert_int_equal(t.best.ns, 51280);
	assert_int_equal(t.best.ticks, 153840);
	/* and in the next try, after the clock */
	gn_fast_moment_try(&t, 154020, 51360, 304140);
	assert_int_equal(t.best.apart, 40);
	assert_int_equal(t.best.ns, 51280);
	/* and before the clock: that looks like a slow counter */
	gn_fast_moment_try(&t, 304200, 151420, 454320);
	assert_in_range(t.best.apart, 41, 61);
	assert_int_equal(t.best.ns, 51280);
	gn_fast_moment_try(&t, 454380, 151480, 454500);
	assert_int_equal(t.best.apart, 40);
}

static void clock_lines(void **state)
{
	static struct gn_fast_clock c;
	struct gn_fast_moment m = {.ticks = 1000000, .ns = 5000, .apart = 20};

	(void)state;
	gn_fast_clock_add(&c, &m);
	m = (struct gn_fast_moment){1000000 + 30000000, 5000 + 10000000, 20};
	gn_fast_clock_add(&c, &m);
	assert_int_equal(gn_fast_clock_ns(&c, 1000000), 5000);
	assert_int_equal(gn_fast_clock_ns(&c, 1000300), 5100);
	assert_int_equal(gn_fast_clock_ns(&c, 31000300), 10005100);
	/* before the first moment, by the same line */
	assert_int_equal(gn_fast_clock_ns(&c, 999700), 4900);
	/* the rate changes: each time uses its own line */
	m = (struct gn_fast_moment){61000000, 25005000, 20};
	gn_fast_clock_add(&c, &m);
	assert_int_equal(gn_fast_clock_ns(&c, 46000000), 17505000);
	assert_int_equal(gn_fast_clock_ns(&c, 16000000), 5005000);
	/* a moment that goes back is not used */
	m.ns -= 10;
	m.ticks += 10;
	gn_fast_clock_add(&c, &m);
	assert_int_equal(c.n, 3);
	m = (struct gn_fast_moment){91000000, 45005000, 40};
	gn_fast_clock_add(&c, &m);
	/* 15 ms of 20, but the line says 17.5 */
	assert_in_range(c.off, 2499999, 2500002);
	assert_in_range(gn_fast_clock_bound(&c), 2500019, 2500023);
}

static struct gn_rec_func func(enum gn_kind kind, uint64_t time, uint32_t seq,
			       uint32_t os)
{
	return (struct gn_rec_func){
		.h = {.time = time, .tid = TID, .seq = seq, .kind = kind},
		.os_ns = os,
	};
}

static void queue(struct gn_fast_thread *t, const void *rec, size_t size)
{
	assert_int_equal(gn_fast_thread_queue(t, rec, size), 0);
}

static void queue_slice(struct gn_fast_thread *t, uint64_t start, uint64_t end,
			uint32_t seq)
{
	struct gn_rec_slice s = {
		.h = {.time = end,
		      .tid = TID,
		      .seq = seq,
		      .kind = GN_KIND_SLICE},
		.start = start,
	};

	queue(t, &s, sizeof(s));
}

static void queue_func(struct gn_fast_thread *t, uint64_t time, uint32_t seq,
		       uint32_t os)
{
	struct gn_rec_func f = func(GN_KIND_GC_BEGIN, time, seq, os);

	queue(t, &f, sizeof(f));
}

/* A plain event gets the same record as any other event, and leaves the thread
 * in the same state. Returns whether it is plain. */
static bool is_plain(const struct gn_fast_thread *t,
		     const struct gn_fast_event *e)
{
	struct gn_fast_thread plain = *t, any = *t;
	struct gn_fast_counts counts = {0};
	struct taken out = {0};
	struct gn_rec_func r;

	if (!gn_fast_thread_make(&plain, e, gn_fast_thread_plain_until(t), &r))
		return false;
	assert_int_equal(gn_fast_thread_put(&any, e, &counts, take, &out), 0);
	assert_int_equal(out.n, 1);
	assert_int_equal(counts.unordered, 0);
	assert_memory_equal(&out.rec[0].f, &r, sizeof(r));
	assert_memory_equal(&any, &plain, sizeof(any));
	return true;
}

/* Merges as the consumer does, with all events known. */
static void merge(struct gn_fast_thread *t, const uint64_t *times, size_t n,
		  struct gn_fast_counts *counts, struct taken *out)
{
	size_t i = 0;

	for (;;) {
		const struct gn_rec *rec = gn_fast_thread_first(t);
		struct gn_fast_event e = {.kind = GN_KIND_ENTER, .func = 1};

		if (i < n)
			e.time = times[i];
		if (i < n && (!rec || gn_fast_thread_before(t, &e, rec))) {
			out->plain += is_plain(t, &e);
			assert_int_equal(
				gn_fast_thread_put(t, &e, counts, take, out),
				0);
			i++;
		} else if (rec) {
			assert_int_equal(gn_fast_thread_put_first(t, take, out),
					 0);
		} else {
			break;
		}
	}
}

/* The OS time of an interval is that of the slices in it, whichever source ends
 * it. */
static void os_time_follows(void **state)
{
	static const uint64_t times[] = {100, 300, 900};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	queue_func(&t, 50, 10, 5);
	queue_slice(&t, 150, 250, 1);
	queue_slice(&t, 400, 600, 2);
	queue_slice(&t, 1000, 1400, 3);
	queue_func(&t, 1500, 11, 700);
	merge(&t, times, 3, &counts, &out);
	gn_fast_thread_free(&t);
	assert_int_equal(out.n, 8);
	assert_false(out.back);
	assert_int_equal(out.rec[0].f.os_ns, 5);
	assert_int_equal(out.rec[1].h.time, 100);
	assert_int_equal(out.rec[1].f.os_ns, 0);
	assert_int_equal(out.rec[3].h.time, 300);
	assert_int_equal(out.rec[3].f.os_ns, 100);
	assert_true(out.rec[3].h.flags & GN_F_OS_EVENT);
	assert_int_equal(out.rec[5].f.os_ns, 200);
	/* 700 since the kernel's last record, 300 of them attributed */
	assert_int_equal(out.rec[7].f.os_ns, 400);
	assert_int_equal(out.rec[7].h.seq, 14);
	assert_int_equal(counts.records, 3);
	assert_int_equal(counts.unordered, 0);
}

/* Most events of a thread have no record of the kernel near them. */
static void plain_events(void **state)
{
	static const uint64_t times[] = {100, 110, 150, 160, 290, 300,
					 310, 310, 305, 450, 460};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	t.bound = 10;
	queue_slice(&t, 160, 300, 1); /* from the fourth to the sixth */
	queue_func(&t, 400, 11, 140);
	merge(&t, times, 11, &counts, &out);
	gn_fast_thread_free(&t);
	/* not plain: the first ones, the one with the slice, the one that came
	 * too early, and the first one after the kernel's */
	assert_int_equal(out.plain, 6);
	assert_int_equal(counts.records, 11);
	assert_int_equal(counts.unordered, 0);
	assert_false(out.back);
}

/* A time inside a slice is moved to its nearer end. If the clocks cannot
 * explain the distance, that is reported. */
static void inside_a_slice(void **state)
{
	static const uint64_t times[] = {205, 450};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	t.bound = 10;
	queue_slice(&t, 200, 300, 1);
	queue_slice(&t, 400, 480, 2);
	merge(&t, times, 2, &counts, &out);
	gn_fast_thread_free(&t);
	assert_int_equal(out.n, 4);
	assert_int_equal(out.rec[0].h.kind, GN_KIND_ENTER);
	assert_int_equal(out.rec[0].h.time, 200);
	assert_false(out.rec[0].h.flags & GN_F_IN_DOUBT);
	assert_int_equal(out.rec[3].h.kind, GN_KIND_ENTER);
	assert_int_equal(out.rec[3].h.time, 480);
	assert_true(out.rec[3].h.flags & GN_F_IN_DOUBT);
	assert_int_equal(counts.unordered, 1);
}

/* A slice that arrives after later records of its thread is lost, and the next
 * record says so. */
static void late_slice(void **state)
{
	static const uint64_t times[] = {100, 300, 310}, more[] = {600};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	queue_func(&t, 50, 10, 0);
	merge(&t, times, 3, &counts, &out);
	queue_slice(&t, 150, 250, 1);
	queue_func(&t, 320, 11, 100);
	queue_slice(&t, 400, 500, 2);
	merge(&t, more, 1, &counts, &out);
	gn_fast_thread_free(&t);
	assert_int_equal(out.n, 7);
	assert_false(out.back);
	/* no more than its interval has room for, and a record is missing */
	assert_int_equal(out.rec[4].h.kind, GN_KIND_GC_BEGIN);
	assert_int_equal(out.rec[4].f.os_ns, 10);
	assert_int_equal(out.rec[4].h.seq, out.rec[3].h.seq + 2);
	assert_false(out.rec[4].h.flags & GN_F_IN_DOUBT);
	assert_int_equal(out.rec[5].h.kind, GN_KIND_SLICE);
	assert_int_equal(out.rec[5].h.seq, 2);
	assert_int_equal(out.rec[6].f.os_ns, 100);
	assert_int_equal(out.rec[6].h.seq, out.rec[4].h.seq + 1);
	assert_int_equal(counts.records, 4);
}

/* Nobody knows in which interval before the next slice it was. The kernel's
 * next record has its time, but only the part of its own interval is wanted. */
static void lost_slice(void **state)
{
	static const uint64_t times[] = {80, 120, 300, 310, 320};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	queue_func(&t, 50, 10, 0);
	queue_slice(&t, 60, 70, 1);
	queue_slice(&t, 200, 250, 3);
	queue_func(&t, 500, 11, 100);
	queue_func(&t, 600, 12, 0);
	merge(&t, times, 5, &counts, &out);
	gn_fast_thread_free(&t);
	assert_int_equal(out.n, 10);
	/* after missing numbers: 11, 13, and 15 */
	assert_int_equal(out.rec[2].h.seq, 12);
	assert_int_equal(out.rec[3].h.seq, 14);
	assert_int_equal(out.rec[5].h.seq, 16);
	assert_int_equal(out.rec[6].h.seq, 17);
	assert_int_equal(out.rec[7].h.seq, 18);
	assert_int_equal(out.rec[8].h.seq, 20);
	assert_int_equal(out.rec[9].h.seq, 21);
}

/* OS time that exceeds the time since the thread's own record belongs to
 * another interval, but not if it belongs to lost records. */
static void too_much_time(void **state)
{
	static const uint64_t times[] = {100, 200};
	struct gn_fast_counts counts = {0};
	struct gn_fast_thread t;
	struct taken out = {0};

	(void)state;
	gn_fast_thread_init(&t, TID);
	queue_func(&t, 50, 10, 0);
	queue_func(&t, 150, 13, 1000);
	queue_func(&t, 250, 14, 1000);
	merge(&t, times, 2, &counts, &out);
	gn_fast_thread_free(&t);
	assert_int_equal(out.n, 5);
	assert_int_equal(out.rec[2].f.os_ns, 50);
	assert_false(out.rec[2].h.flags & GN_F_IN_DOUBT);
	assert_int_equal(out.rec[4].f.os_ns, 50);
	assert_true(out.rec[4].h.flags & GN_F_IN_DOUBT);
}

/* The ring has half a key: the other half comes from the address nearest to one
 * of the stack. The kernel's knowledge of its mapping adds nothing. */
static void whole_keys(void **state)
{
	static const uint64_t stacks[] = {0x7f0180000100, 0x7f01fffff000,
					  0x7f0200000ff8};
	static const uint64_t keys[] = {0x7f017ffffff8, 0x7f0200000010,
					0x7f01fffffff8};
	struct gn_fast_counts counts = {0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct gn_fast_event e = {.time = 100,
					  .kind = GN_KIND_ENTER,
					  .func = 1,
					  .sp = (uint32_t)keys[i]};
		struct gn_fast_thread t;
		struct gn_rec_stack mapped = {
			.h = {.time = 200,
			      .tid = TID,
			      .seq = 1,
			      .kind = GN_KIND_STACK},
			.lo = stacks[i] & ~0xfffull,
			.hi = (stacks[i] & ~0xfffull) + 0x100000,
		};
		struct taken out = {0};

		gn_fast_thread_init(&t, TID);
		t.stack = stacks[i];
		assert_int_equal(
			gn_fast_thread_put(&t, &e, &counts, take, &out), 0);
		queue(&t, &mapped, sizeof(mapped));
		assert_int_equal(gn_fast_thread_put_first(&t, take, &out), 0);
		e.time = 300;
		assert_int_equal(
			gn_fast_thread_put(&t, &e, &counts, take, &out), 0);
		gn_fast_thread_free(&t);
		assert_int_equal(out.n, 3);
		assert_int_equal(out.rec[0].h.key, keys[i]);
		assert_int_equal(out.rec[2].h.key, keys[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters),
		cmocka_unit_test(test_counter_back),
		cmocka_unit_test(test_tries),
		cmocka_unit_test(clock_lines),
		cmocka_unit_test(os_time_follows),
		cmocka_unit_test(plain_events),
		cmocka_unit_test(inside_a_slice),
		cmocka_unit_test(late_slice),
		cmocka_unit_test(lost_slice),
		cmocka_unit_test(too_much_time),
		cmocka_unit_test(whole_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
