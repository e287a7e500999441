/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BPF programs write to the ring, as records. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/event.h>
#include <gnomon/syscalls.h>
#include "capture/drain.h"

struct taken {
	struct gn_rec_slice rec[4];
	size_t n;
	int fail; /* from the n-th call on: -EIO */
};

static int take(void *ctx, const struct gn_rec *rec, size_t size)
{
	struct taken *t = ctx;

	if (t->fail && t->n + 1 >= (size_t)t->fail)
		return -EIO;
	assert_true(t->n < 4);
	assert_int_equal(rec->kind, GN_KIND_SLICE);
	assert_int_equal(size, sizeof(t->rec[0]));
	memcpy(&t->rec[t->n++], rec, size);
	return 0;
}

static struct gn_rec_slice sent(uint64_t start, uint64_t end, uint64_t queued)
{
	return (struct gn_rec_slice){
		.h = {.time = end,
		      .tid = 7,
		      .seq = 12,
		      .kind = GN_KIND_SLICE,
		      .flags = GN_F_IN_PROBE | (queued ? GN_F_THEN_QUEUED : 0),
		      .key = queued},
		.start = start,
		.waker = 3,
		.reason = 0,
		.class = GN_CLASS_IPC,
	};
}

static void test_one(void **state)
{
	struct gn_rec_slice r = sent(100, 130, 0);
	struct taken t = {.n = 0};

	(void)state;
	assert_int_equal(gn_drain_sample(&r, sizeof(r), take, &t), 0);
	assert_int_equal(t.n, 1);
	assert_memory_equal(&t.rec[0], &r, sizeof(r));
}

static void test_wait_and_queue(void **state)
{
	struct gn_rec_slice r = sent(100, 130, 20), wait, queue;
	struct taken t = {.n = 0};

	(void)state;
	wait = sent(100, 110, 0);
	wait.h.seq = 11;
	queue = sent(110, 130, 0);
	queue.class = GN_CLASS_RUNQUEUE;
	queue.reason = GN_NO_SYSCALL;
	assert_int_equal(gn_drain_sample(&r, sizeof(r), take, &t), 0);
	assert_int_equal(t.n, 2);
	assert_memory_equal(&t.rec[0], &wait, sizeof(wait));
	assert_memory_equal(&t.rec[1], &queue, sizeof(queue));
}

/* Slices that waited for each other, the second one with its run queue. The
 * rest of the room is empty. */
static void test_kept(void **state)
{
	struct gn_rec_slice r[GN_SLICES] = {
		sent(100, 110, 0), sent(120, 150, 20), sent(160, 170, 0)};
	struct taken t = {.n = 0};

	(void)state;
	r[3].start = 5; /* from an earlier time */
	assert_int_equal(gn_drain_sample(r, sizeof(r), take, &t), 0);
	assert_int_equal(t.n, 4);
	assert_memory_equal(&t.rec[0], &r[0], sizeof(r[0]));
	assert_int_equal(t.rec[1].h.time, 130);
	assert_int_equal(t.rec[2].h.time, 150);
	assert_memory_equal(&t.rec[3], &r[2], sizeof(r[2]));
	t.n = 0;
	t.fail = 3;
	assert_int_equal(gn_drain_sample(r, sizeof(r), take, &t), -EIO);
	t.n = 0;
	t.fail = 0;
	r[1].h.kind = GN_KIND_EXIT;
	assert_int_equal(gn_drain_sample(r, sizeof(r), take, &t), -EBADMSG);
	assert_int_equal(t.n, 1);
}

static void test_bad(void **state)
{
	struct gn_rec_slice r = sent(100, 130, 31);
	struct taken t = {.n = 0};

	(void)state;
	assert_int_equal(gn_drain_sample(&r, sizeof(r), take, &t), -EBADMSG);
	r = sent(100, 130, 20);
	assert_int_equal(gn_drain_sample(&r, sizeof(r) - 8, take, &t),
			 -EBADMSG);
	assert_int_equal(gn_drain_sample(&r, 8, take, &t), -EBADMSG);
	r.h.kind = 255;
	assert_int_equal(gn_drain_sample(&r, sizeof(r), take, &t), -EBADMSG);
	assert_int_equal(t.n, 0);
}

static void test_sink_fails(void **state)
{
	struct gn_rec_slice r = sent(100, 130, 20);
	struct taken t = {.fail = 1};

	(void)state;
	assert_int_equal(gn_drain_sample(&r, sizeof(r), take, &t), -EIO);
	t.fail = 2;
	assert_int_equal(gn_drain_sample(&r, sizeof(r), take, &t), -EIO);
	assert_int_equal(t.n, 1);
}

/* The table agrees with the list, and has nothing for other numbers. */
static void test_rules(void **state)
{
	int want[1 << 16];

	(void)state;
	for (size_t i = 0; i < 1 << 16; i++)
		want[i] = GN_CLASS_OTHER;
#define GN_CLASS_FD		 GN_RULE_FD
#define GN_CLASS_FUTEX		 GN_RULE_FUTEX
#define GN_CLASS_POLL_FDS	 GN_RULE_POLL_FDS
#define GN_CLASS_POLL_SETS	 GN_RULE_POLL_SETS
#define GN_CLASS_OPEN		 GN_RULE_OPEN
#define GN_CLASS_SPLICE		 GN_RULE_SPLICE
#define WANT(number, name, rule) want[number] = GN_CLASS_##rule;
	GN_SYSCALL_LIST(WANT)
#undef WANT
#undef GN_CLASS_FD
#undef GN_CLASS_FUTEX
#undef GN_CLASS_POLL_FDS
#undef GN_CLASS_POLL_SETS
#undef GN_CLASS_OPEN
#undef GN_CLASS_SPLICE
	for (uint32_t i = 0; i < 1 << 16; i++)
		assert_int_equal(gn_syscall_rule(i), want[i]);
	assert_int_equal(gn_syscall_rule(UINT32_MAX), GN_CLASS_OTHER);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_wait_and_queue),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_sink_fails),
		cmocka_unit_test(test_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
