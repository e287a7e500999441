/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads' own records in rings that they share with gnomon: their order across
 * threads, and memory with arbitrary content. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fast_feed.h"

/* Memory that can shrink would end gnomon by SIGBUS. */
static void unsealed(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = open_fixture_of(F_SEAL_GROW, false);

	(void)state;
	assert_int_equal(x->page->taken, 0);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.refused, 1);
	close_fixture(x);
}

/* Up to the end of the ring, again from its beginning, and records without
 * room. */
static void round_the_ring(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = open_fixture_of(SEALS, true);

	(void)state;
	assert_int_equal(x->page->taken, 1);
	tell(x, GN_FAST_CLAIM, 3, TID);
	for (int i = 0; i < 10000; i++) {
		if (x->rings[3].head == GN_FAST_FIRST - GN_FAST_RECORD)
			write_record(x, 3, GN_FAST_WRAP);
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
		if (i % 100 == 99) {
			merge(x);
			assert_int_equal(x->rings[3].tail, x->rings[3].head);
		}
	}
	write_record(x, 3, GN_FAST_LOST);
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.records, 10000);
	assert_int_equal(facts.counts.dropped, 8);
	assert_int_equal(facts.counts.hostile, 0);
	assert_false(x->out.back);
	close_fixture(x);
}

/* A ring that goes back to before the mark up to which it is read. */
static void round_without_end(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = open_claimed();

	(void)state;
	while (x->rings[3].head < GN_FAST_FIRST - GN_FAST_RECORD)
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	write_record(x, 3, GN_FAST_WRAP);
	x->rings[3].head = 2 * GN_FAST_FIRST;
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.hostile, 1);
	close_fixture(x);
}

/* A hook loses records only when gnomon allows it. */
static void lost_without_leave(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = open_claimed();

	(void)state;
	write_record(x, 3, GN_FAST_LOST);
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.dropped, 0);
	assert_int_equal(facts.counts.hostile, 1);
	close_fixture(x);
}

/* The time of a wait comes from the record after it, not from the thread. */
static void waits_are_counted(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = open_claimed();

	(void)state;
	memset(x->rings[3].pad2, 0x7f, sizeof(x->rings[3].pad2));
	for (int i = 0; i < 3; i++) {
		write_record(x, 3, GN_FAST_WAITED);
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	}
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.waits, 3);
	assert_in_range(facts.counts.waited_ns, 0, 1000000000);
	close_fixture(x);
}

/* Threads without a ring count once, however often they report that. */
static void ringless_are_counted(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = open_fixture();

	(void)state;
	for (uint32_t i = 0; i < 10; i++)
		tell(x, GN_FAST_RINGLESS, 0, TID + i % 2);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.ringless, 2);
	close_fixture(x);
}

/* Hooks write nothing when they are told that gnomon does not read. If gnomon
 * did not tell them so, records are missing. */
static void taken_away(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = open_claimed();

	(void)state;
	x->page->taken = 77;
	for (int i = 0; i < 2; i++) {
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
		merge(x);
	}
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.records, 2);
	assert_int_equal(facts.counts.hostile, 1);
	/* numbers: the offer, the claim, the missing record, and two records */
	assert_int_equal(x->out.rec[x->out.n - 1].h.seq, 5);
	close_fixture(x);
}

/* gnomon does not sleep while a thread waits for it. It does sleep when there
 * is nothing to read, whatever the memory says. */
static void no_sleep_while_one_waits(void **state)
{
	struct fixture *x = open_claimed();

	(void)state;
	assert_true(gn_fast_sleep(x->f));
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	assert_true(gn_fast_sleep(x->f));
	x->rings[3].wants = 1;
	assert_false(gn_fast_sleep(x->f));
	assert_int_equal(x->page->sleeping, 1);
	gn_fast_awake(x->f);
	assert_int_equal(x->page->sleeping, 0);
	merge(x);
	assert_int_equal(x->rings[3].wants, 0);
	assert_true(gn_fast_sleep(x->f));
	x->rings[3].wants = 1;
	assert_true(gn_fast_sleep(x->f));
	close_fixture(x);
}

static void write_records(struct fixture *x, uint32_t slot, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes / GN_FAST_RECORD; i++)
		write_record(x, slot, 5 << 2 | GN_FAST_ENTER);
}

/* A thread that waits gets room at once, but is woken only when half of its
 * ring is free, at the ring's end, too. */
