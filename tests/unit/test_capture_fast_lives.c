/* SPDX-License-Identifier: BSD-2-Clause */
/* Rings of processes and threads that begin and end: what they get, and what
 * they give back. */
#include <fcntl.h>
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

#include "capture/fast_parts.h"
#include "fast_feed.h"
#include "headless.h"

static void expect_rings(struct fixture *x, uint64_t threads, uint64_t hostile)
{
	struct gn_fast_facts facts;

	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.threads, threads);
	assert_int_equal(facts.counts.hostile, hostile);
}

/* A thread wrote what no hook writes, and goes on writing: its slot is free
 * after its end, also for a thread with the same TID. */
static void hostile_ring_ends(void **state)
{
	struct fixture *x = open_fixture();

	(void)state;
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
}

/* A thread's last record was lost, and maybe also the first record of another
 * thread with the same TID: the second thread gets its own ring. */
static void ring_after_lost(bool begin)
{
	struct fixture *x = open_fixture();
	struct gn_fast_facts facts;

	x->rings[3].state = x->rings[4].state = GN_FAST_USED;
	tell(x, GN_FAST_CLAIM, 3, TID);
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	if (!begin)
		begin_child(x, TID, gn_now_ns());
	tell(x, GN_FAST_CLAIM, 4, TID);
	write_record(x, 4, 6 << 2 | GN_FAST_ENTER);
	for (int i = 0; i < 2; i++)
		merge(x);
	expect_rings(x, 2, 0);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.records, 2);
	assert_int_equal(x->rings[3].state, GN_FAST_FREE);
	/* the next end is its own */
	kernel_record(x, GN_KIND_EXIT, TID, gn_now_ns());
	for (int i = 0; i < 2; i++)
		merge(x);
	assert_int_equal(x->rings[4].state, GN_FAST_FREE);
	close_fixture(x);
}

static void ring_after_a_lost_end(void **state)
{
	(void)state;
	ring_after_lost(false);
}

static void ring_after_a_lost_begin(void **state)
{
	(void)state;
	ring_after_lost(true);
}

/* The end of a process was lost, and another one has the same PID. */
static void rings_after_a_lost_process(void **state)
{
	struct fixture *x = open_fixture(), *y = open_memory(SEALS, false);
	struct gn_fast_facts facts;

	(void)state;
	gn_fast_find_area(x->f, (uint32_t)getpid())->started--;
	offer(x, y);
	assert_int_equal(y->page->taken, 1);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.processes, 2);
	assert_int_equal(facts.refused, 0);
	merge(x);
	assert_int_equal(x->page->taken, 2);
	close_fixture(x);
	close_fixture(y);
}

/* The first thread of a process ends; its other threads take rings until the
 * process ends or a new thread has its PID. */
static void other_threads_go_on(void **state)
{
	(void)state;
	for (int again = 0; again < 2; again++) {
		struct fixture *x = open_memory(SEALS, false);
		pid_t pid = fork();
		uint32_t tid = (uint32_t)pid;

		assert_true(pid >= 0);
		if (!pid)
			go_on(NULL);
		tell_of(x, GN_FAST_OFFER, (uint64_t)x->fd, tid, pid);
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
	}
}

static struct gn_fast_page *children_page(struct fixture *x)
{
	return (void *)((unsigned char *)x->page + GN_FAST_SIZE);
}

static struct gn_fast_ring *child_ring(struct fixture *x, uint32_t slot)
{
	return (struct gn_fast_ring *)((unsigned char *)children_page(x) +
				       GN_FAST_PAGE) +
	       slot;
}

/* What the library passes for a ring of a forked child. */
static uint64_t child_claim(struct fixture *x, uint32_t slot)
{
	return (uint64_t)children_page(x)->token << GN_FAST_SLOT_BITS | slot;
}

/* A child writes one record. */
static void write_child(struct fixture *x, uint32_t slot)
{
	struct gn_fast_rec rec = {8, 5 << 2 | GN_FAST_ENTER, gn_fast_ticks()};

	memcpy((unsigned char *)children_page(x) + GN_FAST_DATA +
		       (size_t)slot * GN_FAST_CHILD_SLOT,
	       &rec, sizeof(rec));
	child_ring(x, slot)->head = sizeof(rec);
}

#define CHILD	   (TID + 7)
#define GRANDCHILD (TID + 8)

/* Children have rings as long as one that can have one is alive, also after the
 * program that offered the memory has ended. */
