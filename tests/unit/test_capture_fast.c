/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of threads' own in rings that they share with gnomon: their order
 * among threads, and memory that holds anything at all. */
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
#include "headless.h"

/* Memory that could shrink would end gnomon by SIGBUS. */
static void unsealed(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, F_SEAL_GROW);
	assert_int_equal(x->page->taken, 0);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.refused, 1);
	close_fixture(x);
	free(x);
}

/* Up to its end, back at its begin, and what found no room. */
static void round_the_ring(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture_of(x, SEALS, true);
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
	free(x);
}

/* A ring that goes back before the place up to which it is to be read. */
static void round_without_end(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
	while (x->rings[3].head < GN_FAST_FIRST - GN_FAST_RECORD)
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	write_record(x, 3, GN_FAST_WRAP);
	x->rings[3].head = 2 * GN_FAST_FIRST;
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.hostile, 1);
	close_fixture(x);
	free(x);
}

/* A hook loses records only where gnomon says that it may. */
static void lost_without_leave(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
	write_record(x, 3, GN_FAST_LOST);
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.dropped, 0);
	assert_int_equal(facts.counts.hostile, 1);
	close_fixture(x);
	free(x);
}

/* How long threads waited is told by what comes after the wait, not by them. */
static void waits_are_counted(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
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
	free(x);
}

/* Threads without a ring are counted once, however often they say it. */
static void ringless_are_counted(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	for (uint32_t i = 0; i < 10; i++)
		tell(x, GN_FAST_RINGLESS, 0, TID + i % 2);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.ringless, 2);
	close_fixture(x);
	free(x);
}

/* Hooks that are told that gnomon does not read write nothing: if it was not
 * gnomon that told them, something is missing. */
static void taken_away(void **state)
{
	struct gn_fast_facts facts;
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
	x->page->taken = 77;
	for (int i = 0; i < 2; i++) {
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
		merge(x);
	}
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.records, 2);
	assert_int_equal(facts.counts.hostile, 1);
	/* numbers: of the offer, the claim, what is missing, and two records */
	assert_int_equal(x->out.rec[x->out.n - 1].h.seq, 5);
	close_fixture(x);
	free(x);
}

/* Gnomon does not sleep while a thread waits for it, but it does when there is
 * nothing to read, whatever the memory says. */
static void no_sleep_while_one_waits(void **state)
{
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
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
	free(x);
}

/* Anything in the memory: nothing is read outside of a slot, nothing goes back,
 * and the kernel's records come out. */
static void any_bytes(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	uint32_t seed = 1;

	(void)state;
	for (int round = 0; round < 40; round++) {
		open_fixture(x, SEALS);
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
	free(x);
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
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
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
	/* there are no more kinds of these */
	write_record(x, 3, 5 << 2 | GN_FAST_COMPILES | 2);
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.hostile, 1);
	close_fixture(x);
	free(x);
}

/* What a thread did to others comes before what these tell later, whether it
 * is in a hook by then, and whether they have rings. */
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
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	merge(x);
	first = x->out.n;
	tell(x, GN_FAST_CLAIM, 3, TID);
	kernel_record(x, GN_KIND_SUSPEND_BEGIN, TID, 100);
	kernel_record(x, GN_KIND_SUSPEND_END, TID, 200);
	kernel_record(x, GN_KIND_SUSPEND_BEGIN, TID + 1, 300);
	x->rings[3].busy = 1;
	/* this one can be after one that the hook is about to write */
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
	free(x);
}

/* A thread that gets its ring in a round is read up to a mark of its own, so
 * that what it named is told before others call it. */
static void new_ring_is_marked_again(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
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
	free(x);
}

/* One that never leaves its hook: what it does besides does not wait for it
 * without end. */
static void in_a_hook_for_ever(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t given = 0;

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
	merge(x);
	x->rings[3].busy = 1;
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 100000; i++)
			kernel_record(x, GN_KIND_GC_BEGIN, TID, 400 + ++given);
		merge(x);
	}
	assert_true(x->out.all > given / 2);
	close_fixture(x);
	free(x);
}

/* Nor do many such threads have gnomon keep much, each a little. */
static void many_in_hooks_for_ever(void **state)
{
	enum { THREADS = 200, ROUNDS = 60, EACH = 500 };
	struct fixture *x = malloc(sizeof(*x));
	size_t given = 0;

	(void)state;
	open_fixture(x, SEALS);
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
	free(x);
}

static void begin_child(struct fixture *x, uint32_t tid, uint64_t time)
{
	struct gn_rec_thread r = {
		.f = {.h = {.time = time,
			    .tid = tid,
			    .seq = 1,
			    .kind = GN_KIND_THREAD}},
		.pid = tid,
		.parent = TID,
	};

	assert_true(gn_fast_record(x->f, &r.f.h, sizeof(r)));
}

/* A forked child begins in what its parent wrote that it is in. The parent has
 * room then, and does not wait for it any more. */
static void parents_calls_come_before(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
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
	free(x);
}

/* Where the kernel's ring was read up to, and where it is written. */
static void move_ring(struct fixture *x, uint64_t consumed, uint64_t produced)
{
	*x->ring = consumed;
	x->ring[RING_PAGE / sizeof(*x->ring)] = produced;
}