static void woken_when_half_is_free(void **state)
{
	const uint32_t part = GN_FAST_FIRST / 4;
	struct fixture *x = open_claimed();

	(void)state;
	merge(x);
	write_records(x, 3, part);
	gn_fast_mark(x->f);
	write_records(x, 3, 2 * part + GN_FAST_RECORD);
	atomic_store(&x->rings[3].wants, 1);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(atomic_load(&x->rings[3].tail), part);
	assert_int_equal(atomic_load(&x->rings[3].wants), 1);
	assert_false(gn_fast_sleep(x->f));
	gn_fast_awake(x->f);
	merge(x);
	assert_int_equal(atomic_load(&x->rings[3].wants), 0);

	write_records(x, 3, part - 3 * GN_FAST_RECORD);
	gn_fast_mark(x->f);
	write_record(x, 3, GN_FAST_WRAP);
	write_records(x, 3, 2 * part);
	atomic_store(&x->rings[3].wants, 1);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(atomic_load(&x->rings[3].wants), 1);
	merge(x);
	assert_int_equal(atomic_load(&x->rings[3].wants), 0);
	close_fixture(x);
}

/* Arbitrary bytes in the memory: nothing outside a slot is read, nothing goes
 * backwards, and the kernel's records still arrive. */
static void any_bytes(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 40; round++) {
		struct fixture *x = open_fixture();

		tell(x, GN_FAST_CLAIM, 1, TID);
		tell(x, GN_FAST_CLAIM, 1, TID + 1);
		tell(x, GN_FAST_CLAIM, (uint64_t)rand_r(&seed) << 8, TID + 2);
		for (int i = 0; i < 200; i++) {
			uint32_t at = (uint32_t)rand_r(&seed) % GN_FAST_SLOT;
			unsigned char *p = x->data + GN_FAST_SLOT;

			if (i % 3)
				at %= 4096;
			write_record(x, 1, (uint32_t)rand_r(&seed) % 64);
			p[at] = (unsigned char)rand_r(&seed);
			if (i % 50 == 49)
				x->rings[1].head = (uint32_t)rand_r(&seed) &
						   (GN_FAST_SLOT - 16);
			if (x->rings[1].head > GN_FAST_SLOT - 64)
				x->rings[1].head = 0;
			merge(x);
		}
		assert_int_equal(gn_fast_flush(x->f), 0);
		assert_false(x->out.back);
		close_fixture(x);
	}
}

/* Compilations: with or without an index, a begin with an address on the stack,
 * an end with the size of the code. */
static void compilations(void **state)
{
	static const struct {
		uint32_t what;
		enum gn_kind kind;
		uint32_t index;
		uint64_t key;
	} seen[] = {
		{GN_FAST_JIT_BEGIN, GN_KIND_JIT_BEGIN, 0, 0x7fff00000008},
		{5 << 2 | GN_FAST_JIT_BEGIN, GN_KIND_JIT_BEGIN, 5,
		 0x7fff00000008},
		{5 << 2 | GN_FAST_JIT_END, GN_KIND_JIT_END, 5, 8},
		{GN_FAST_JIT_END, GN_KIND_JIT_END, 0, 8},
	};
	struct gn_fast_facts facts;
	struct fixture *x = open_claimed();
	size_t first;

	(void)state;
	merge(x);
	first = x->out.n;
	for (size_t i = 0; i < 4; i++)
		write_record(x, 3, seen[i].what);
	merge(x);
	assert_int_equal(x->out.n, first + 4);
	for (size_t i = 0; i < 4; i++) {
		const struct gn_rec_func *r = &x->out.rec[first + i].f;

		assert_int_equal(r->h.kind, seen[i].kind);
		assert_int_equal(r->func,
				 GN_FUNC(GN_RUNTIME_CLR, seen[i].index));
		assert_int_equal(r->h.key, seen[i].key);
		assert_true(r->h.flags & GN_F_OWN);
	}
	/* no further kinds of these exist */
	write_record(x, 3, 5 << 2 | GN_FAST_COMPILES | 2);
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.hostile, 1);
	close_fixture(x);
}

/* The effect of a thread on others comes before their later records, whether
 * the thread is in a hook by then, and whether they have rings. */