static void children_take_rings(void **state)
{
	struct fixture *x = open_fixture();
	struct gn_fast_facts facts;

	(void)state;
	begin_child(x, CHILD, gn_now_ns());
	tell_of(x, GN_FAST_CLAIM, child_claim(x, 1), CHILD, CHILD);
	child_ring(x, 1)->state = GN_FAST_USED;
	write_child(x, 1);
	begin_child_of(x, GRANDCHILD, CHILD, gn_now_ns());
	gn_fast_find_area(x->f, (uint32_t)getpid())->over = true;
	kernel_record(x, GN_KIND_EXIT, TID, gn_now_ns());
	kernel_record(x, GN_KIND_EXIT, CHILD, gn_now_ns());
	for (int round = 0; round < 3; round++)
		merge(x);
	assert_int_equal(x->page->taken, 2);
	assert_int_equal(children_page(x)->taken, 1);
	assert_int_equal(child_ring(x, 1)->state, GN_FAST_FREE);
	tell_of(x, GN_FAST_CLAIM, child_claim(x, 1), GRANDCHILD, GRANDCHILD);
	write_child(x, 1);
	kernel_record(x, GN_KIND_EXIT, GRANDCHILD, gn_now_ns());
	for (int round = 0; round < 3; round++)
		merge(x);
	assert_int_equal(children_page(x)->taken, 2);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.records, 2);
	assert_int_equal(facts.forked, 2);
	assert_int_equal(facts.counts.hostile, 0);
	close_fixture(x);
}

/* The head of a child's ring is an address there, whose bits above the size of
 * a child's ring tell its slot: with nothing to read, gnomon sleeps. */
static void no_sleep_while_a_child_waits(void **state)
{
	struct fixture *x = open_fixture();
	struct gn_fast_ring *ring;

	(void)state;
	begin_child(x, CHILD, gn_now_ns());
	tell_of(x, GN_FAST_CLAIM, child_claim(x, 1), CHILD, CHILD);
	ring = child_ring(x, 1);
	ring->wants = 1;
	ring->head = GN_FAST_CHILD_SLOT;
	assert_true(gn_fast_sleep(x->f));
	ring->head += GN_FAST_RECORD;
	assert_false(gn_fast_sleep(x->f));
	write_child(x, 1);
	ring->head += GN_FAST_CHILD_SLOT;
	merge(x);
	ring->wants = 1;
	assert_true(gn_fast_sleep(x->f));
	close_fixture(x);
}

/* A program that runs another one no longer has that memory. */
static void children_leave_by_exec(void **state)
{
	struct gn_rec_thread exec = {.f = {.h = {.time = gn_now_ns(),
						 .tid = CHILD,
						 .seq = 2,
						 .kind = GN_KIND_EXEC}},
				     .pid = CHILD};
	struct fixture *x = open_fixture();

	(void)state;
	begin_child(x, CHILD, gn_now_ns());
	gn_fast_find_area(x->f, (uint32_t)getpid())->over = true;
	kernel_record(x, GN_KIND_EXIT, TID, gn_now_ns());
	merge(x);
	assert_int_equal(children_page(x)->taken, 1);
	assert_true(gn_fast_record(x->f, &exec.f.h, sizeof(exec)));
	merge(x);
	assert_int_equal(children_page(x)->taken, 2);
	close_fixture(x);
}

/* Only those who have the memory know its number. */
static void children_of_others(void **state)
{
	struct fixture *x = open_fixture();
	struct gn_fast_facts facts;

	(void)state;
	begin_child(x, CHILD, gn_now_ns());
	tell_of(x, GN_FAST_CLAIM, child_claim(x, 1) ^ 2u << GN_FAST_SLOT_BITS,
		CHILD, CHILD);
	expect_rings(x, 0, 1);
	/* nor has a child a ring of the program, or one behind the last */
	tell_of(x, GN_FAST_CLAIM, 1, CHILD, CHILD);
	tell_of(x, GN_FAST_CLAIM, child_claim(x, GN_FAST_CHILD_SLOTS), CHILD,
		CHILD);
	expect_rings(x, 0, 3);
	tell_of(x, GN_FAST_RINGLESS, children_page(x)->token, CHILD, CHILD);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.crowded, 1);
	assert_int_equal(facts.ringless, 0);
	close_fixture(x);
}

