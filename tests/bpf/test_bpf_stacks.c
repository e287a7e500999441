/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples, and which stack a thread is on, from gnomon's BPF programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host.h"
#include "mappings.h"

/* Only traced threads are sampled, and only in the session. Samples do not use
 * up a thread's record numbers. Samples without room in the ring, or without a
 * stack, are counted. */
static void samples(void **state)
{
	static const uint64_t stack[200] = {0x1000, 0x2000, 0x3000};
	const struct gn_rec_sample *r;
	struct host_task *own, *other;
	size_t size, n = 0;

	(void)state;
	host_new(1000000, (struct host_opts){.queue = true});
	own = host_task(7);
	other = host_task(8);
	host_timer(own, stack, 3);
	host_trace(own);
	while (host_sample(n, &size))
		n++;
	host_clock(1000100);
	host_timer(other, stack, 3);
	host_timer(own, stack, 3);
	r = host_sample(n, &size);
	assert_non_null(r);
	assert_int_equal(size, sizeof(*r) + 3 * sizeof(*stack));
	assert_int_equal(r->h.kind, GN_KIND_SAMPLE);
	assert_int_equal(r->h.time, 1000100);
	assert_int_equal(r->h.tid, 7);
	assert_int_equal(r->h.seq, 0);
	assert_int_equal(r->size, size);
	assert_int_equal(r->pid, 7);
	assert_int_equal(r->frames, 3);
	assert_memory_equal(r + 1, stack, 3 * sizeof(*stack));
	host_timer(own, stack, 200);
	r = host_sample(n + 1, &size);
	assert_non_null(r);
	assert_int_equal(r->frames, GN_SAMPLE_FRAMES);
	host_timer(own, stack, 0);
	host_ring_full(true);
	host_timer(own, stack, 3);
	host_timer(other, stack, 3);
	host_ring_full(false);
	assert_null(host_sample(n + 2, &size));
	assert_int_equal(host_counter(GN_COUNTER_SAMPLES_EMPTY), 1);
	assert_int_equal(host_counter(GN_COUNTER_SAMPLES_FULL), 1);
	assert_int_equal(host_counter(GN_COUNTER_RING_FULL), 0);
	host_stop();
	host_clock(9000000);
	host_timer(own, stack, 3);
	assert_null(host_sample(n + 2, &size));
	assert_int_equal(host_counter(GN_COUNTER_SAMPLES_FULL), 1);
}

/* Makes a call with this stack pointer. Returns whether its record is in
 * doubt. */
static bool call_at(struct host_task *t, uint64_t sp)
{
	const struct gn_rec_func *r;

	host_stack(t, sp);
	host_probe(t, true, 5);
	r = host_last(GN_KIND_ENTER);
	assert_non_null(r);
	return r->h.flags & GN_F_IN_DOUBT;
}

static void expect_stack(uint64_t lo, uint64_t hi)
{
	const struct gn_rec_stack *r = host_last(GN_KIND_STACK);

	assert_non_null(r);
	assert_int_equal(r->lo, lo);
	assert_int_equal(r->hi, hi);
}

/* A thread's stack grows, and the thread changes stacks, while other threads
 * change mappings. The stack it is on is still known. */
static void stacks_while_others_map(void **state)
{
	static const struct mapping before[] = {
		{0x20000, 0x30000}, {0x40000, 0x50000}, {0x90000, 0xa0000}};
	static const struct mapping after[] = {
		{0x20000, 0x30000}, {0x40000, 0x50000}, {0x80000, 0xa0000}};
	struct host_task *t;

	(void)state;
	host_new(1000, (struct host_opts){.queue = true});
	mappings_set(before, 3, 16, false);
	t = host_task(7);
	host_trace(t);
	assert_false(call_at(t, 0x9fff0));
	expect_stack(0x90000, 0xa0000);
	host_mappings_busy(true);
	assert_false(call_at(t, 0x2fff0));
	expect_stack(0x20000, 0x30000);
	assert_false(call_at(t, 0x40000));
	expect_stack(0x40000, 0x50000);
	assert_false(call_at(t, 0x9fff0));
	expect_stack(0x90000, 0xa0000);
	mappings_set(after, 3, 16, false);
	assert_false(call_at(t, 0x80000));
	expect_stack(0x90000, 0xa0000); /* not reported again */
	assert_int_equal(host_counter(GN_COUNTER_STACK_BUSY), 0);
}