/* A thread that gnomon hears of after the mark, by a record of before it: what
 * others did later comes later. */
static void order_of_new_thread(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
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
	free(x);
}

/* And what its creator did before, which got its ring after the mark and so
 * waits for the next one, comes before it. */
static void order_of_new_ring(void **state)
{
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
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
	free(x);
}

static void expect_rings(struct fixture *x, uint64_t threads, uint64_t hostile)
{
	struct gn_fast_facts facts;

	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.threads, threads);
	assert_int_equal(facts.counts.hostile, hostile);
}

/* One that wrote what no hook writes, and more since: its slot is free when it
 * has ended, for a thread that has its number, too. */
static void hostile_ring_ends(void **state)
{
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID + 1);
	write_record(x, 3, GN_FAST_LOST);
	merge(x);
	expect_rings(x, 1, 1);
	x->rings[3].head += 2 * GN_FAST_RECORD;
	kernel_record(x, GN_KIND_EXIT, TID + 1, 100);
	merge(x);
	x->rings[3].head = 0;
	tell(x, GN_FAST_CLAIM, 3, TID + 1);
	expect_rings(x, 2, 1);
	close_fixture(x);
	free(x);
}

/* A process whose first thread ends has threads that take rings, until it ends
 * or its number is a new thread's. */
static void other_threads_go_on(void **state)
{
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	for (int again = 0; again < 2; again++) {
		int fd = open_memory(x, SEALS, false);
		pid_t pid = fork();
		uint32_t tid = (uint32_t)pid;

		assert_true(pid >= 0);
		if (!pid)
			go_on(NULL);
		tell_of(x, GN_FAST_OFFER, (uint64_t)fd, tid, pid);
		kernel_record(x, GN_KIND_EXIT, tid, 100);
		for (int round = 0; round < 3; round++)
			merge(x);
		tell_of(x, GN_FAST_CLAIM, 3, TID, pid);
		expect_rings(x, 1, 0);
		kernel_record(x, GN_KIND_EXIT, TID, 200);
		merge(x);
		assert_int_equal(x->page->taken, 1);
		if (again)
			begin_child(x, tid, 300);
		else
			kill(pid, SIGKILL);
		for (int i = 0; x->page->taken == 1 && i < 1000; i++) {
			usleep(10000);
			merge(x);
		}
		assert_int_equal(x->page->taken, 2);
		end_headless(pid);
		close_fixture(x);
		close(fd);
	}
	free(x);
}

/* Records of slot 0 that are so far apart, and a program that offers them. */
static void offer_measured(struct fixture *x, int fd, double ns)
{
	struct gn_fast_rec *rec = (void *)x->data;
	struct gn_rec_thread exec = {.f = {.h = {.time = 1,
						 .tid = (uint32_t)getpid(),
						 .kind = GN_KIND_EXEC}}};
	struct gn_fast_moment from = gn_fast_moment_now(), to;

	usleep(10000);
	to = gn_fast_moment_now();
	for (uint32_t i = 0; i < GN_FAST_MEASURED; i++)
		rec[i].tsc =
			(uint64_t)(ns * i * (double)(to.ticks - from.ticks) /
				   (double)(to.ns - from.ns));
	gn_fast_record(x->f, &exec.f.h, sizeof(exec));
	tell(x, GN_FAST_OFFER, (uint64_t)fd, TID);
}

/* The cost is that of all processes: what one tells raises it for none, and no
 * hook costs next to nothing. */
static void least_cost_counts(void **state)
{
	static const double told[] = {40, 990, 45, 1, 0, 20, 100};
	struct fixture *x = malloc(sizeof(*x));
	int fd = open_memory(x, SEALS, false);
	const struct gn_rec_cost *cost[MAX];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
		offer_measured(x, fd, told[i]);
	for (size_t i = 0; i < x->out.n; i++)
		if (x->out.rec[i].h.kind == GN_KIND_COST)
			cost[n++] = (const void *)&x->out.rec[i];
	assert_int_equal(n, 2);
	assert_in_range(cost[0]->before_ns + cost[0]->after_ns, 17, 23);
	assert_in_range(cost[1]->before_ns + cost[1]->after_ns, 8, 12);
	close_fixture(x);
	close(fd);
	free(x);
}

static size_t resident(const void *at)
{
	unsigned char in[GN_FAST_FIRST / 4096] = {0};
	size_t n = 0;

	assert_int_equal(mincore((void *)at, GN_FAST_FIRST, in), 0);
	for (size_t i = 0; i < sizeof(in); i++)
		n += in[i] & 1;
	return n;
}

/* The slot that a thread names has memory, those before it have none for that.
 */
static void a_far_slot_is_one(void **state)
{
	struct fixture *x = malloc(sizeof(*x));

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 500, TID);
	if (!resident(x->data))
		skip(); /* the kernel cannot do it */
	assert_true(resident(x->data + (size_t)500 * GN_FAST_SLOT));
	assert_false(resident(x->data + (size_t)400 * GN_FAST_SLOT));
	close_fixture(x);
	free(x);
}