/* A second offer of a process is refused at once, because its hook waits. The
 * memory of the first offer stays in use, even if it is offered again. */
static void a_refused_offer_is_told(void **state)
{
	struct fixture *x = open_memory(SEALS, false);
	struct fixture *y = open_memory(SEALS, false);
	struct gn_fast_facts facts;

	(void)state;
	y->page->magic = 0; /* no hook writes this */
	offer(x, y);
	assert_int_equal(y->page->taken, 0);
	y->page->magic = GN_FAST_MAGIC;
	offer(x, x);
	offer(x, y);
	assert_int_equal(y->page->taken, 2);
	offer(x, x);
	assert_int_equal(x->page->taken, 1);
	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.processes, 1);
	assert_int_equal(facts.refused, 3);
	close_fixture(x);
	close_fixture(y);
}

/* Offers slot 0 with records at this distance, and a program to read them. */
static void offer_measured(struct fixture *x, double ns)
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
	offer(x, x);
}

/* There is one cost for all processes: no single process can raise it, and no
 * hook costs almost nothing. */
static void least_cost_counts(void **state)
{
	static const double told[] = {40, 990, 45, 1, 0, 20, 100};
	struct fixture *x = open_memory(SEALS, false);
	const struct gn_rec_cost *cost[MAX];
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
		offer_measured(x, told[i]);
	for (size_t i = 0; i < x->out.n; i++)
		if (x->out.rec[i].h.kind == GN_KIND_COST)
			cost[n++] = (const void *)&x->out.rec[i];
	assert_int_equal(n, 2);
	assert_in_range(cost[0]->before_ns + cost[0]->after_ns, 17, 23);
	assert_in_range(cost[1]->before_ns + cost[1]->after_ns, 8, 12);
	close_fixture(x);
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

/* The slot that a thread names gets memory; those before it do not get memory
 * for that. */
static void a_far_slot_is_one(void **state)
{
	struct fixture *x = open_fixture();

	(void)state;
	tell(x, GN_FAST_CLAIM, 500, TID);
	if (!resident(x->data))
		skip(); /* the kernel does not support it */
	assert_true(resident(x->data + (size_t)500 * GN_FAST_SLOT));
	assert_false(resident(x->data + (size_t)400 * GN_FAST_SLOT));
	close_fixture(x);
}

/* A thread executes another program, which gets a ring at once. The end of the
 * old program does not end that ring. */
static void ring_after_exec(void **state)
{
	struct gn_rec_thread exec = {
		.f = {.h = {.time = 1,
			    .tid = TID,
			    .seq = 1,
			    .kind = GN_KIND_EXEC}},
		.pid = TID,
	};
	struct fixture *x = open_fixture();
	struct gn_fast_facts facts;

	(void)state;
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
}

/* The ring of a thread is not read completely when its next program gets one:
 * the records of the first come before the exec, then those of the second. */
static void ring_before_exec(void **state)
{
	static const enum gn_kind order[] = {GN_KIND_ENTER,    GN_KIND_EXEC,
					     GN_KIND_RING,     GN_KIND_ENTER,
					     GN_KIND_GC_BEGIN, GN_KIND_EXIT};
	struct gn_rec_thread exec = {
		.f = {.h = {.tid = TID, .seq = 3, .kind = GN_KIND_EXEC}},
		.pid = TID,
	};
	struct fixture *x = open_claimed();
	size_t first;

	(void)state;
	merge(x);
	first = x->out.n;
	write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	exec.f.h.time = gn_now_ns();
	x->seq++;
	assert_true(gn_fast_record(x->f, &exec.f.h, sizeof(exec)));
	tell(x, GN_FAST_CLAIM, 4, TID);
	write_record(x, 4, 6 << 2 | GN_FAST_ENTER);
	kernel_record(x, GN_KIND_GC_BEGIN, TID, gn_now_ns() + 1000000);
	/* its end does not take long either */
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
}

static void claim_at(struct fixture *x, uint64_t time)
{
	struct gn_rec_ring r = {
		.f = {.h = {.time = time,
			    .tid = TID,
			    .seq = ++x->seq,
			    .kind = GN_KIND_RING,
			    .key = 3},
		      .func = GN_FUNC(GN_RUNTIME_CLR, GN_FAST_CLAIM)},
		.pid = (uint32_t)getpid(),
		.sp = 0x7fff00000000,
	};

	assert_true(gn_fast_record(x->f, &r.f.h, sizeof(r)));
}

/* A time that is later than now by both clocks. */
static uint64_t surely_later(struct fixture *x)
{
	uint64_t now = gn_now_ns(), later;
	struct gn_fast_facts facts;

	gn_fast_tell(x->f, &facts);
	do {
		later = gn_now_ns();
	} while (later <= now + 2 * (uint64_t)facts.bound_ns);
	return later;
}

static void expect_late(struct fixture *x, uint64_t late, uint64_t records)
{
	struct gn_fast_facts facts;

	gn_fast_tell(x->f, &facts);
	assert_int_equal(facts.counts.late, late);
	assert_int_equal(facts.counts.records, records);
	assert_int_equal(facts.counts.unordered, 0);
	assert_int_equal(facts.counts.hostile, 0);
	assert_false(x->out.back);
}

/* The kernel had no room to report a ring when its thread took it, and reported
 * it later. What was written before is lost and counted. A wait for room that
 * ends later is not. */
static void ring_told_late(void **state)
{
	struct fixture *x = open_fixture();
	uint32_t before;

	(void)state;
	before = x->seq++;
	assert_int_equal(x->rings[3].bound, 0);
	for (int i = 0; i < 20; i++)
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	write_record(x, 3, GN_FAST_WAITED);
	claim_at(x, surely_later(x));
	assert_int_equal(x->rings[3].bound, 1);
	write_record(x, 3, 5 << 2 | GN_FAST_LEAVE);
	merge(x);
	expect_late(x, 20, 1);
	/* the first claim, the late records; this claim, the wait, the
	 * record */
	assert_int_equal(x->out.seq, before + 21 + 3);
	kernel_record(x, GN_KIND_EXIT, TID, gn_now_ns());
	merge(x);
	assert_int_equal(x->rings[3].bound, 0);
	close_fixture(x);
}

/* The same if nothing can be reported before the thread ends. */
static void ring_told_at_the_end(void **state)
{
	struct fixture *x = open_fixture();
	uint32_t before;
	uint64_t end;
	size_t first;

	(void)state;
	merge(x);
	x->rings[3].state = GN_FAST_USED;
	before = x->seq++;
	first = x->out.n;
	for (int i = 0; i < 20; i++)
		write_record(x, 3, 5 << 2 | GN_FAST_ENTER);
	end = surely_later(x);
	claim_at(x, end);
	kernel_record(x, GN_KIND_EXIT, TID, end);
	for (int i = 0; i < 2; i++)
		merge(x);
	expect_late(x, 20, 0);
	assert_int_equal(x->out.n, first + 2);
	assert_int_equal(x->out.rec[first].h.kind, GN_KIND_RING);
	assert_int_equal(x->out.rec[first].h.seq, before + 21 + 1);
	assert_int_equal(x->out.rec[first + 1].h.kind, GN_KIND_EXIT);
	assert_int_equal(x->out.rec[first + 1].h.seq, before + 21 + 2);
	assert_int_equal(x->rings[3].state, GN_FAST_FREE);
	close_fixture(x);
}

/* A thread takes the TID of its process's first thread by an exec. Its earlier
 * records keep its old TID, and those of the first thread come before. */
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
	struct fixture *x = open_claimed();
	size_t first;

	(void)state;
	tell(x, GN_FAST_CLAIM, 4, TID + 1);
	merge(x);
	first = x->out.n;
	write_record(x, 4, 5 << 2 | GN_FAST_ENTER);
	x->rings[3].busy = 1; /* ended inside a hook */
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_ring_ends),
		cmocka_unit_test(ring_after_a_lost_end),
		cmocka_unit_test(ring_after_a_lost_begin),
		cmocka_unit_test(rings_after_a_lost_process),
		cmocka_unit_test(other_threads_go_on),
		cmocka_unit_test(children_take_rings),
		cmocka_unit_test(no_sleep_while_a_child_waits),
		cmocka_unit_test(children_leave_by_exec),
		cmocka_unit_test(children_of_others),
		cmocka_unit_test(a_refused_offer_is_told),
		cmocka_unit_test(least_cost_counts),
		cmocka_unit_test(a_far_slot_is_one),
		cmocka_unit_test(ring_after_exec),
		cmocka_unit_test(ring_before_exec),
		cmocka_unit_test(ring_told_late),
		cmocka_unit_test(ring_told_at_the_end),
		cmocka_unit_test(exec_of_another_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