/* A thread that has made a call on the second of two stacks. */
static struct host_task *on_second_of_two(void)
{
	static const struct mapping m[] = {{0x20000, 0x30000},
					   {0x40000, 0x50000}};
	struct host_task *t;

	host_new(1000, (struct host_opts){.queue = true});
	mappings_set(m, 2, 16, false);
	t = host_task(7);
	host_trace(t);
	assert_false(call_at(t, 0x4fff0));
	return t;
}

/* If a full ring prevents the report of a stack, the next call on it reports
 * it. Until then, calls in an unknown mapping are in doubt. */
static void a_lost_stack_is_told_again(void **state)
{
	struct host_task *t = on_second_of_two();

	(void)state;
	host_ring_full(true);
	host_stack(t, 0x2fff0);
	host_probe(t, true, 5);
	host_ring_full(false);
	expect_stack(0x40000, 0x50000);
	assert_false(call_at(t, 0x2ff00));
	expect_stack(0x20000, 0x30000);
	host_ring_full(true);
	host_stack(t, 0x4fff0);
	host_probe(t, true, 5);
	host_ring_full(false);
	assert_true(call_at(t, 0x60000));
	assert_false(call_at(t, 0x4fff0));
	expect_stack(0x40000, 0x50000);
}

/* An address in no mapping, or in a mapping of another process, is in doubt. */
static void stacks_in_no_mapping(void **state)
{
	struct host_task *t = on_second_of_two();

	(void)state;
	host_mappings_busy(true);
	assert_true(call_at(t, 0x30000));
	assert_true(call_at(t, 0x3ffff));
	assert_true(call_at(t, 0x50000));
	mappings_foreign();
	assert_true(call_at(t, 0x2fff0));
	assert_int_equal(host_counter(GN_COUNTER_STACK_BUSY), 4);
	expect_stack(0x40000, 0x50000);
}

/* Trees of all heights: checks the first and last address of mappings, and the
 * gaps after them. */
static void trees_of_mappings(void **state)
{
	static struct mapping m[MAPPINGS_MAX];
	uint64_t random = 1;
	struct host_task *t;

	(void)state;
	for (uint32_t round = 0; round < 60; round++) {
		uint32_t n =
			1 + host_roll(&random, round < 40 ? 40 : MAPPINGS_MAX);
		uint32_t step = 1 + n / 40; /* checks every step-th mapping */
		uint64_t at = 0x10000;

		for (uint32_t i = 0; i < n; i++) {
			m[i].lo = at + (host_roll(&random, 3) ? 0x1000 : 0);
			m[i].hi =
				m[i].lo + 0x1000 * (1 + host_roll(&random, 9));
			at = m[i].hi;
		}
		host_new(1000, (struct host_opts){.queue = true});
		mappings_set(m, n,
			     n > 40 ? 16 - host_roll(&random, 8)
				    : 4 + host_roll(&random, 13),
			     host_roll(&random, 2));
		t = host_task(7);
		host_trace(t);
		host_mappings_busy(true);
		for (uint32_t i = 0; i < n; i += step) {
			assert_false(call_at(t, m[i].lo));
			expect_stack(m[i].lo, m[i].hi);
			assert_false(call_at(t, m[i].hi - 1));
			if (i + 1 == n || m[i + 1].lo > m[i].hi)
				assert_true(call_at(t, m[i].hi));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples),
		cmocka_unit_test(stacks_while_others_map),
		cmocka_unit_test(a_lost_stack_is_told_again),
		cmocka_unit_test(stacks_in_no_mapping),
		cmocka_unit_test(trees_of_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