static void order_between_threads(void **state)
{
	static const struct {
		enum gn_kind kind;
		uint32_t tid;
	} order[] = {
		{GN_KIND_RING, TID},
		{GN_KIND_SUSPEND_BEGIN, TID},
		{GN_KIND_SUSPEND_END, TID},
		{GN_KIND_SUSPEND_BEGIN, TID + 1},
	};
	struct fixture *x = open_fixture();
	size_t first;

	(void)state;
	merge(x);
	first = x->out.n;
	tell(x, GN_FAST_CLAIM, 3, TID);
	kernel_record(x, GN_KIND_SUSPEND_BEGIN, TID, 100);
	kernel_record(x, GN_KIND_SUSPEND_END, TID, 200);
	kernel_record(x, GN_KIND_SUSPEND_BEGIN, TID + 1, 300);
	x->rings[3].busy = 1;
	/* this one may come after one that the hook is about to write */
	kernel_record(x, GN_KIND_GC_BEGIN, TID, 400);
	merge(x);
	assert_int_equal(x->out.n, first + 4);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(x->out.rec[first + i].h.kind, order[i].kind);
		assert_int_equal(x->out.rec[first + i].h.tid, order[i].tid);
	}
	x->rings[3].busy = 0;
	merge(x);
	assert_int_equal(x->out.rec[first + 4].h.kind, GN_KIND_GC_BEGIN);
	close_fixture(x);
}

/* A thread that gets its ring during a round is read up to its own mark. So a
 * function that it named has its name before others call it. */
static void new_ring_is_marked_again(void **state)
{
	struct fixture *x = open_claimed();
	size_t first;

	(void)state;
	assert_true(gn_fast_has_fresh(x->f));
	gn_fast_mark(x->f);
	assert_false(gn_fast_has_fresh(x->f));
	assert_int_equal(gn_fast_merge(x->f), 0);
	first = x->out.n;
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	gn_fast_mark(x->f);
	tell(x, GN_FAST_CLAIM, 4, TID + 1);
	kernel_record(x, GN_KIND_JIT_END, TID + 1, 100);
	assert_true(gn_fast_has_fresh(x->f));
	merge(x);
	assert_int_equal(x->out.n, first + 3);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_JIT_END);
	assert_int_equal(x->out.rec[first + 2].h.kind, GN_KIND_ENTER);
	close_fixture(x);
}

/* A thread that never leaves its hook: its other records do not wait
 * forever. */
static void in_a_hook_for_ever(void **state)
{
	struct fixture *x = open_claimed();
	size_t given = 0;

	(void)state;
	merge(x);
	x->rings[3].busy = 1;
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 100000; i++)
			kernel_record(x, GN_KIND_GC_BEGIN, TID, 400 + ++given);
		merge(x);
	}
	assert_true(x->out.all > given / 2);
	close_fixture(x);
}

/* Many such threads, with a little each, do not make gnomon keep a lot. */
static void many_in_hooks_for_ever(void **state)
{
	enum { THREADS = 200, ROUNDS = 60, EACH = 500 };
	struct fixture *x = open_fixture();
	size_t given = 0;

	(void)state;
	for (uint32_t i = 1; i <= THREADS; i++) {
		tell(x, GN_FAST_CLAIM, i, TID + i);
		x->rings[i].busy = 1;
	}
	merge(x);
	for (int round = 0; round < ROUNDS; round++) {
		for (uint32_t i = 0; i < THREADS * EACH; i++)
			kernel_record(x, GN_KIND_GC_BEGIN,
				      TID + 1 + i % THREADS, 400 + ++given);
		merge(x);
	}
	assert_true(x->out.all > given / 2);
	close_fixture(x);
}

/* A forked child begins inside the calls that its parent wrote. Then the parent
 * has room, and does not wait for it any more. */
static void parents_calls_come_before(void **state)
{
	struct fixture *x = open_fixture();
	size_t first;

	(void)state;
	merge(x);
	tell(x, GN_FAST_CLAIM, 3, TID);
	merge(x);
	first = x->out.n;
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	begin_child(x, TID + 1, gn_now_ns() + 1000000);
	atomic_store(&x->rings[3].wants, 1);
	merge(x);
	assert_int_equal(x->out.n, first + 2);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_ENTER);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_THREAD);
	assert_int_equal(atomic_load(&x->rings[3].wants), 0);
	assert_int_equal(atomic_load(&x->rings[3].tail),
			 atomic_load(&x->rings[3].head));
	close_fixture(x);
}

/* gnomon learns of a thread after the mark, from a record before the mark: what
 * others did later comes later. */
static void order_of_new_thread(void **state)
{
	struct fixture *x = open_claimed();
	size_t first;

	(void)state;
	merge(x);
	first = x->out.n;
	move_ring(x, 0, 100);
	gn_fast_mark(x->f);
	begin_child(x, TID + 1, 0);
	move_ring(x, 50, 100);
	kernel_record(x, GN_KIND_EXIT, TID, 100);
	move_ring(x, 100, 100);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->out.n, first + 2);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_THREAD);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_EXIT);
	close_fixture(x);
}

/* A forked child is in its first hook when its ring is marked: what its creator
 * did after the fork still comes after the child's birth. */