/* A thread whose program has another one execute, which has a ring at once:
 * what ends is not that ring. */
static void ring_after_exec(void **state)
{
	struct gn_rec_thread exec = {
		.f = {.h = {.time = 1,
			    .tid = TID,
			    .seq = 1,
			    .kind = GN_KIND_EXEC}},
		.pid = TID,
	};
	struct fixture *x = malloc(sizeof(*x));
	struct gn_fast_facts facts;

	(void)state;
	open_fixture(x, SEALS);
	x->seq = 1;
	assert_true(gn_fast_record(x->f, &exec.f.h, sizeof(exec)));
	gn_fast_mark(x->f);
	tell(x, GN_FAST_CLAIM, 3, TID);
	assert_int_equal(gn_fast_merge(x->f), 0);
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	merge(x);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.records, 1);
	assert_int_equal(facts.counts.hostile, 0);
	close_fixture(x);
	free(x);
}

/* A thread whose ring is not read to its end when its next program has one: the
 * first one's records come before the exec, and then the other's. */
static void ring_before_exec(void **state)
{
	static const enum gn_kind order[] = {GN_KIND_ENTER,    GN_KIND_EXEC,
					     GN_KIND_RING,     GN_KIND_ENTER,
					     GN_KIND_GC_BEGIN, GN_KIND_EXIT};
	struct gn_rec_thread exec = {
		.f = {.h = {.tid = TID, .seq = 3, .kind = GN_KIND_EXEC}},
		.pid = TID,
	};
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
	merge(x);
	first = x->out.n;
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	exec.f.h.time = gn_now_ns();
	x->seq++;
	assert_true(gn_fast_record(x->f, &exec.f.h, sizeof(exec)));
	tell(x, GN_FAST_CLAIM, 4, TID);
	write_record(x, 4, 6 << 2 | GN_FAST_ENTER);
	kernel_record(x, GN_KIND_GC_BEGIN, TID, gn_now_ns() + 1000000);
	/* nor is it long before that one ends */
	kernel_record(x, GN_KIND_EXIT, TID, gn_now_ns() + 2000000);
	for (int i = 0; i < 3; i++)
		merge(x);
	expect_rings(x, 2, 0);
	assert_int_equal(x->out.n, first + 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(x->out.rec[first + i].h.kind, order[i]);
	assert_false(x->out.back);
	for (uint32_t i = 3; i < 5; i++)
		tell(x, GN_FAST_CLAIM, i, TID + i);
	expect_rings(x, 4, 0);
	close_fixture(x);
	free(x);
}

/* A thread that takes the number of its process's first one by an exec: what it
 * wrote before has its own number, and what the first one did comes before. */
static void exec_of_another_thread(void **state)
{
	static const struct {
		enum gn_kind kind;
		uint32_t tid;
	} order[] = {
		{GN_KIND_ENTER, TID + 1},
		{GN_KIND_EXIT, TID},
		{GN_KIND_EXEC, TID},
	};
	struct gn_rec_thread exec = {
		.f = {.h = {.tid = TID, .seq = 1, .kind = GN_KIND_EXEC}},
		.pid = TID,
		.parent = TID + 1,
	};
	struct fixture *x = malloc(sizeof(*x));
	size_t first;

	(void)state;
	open_fixture(x, SEALS);
	tell(x, GN_FAST_CLAIM, 3, TID);
	tell(x, GN_FAST_CLAIM, 4, TID + 1);
	merge(x);
	first = x->out.n;
	write_record(x, 4, 5 << 2 | GN_FAST_ENTER);
	x->rings[3].busy = 1; /* it is ended in a hook */
	move_ring(x, 0, 100);
	gn_fast_mark(x->f);
	move_ring(x, 50, 100);
	exec.f.h.time = gn_now_ns() + 1000000;
	kernel_record(x, GN_KIND_EXIT, TID, exec.f.h.time - 1);
	assert_true(gn_fast_record(x->f, &exec.f.h, sizeof(exec)));
	move_ring(x, 100, 100);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(gn_fast_merge(x->f), 0);
		gn_fast_mark(x->f);
	}
	assert_int_equal(x->out.n, first + 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(x->out.rec[first + i].h.kind, order[i].kind);
		assert_int_equal(x->out.rec[first + i].h.tid, order[i].tid);
	}
	close_fixture(x);
	free(x);
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
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(compilations),
		cmocka_unit_test(order_between_threads),
		cmocka_unit_test(new_ring_is_marked_again),
		cmocka_unit_test(in_a_hook_for_ever),
		cmocka_unit_test(many_in_hooks_for_ever),
		cmocka_unit_test(parents_calls_come_before),
		cmocka_unit_test(order_of_new_thread),
		cmocka_unit_test(order_of_new_ring),
		cmocka_unit_test(hostile_ring_ends),
		cmocka_unit_test(other_threads_go_on),
		cmocka_unit_test(least_cost_counts),
		cmocka_unit_test(a_far_slot_is_one),
		cmocka_unit_test(ring_after_exec),
		cmocka_unit_test(ring_before_exec),
		cmocka_unit_test(exec_of_another_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
