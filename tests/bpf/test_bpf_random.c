/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon's BPF programs under random streams of events, compared with the
 * simple oracle of truth.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/syscalls.h>

#include "host.h"
#include "truth.h"

#define THREADS 5
#define STEPS	3000
#define ROUNDS	40

enum where { ON, QUEUED, WAITING, WOKEN };

struct thread {
	uint32_t tid;
	struct host_task *task;
	struct truth truth;
	enum where where;
	uint64_t since, woken; /* begin of `where`; WOKEN: of the wait */
	uint64_t work;	/* begin of its time on the CPU in a fault or call */
	uint32_t class; /* of the wait */
	enum gn_class doing; /* APP, FAULT, SYSCALL */
	uint32_t depth;
	bool unseen; /* came onto its CPU, and no program saw it */
};

struct sim {
	struct host_opts opts;
	unsigned int misses, losses; /* one in this many; 0: none */
	bool functions;
	uint64_t now, missed;
	struct thread thread[THREADS];
	uint64_t random;
	bool full;
};

static void off_cpu_truth(struct thread *t, uint64_t end)
{
	uint32_t event = t->truth.nevents++;
	uint64_t woken = t->where == QUEUED  ? t->since
			 : t->where == WOKEN ? t->woken
					     : end;

	if (woken > t->since)
		truth_slice(&t->truth, t->since, woken, t->class, event);
	if (end > woken)
		truth_slice(&t->truth, woken, end, GN_CLASS_RUNQUEUE, event);
}

static void work_truth(struct thread *t, uint64_t end)
{
	if (t->doing != GN_CLASS_APP && end > t->work)
		truth_slice(&t->truth, t->work, end, t->doing,
			    t->truth.nevents++);
	t->work = end;
}

/* A program sees a thread that came onto its CPU unseen. Without the
 * scheduler's account, all time since it left its CPU is unknown. */
static void found_on(struct sim *s, struct thread *t)
{
	if (!t->unseen)
		return;
	t->unseen = false;
	if (s->opts.queue)
		return;
	s->missed++;
	truth_slice(&t->truth, t->since, s->now, GN_CLASS_UNCLASSIFIED,
		    t->truth.nevents++);
	t->work = s->now;
}

static void comes_on(struct sim *s, struct thread *t, bool unseen)
{
	t->unseen = unseen;
	if (!unseen || s->opts.queue) {
		off_cpu_truth(t, s->now);
		t->work = s->now;
	}
	t->where = ON;
}

/* System calls, and what a thread in them waits for. */
static const struct {
	int nr;
	uint32_t class;
	uint64_t args[4];
	bool disk;
} waits[] = {
	{GN_NR_nanosleep, GN_CLASS_SLEEP, {0}, false},
	{GN_NR_wait4, GN_CLASS_CHILD, {0}, false},
	{GN_NR_futex, GN_CLASS_LOCK, {0, GN_FUTEX_WAIT, GN_FUTEX_HELD}, false},
	{GN_NR_futex, GN_CLASS_EVENT, {0, GN_FUTEX_WAIT, 7}, false},
	{-1, GN_CLASS_DISK, {0}, true},
};

static void leaves(struct sim *s, struct thread *t, struct host_switch *w)
{
	uint32_t i = host_roll(&s->random, sizeof(waits) / sizeof(waits[0]));

	found_on(s, t);
	work_truth(t, s->now);
	w->out = t->task;
	w->runnable = host_roll(&s->random, 3) == 0;
	w->nr = waits[i].nr;
	w->disk = waits[i].disk;
	memcpy(w->args, waits[i].args, sizeof(w->args));
	t->class = waits[i].class;
	t->where = w->runnable ? QUEUED : WAITING;
	t->since = s->now;
}

static bool can_run(const struct thread *t)
{
	return t->where == QUEUED || t->where == WOKEN;
}

static void on_cpu_step(struct sim *s, struct thread *t)
{
	uint32_t what = host_roll(&s->random, 8);
	struct host_switch w = {0};

	if (what < 2) {
		leaves(s, t, &w);
		t = &s->thread[host_roll(&s->random, THREADS)];
		if (t->task != w.out && can_run(t)) {
			comes_on(s, t, false);
			w.in = t->task;
		}
		host_switch(&w);
	} else if (t->doing != GN_CLASS_APP) {
		found_on(s, t);
		work_truth(t, s->now);
		if (t->doing == GN_CLASS_FAULT)
			host_fault(t->task, false);
		else
			host_syscall(t->task, false, 0);
		t->doing = GN_CLASS_APP;
	} else if (what < 4) {
		found_on(s, t);
		t->doing = what == 2 ? GN_CLASS_FAULT : GN_CLASS_SYSCALL;
		t->work = s->now;
		if (what == 2)
			host_fault(t->task, true);
		else
			host_syscall(t->task, true, GN_NR_read);
	} else if (s->functions) {
		bool enter =
			!t->depth || (t->depth < 9 && host_roll(&s->random, 2));

		found_on(s, t);
		t->depth += enter ? 1 : -1u;
		truth_interval(&t->truth, s->now,
			       enter ? GN_KIND_ENTER : GN_KIND_LEAVE, 77);
		host_probe(t->task, enter, 77);
	}
}