static void order_of_new_child_in_a_hook(void **state)
{
	struct fixture *x = open_claimed();
	uint64_t birth;
	size_t first;

	(void)state;
	merge(x);
	first = x->out.n;
	birth = gn_now_ns();
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	begin_child(x, TID + 1, birth);
	tell(x, GN_FAST_CLAIM, 4, TID + 1);
	x->rings[4].busy = 1;
	/* this one may come after one that the hook is about to write */
	kernel_record(x, GN_KIND_GC_BEGIN, TID + 1, gn_now_ns());
	merge(x);
	assert_int_equal(x->out.n, first + 3);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_THREAD);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_RING);
	assert_int_equal(x->out.rec[first + 2].h.kind, GN_KIND_ENTER);
	close_fixture(x);
}

/* What happens while the rings are marked. NULL: nothing. */
static void (*at_mark)(void *ctx);
static void *at_mark_ctx;

void __real_gn_fast_check(struct gn_fast *f);
void __wrap_gn_fast_check(struct gn_fast *f);

void __wrap_gn_fast_check(struct gn_fast *f)
{
	if (at_mark)
		at_mark(at_mark_ctx);
	__real_gn_fast_check(f);
}

struct fork {
	struct fixture *x;
	uint64_t birth;
};

static void fork_and_call(void *ctx)
{
	struct fork *fork = ctx;

	fork->birth = gn_now_ns();
	write_record(fork->x, 3, 5 << 2 | GN_FAST_ENTER);
	at_mark = NULL;
}

/* A thread forks and goes on while the rings are marked. The kernel's record of
 * the child waits for the next mark, and so does what its creator did then. */
static void order_of_child_at_the_mark(void **state)
{
	struct fixture *x = open_claimed();
	struct fork fork = {.x = x};
	size_t first;

	(void)state;
	merge(x);
	first = x->out.n;
	at_mark = fork_and_call;
	at_mark_ctx = &fork;
	gn_fast_mark(x->f);
	begin_child(x, TID + 1, fork.birth);
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->out.n, first);
	merge(x);
	assert_int_equal(x->out.n, first + 2);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_THREAD);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_ENTER);
	close_fixture(x);
}

/* Its creator got its ring after the mark, so it waits for the next one. What
 * the creator did before comes before that, too. */
static void order_of_new_ring(void **state)
{
	struct fixture *x = open_fixture();
	size_t first;

	(void)state;
	merge(x);
	first = x->out.n;
	move_ring(x, 0, 100);
	gn_fast_mark(x->f);
	tell(x, GN_FAST_CLAIM, 3, TID);
	begin_child(x, TID + 1, 0);
	move_ring(x, 100, 100);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gn_fast_merge(x->f), 0);
		gn_fast_mark(x->f);
	}
	assert_int_equal(gn_fast_merge(x->f), 0);
	assert_int_equal(x->out.n, first + 2);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_RING);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_THREAD);
	close_fixture(x);
}

/* How often a round asks for kernel records that no event has caused. */
static size_t settles_in_round(struct fixture *x)
{
	size_t before = x->out.settled;

	merge(x);
	return x->out.settled - before;
}

/* The kernel's records are asked for before a ring is read that a thread has
 * written or is writing, and not for rings without anything new. */
static void settled_before_reading(void **state)
{
	struct fixture *x = open_fixture();

	(void)state;
	assert_int_equal(x->out.settled, 1);
	tell(x, GN_FAST_CLAIM, 3, TID);
	assert_int_equal(settles_in_round(x), 0);
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	assert_int_equal(settles_in_round(x), 1);
	assert_int_equal(settles_in_round(x), 0);
	x->rings[3].busy = 1;
	assert_int_equal(settles_in_round(x), 1);
	close_fixture(x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsealed),
		cmocka_unit_test(round_the_ring),
		cmocka_unit_test(round_without_end),
		cmocka_unit_test(lost_without_leave),
		cmocka_unit_test(waits_are_counted),
		cmocka_unit_test(ringless_are_counted),
		cmocka_unit_test(taken_away),
		cmocka_unit_test(no_sleep_while_one_waits),
		cmocka_unit_test(woken_when_half_is_free),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(compilations),
		cmocka_unit_test(order_between_threads),
		cmocka_unit_test(new_ring_is_marked_again),
		cmocka_unit_test(in_a_hook_for_ever),
		cmocka_unit_test(many_in_hooks_for_ever),
		cmocka_unit_test(parents_calls_come_before),
		cmocka_unit_test(order_of_new_thread),
		cmocka_unit_test(order_of_new_child_in_a_hook),
		cmocka_unit_test(order_of_child_at_the_mark),
		cmocka_unit_test(order_of_new_ring),
		cmocka_unit_test(settled_before_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