static void step(struct sim *s)
{
	struct thread *t = &s->thread[host_roll(&s->random, THREADS)];
	struct host_switch w = {0};

	s->now += 1 + host_roll(&s->random, 100000);
	host_clock(s->now);
	if (s->losses && host_roll(&s->random, s->losses) == 0) {
		s->full = !s->full;
		host_ring_full(s->full);
	}
	if (t->where == ON && host_roll(&s->random, 8) == 0) {
		found_on(s, t);
		host_settle(t->task);
	} else if (t->where == ON) {
		on_cpu_step(s, t);
	} else if (t->where == WAITING) {
		t->where = WOKEN;
		t->woken = s->now;
		host_wake(t->task);
	} else {
		w.in = t->task;
		w.unseen = s->misses && host_roll(&s->random, s->misses) == 0;
		comes_on(s, t, w.unseen);
		host_switch(&w);
	}
}

static void begin(struct sim *s, uint64_t seed)
{
	s->random = seed;
	s->now = 1000000;
	host_new(s->now, s->opts);
	for (int i = 0; i < THREADS; i++) {
		struct thread *t = &s->thread[i];

		t->tid = 100 + (uint32_t)i;
		t->task = host_task(t->tid);
		t->where = ON;
		t->doing = GN_CLASS_APP;
	}
	host_clock(s->now += 10);
	for (int i = 0; i < THREADS; i++)
		host_trace(s->thread[i].task);
}

/* What is under way at the stop ends there. */
static void close_truth(struct sim *s)
{
	for (int i = 0; i < THREADS; i++) {
		struct thread *t = &s->thread[i];

		if (t->where == ON) {
			found_on(s, t);
			work_truth(t, s->now);
		} else {
			off_cpu_truth(t, s->now);
		}
		truth_interval(&t->truth, s->now, GN_KIND_STOP, 0);
	}
}

/* Threads go on between the stop and when they are closed. This must leave no
 * trace in the records, so the truth stays. */
static void go_on(struct sim *s)
{
	static struct thread kept[THREADS];

	for (int i = 0; i < THREADS; i++)
		kept[i] = s->thread[i];
	for (int i = 0; i < 200; i++)
		step(s);
	for (int i = 0; i < THREADS; i++)
		s->thread[i].truth = kept[i].truth;
}

static void round_of(struct sim *s, uint64_t seed)
{
	uint64_t missing = 0, slices = 0;

	begin(s, seed);
	for (int i = 0; i < STEPS; i++)
		step(s);
	s->now++;
	host_clock(s->now);
	host_stop();
	close_truth(s);
	s->misses = 0; /* misses after the stop would be counted */
	go_on(s);
	/* so that a record follows each missing number */
	host_ring_full(false);
	host_finish();
	for (int i = 0; i < THREADS; i++) {
		struct truth_found f =
			truth_compare(&s->thread[i].truth, s->thread[i].tid);

		missing += f.missing;
		slices += f.slices;
	}
	assert_true(slices > 0);
	assert_int_equal(missing, host_counter(GN_COUNTER_RING_FULL));
	assert_true(s->losses ? missing > 0 : missing == 0);
	assert_int_equal(host_counter(GN_COUNTER_MISSED), s->missed);
	assert_int_equal(host_counter(GN_COUNTER_TORN), 0);
}

static void rounds(const struct sim *like)
{
	static struct sim s;

	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		s = *like;
		s.opts.gather = seed % 2;
		s.functions = seed % 3 != 0;
		round_of(&s, seed);
	}
}

/* Every slice is reported once, gathered or not, and each interval has the sum
 * of its slices. */
static void nothing_is_lost(void **state)
{
	static const struct sim by_queue = {.opts.queue = true};
	static const struct sim by_wakeups = {.opts.queue = false};

	(void)state;
	rounds(&by_queue);
	rounds(&by_wakeups);
}

/* The kernel skips the program at some switches. The kernel's own account then
 * fills the gap, or the time is unclassified and counted. */
static void missed_switches(void **state)
{
	static const struct sim by_queue = {.opts.queue = true, .misses = 4};
	static const struct sim by_wakeups = {.misses = 4};

	(void)state;
	rounds(&by_queue);
	rounds(&by_wakeups);
}

/* Records that do not fit are counted, and later records show where they are
 * missing. */
static void losses(void **state)
{
	static const struct sim like = {.opts.queue = true, .losses = 50};
	static const struct sim both = {.losses = 50, .misses = 5};

	(void)state;
	rounds(&like);
	rounds(&both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(missed_switches),
		cmocka_unit_test(losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
