/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gnomon's BPF programs under streams of events: random ones against the naive
 * oracle of truth.c, and the few that need a certain moment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/syscalls.h>

#include "host.h"
#include "mappings.h"
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
	uint64_t since, woken; /* when that began; WOKEN: since it waited */
	uint64_t work;	       /* when a fault or a call began on its CPU */
	uint32_t class;	       /* that it waits in */
	enum gn_class doing;   /* APP, FAULT, SYSCALL */
	uint32_t depth;
	bool unseen; /* it came onto its CPU, and nothing told */
};

struct sim {
	struct host_opts opts;
	unsigned int misses, losses; /* 1 in so many; 0: none */
	bool functions;
	uint64_t now, missed;
	struct thread thread[THREADS];
	uint64_t random;
	bool full;
};

static uint32_t roll(struct sim *s, uint32_t n)
{
	s->random = s->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(s->random >> 33) % n;
}

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

/* Something is seen of a thread that came onto its CPU unseen. Where the
 * scheduler's account is not used, all since it left is not known. */
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

/* System calls and what a thread in them waits for. */
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
	uint32_t i = roll(s, sizeof(waits) / sizeof(waits[0]));

	found_on(s, t);
	work_truth(t, s->now);
	w->out = t->task;
	w->runnable = roll(s, 3) == 0;
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
	uint32_t what = roll(s, 8);
	struct host_switch w = {0};

	if (what < 2) {
		leaves(s, t, &w);
		t = &s->thread[roll(s, THREADS)];
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
		bool enter = !t->depth || (t->depth < 9 && roll(s, 2));

		found_on(s, t);
		t->depth += enter ? 1 : -1u;
		truth_interval(&t->truth, s->now,
			       enter ? GN_KIND_ENTER : GN_KIND_LEAVE, 77);
		host_probe(t->task, enter, 77);
	}
}

static void step(struct sim *s)
{
	struct thread *t = &s->thread[roll(s, THREADS)];
	struct host_switch w = {0};

	s->now += 1 + roll(s, 100000);
	host_clock(s->now);
	if (s->losses && roll(s, s->losses) == 0) {
		s->full = !s->full;
		host_ring_full(s->full);
	}
	if (t->where == ON) {
		on_cpu_step(s, t);
	} else if (t->where == WAITING) {
		t->where = WOKEN;
		t->woken = s->now;
		host_wake(t->task);
	} else {
		w.in = t->task;
		w.unseen = s->misses && roll(s, s->misses) == 0;
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

/* What was under way at the stop ends there. */
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

/* Threads go on between the stop and the moment when they are closed. */
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
	s->misses = 0; /* these would be counted, and are of no interest */
	go_on(s);
	/* so that a record follows each number that is missing */
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

/* Every slice is told once, gathered or not, and each interval has its sum. */
static void nothing_is_lost(void **state)
{
	static const struct sim by_queue = {.opts.queue = true};
	static const struct sim by_wakeups = {.opts.queue = false};

	(void)state;
	rounds(&by_queue);
	rounds(&by_wakeups);
}

/* The kernel skips the program at some switches: its own account tells what
 * was, or the time is unclassified and counted. */
static void missed_switches(void **state)
{
	static const struct sim by_queue = {.opts.queue = true, .misses = 4};
	static const struct sim by_wakeups = {.misses = 4};

	(void)state;
	rounds(&by_queue);
	rounds(&by_wakeups);
}

/* What does not fit is counted, and what comes says where it was. */
static void losses(void **state)
{
	static const struct sim like = {.opts.queue = true, .losses = 50};
	static const struct sim both = {.losses = 50, .misses = 5};

	(void)state;
	rounds(&like);
	rounds(&both);
}

/* GN_SLICES slices go out as one sample, the rest when the thread is closed. */
static void slices_go_together(void **state)
{
	struct host_opts opts = {.queue = true, .gather = true};
	struct host_task *t;
	size_t size, at = 0, told[2] = {0}, n = 0;
	uint64_t now = 1000;
	const void *data;

	(void)state;
	host_new(now, opts);
	t = host_task(7);
	host_trace(t);
	for (int i = 0; i < GN_SLICES + 2; i++) {
		struct host_switch out = {.out = t, .nr = GN_NR_nanosleep};
		struct host_switch in = {.in = t};

		host_clock(now += 100);
		host_switch(&out);
		host_clock(now += 100);
		host_wake(t);
		host_switch(&in);
	}
	host_clock(now += 100);
	host_stop();
	host_finish();
	for (; (data = host_sample(at, &size)); at++) {
		const struct gn_rec_slice *r = data;

		if (r->h.kind != GN_KIND_SLICE)
			continue;
		assert_true(n < 2);
		assert_int_equal(size, GN_SLICES * sizeof(*r));
		while (told[n] < GN_SLICES && r[told[n]].h.kind)
			told[n]++;
		n++;
	}
	assert_int_equal(told[0], GN_SLICES);
	assert_int_equal(told[1], 2);
}

struct storm {
	struct host_task *t;
	uint64_t now;
	int left;
};

/* The thread is switched off its CPU and on again, in the middle of a program.
 */
static void switches(void *ctx)
{
	struct storm *s = ctx;
	struct host_switch out = {.out = s->t, .runnable = true};
	struct host_switch in = {.in = s->t};

	if (s->left-- <= 0)
		return;
	host_clock(s->now += 10);
	host_switch(&out);
	host_clock(s->now += 10);
	host_switch(&in);
}

static const struct gn_rec_func *last_of(enum gn_kind kind)
{
	const struct gn_rec_func *found = NULL, *r;
	size_t size;

	for (size_t i = 0; (r = host_sample(i, &size)); i++)
		if (r->h.kind == kind)
			found = r;
	return found;
}

/* An event whose thread is switched while its time is taken is taken again;
 * where that goes on and on, it is in doubt, and says so. */
static void torn_moments(void **state)
{
	struct host_opts opts = {.queue = true};

	(void)state;
	for (int n = 1; n < 8; n++) {
		struct storm s = {.now = 1000, .left = 0};
		const struct gn_rec_func *r;
		bool torn;

		host_new(s.now, opts);
		s.t = host_task(7);
		host_trace(s.t);
		host_clock(s.now += 10);
		host_probe(s.t, true, 5); /* its stack is known from now on */
		s.left = n;
		host_interrupt(switches, &s);
		host_probe(s.t, false, 5);
		host_interrupt(NULL, NULL);
		r = last_of(GN_KIND_LEAVE);
		assert_non_null(r);
		torn = host_counter(GN_COUNTER_TORN) > 0;
		assert_int_equal(torn, n >= 4);
		assert_int_equal(!!(r->h.flags & GN_F_IN_DOUBT), torn);
		if (!torn)
			assert_int_equal(r->os_ns, 10 * n);
	}
}

/* A switch while gathered slices get their place in the ring: its own slice
 * comes behind them. */
static void switched_while_sent(void **state)
{
	struct host_opts opts = {.queue = true, .gather = true};
	struct storm s = {.now = 1000, .left = 3};
	uint32_t seq = 0;
	size_t size;
	const struct gn_rec_slice *r;

	(void)state;
	host_new(s.now, opts);
	s.t = host_task(7);
	host_trace(s.t);
	switches(&s);
	host_interrupt(switches, &s);
	host_probe(s.t, true, 5);
	host_interrupt(NULL, NULL);
	for (size_t i = 0; (r = host_sample(i, &size)); i++)
		for (size_t k = 0;
		     k < size / sizeof(*r) && r[k].h.kind == GN_KIND_SLICE; k++)
			assert_int_equal(r[k].h.seq, ++seq);
	assert_int_equal(seq, 3);
}

/* The first record of the kernel's own account. */
static const struct gn_rec_kernel *kernel_account(void)
{
	const struct gn_rec_kernel *r;
	size_t size;

	for (size_t i = 0; (r = host_sample(i, &size)); i++)
		if (r->h.kind == GN_KIND_KERNEL)
			break;
	assert_non_null(r);
	return r;
}

/*
 * A thread that hardly ran: gnomon's clock at its switch onto its CPU was later
 * than the last reading of the scheduler's, as where the machine was taken in
 * between. Nothing of that is without a reason.
 */
static void hardly_ran(void **state)
{
	struct host_opts opts = {.queue = true, .check = true};
	struct host_switch out = {.runnable = true}, in = {0};
	const struct gn_rec_kernel *r;
	const uint64_t late = 2000000;
	uint64_t now = 1000000;

	(void)state;
	host_new(now, opts);
	out.out = in.in = host_task(7);
	host_trace(out.out);
	host_clock(now += 100);
	host_switch(&out);
	host_clock(now += 100);
	host_late(late);
	host_switch(&in);
	host_exit(in.in);
	r = kernel_account();
	assert_int_equal(r->cpu, 0);
	assert_int_equal(r->cpu - r->kernel_cpu - r->cpu_apart, 0);
}

/*
 * A thread is preempted four times, and waits for its CPU for 3 us; the second
 * time it is `odd`, a switch's, and waits for `ns`. The kernel does not count
 * the odd time, and that is no difference without a reason.
 */
static void queued_oddly(struct host_switch *out, struct host_switch *in,
			 bool *odd, uint64_t ns)
{
	struct host_opts opts = {.queue = true, .check = true};
	const struct gn_rec_kernel *r;
	uint64_t now = 1000000;

	host_new(now, opts);
	out->runnable = true;
	out->out = in->in = host_task(7);
	host_trace(out->out);
	for (int i = 0; i < 4; i++) {
		*odd = i == 1;
		host_clock(now += 100);
		host_switch(out);
		host_clock(now += *odd ? ns : 3000);
		host_switch(in);
	}
	host_exit(in->in);
	r = kernel_account();
	/* from the first switch off a CPU to the last */
	assert_int_equal(r->delay, 3000 + ns + 3000);
	assert_int_equal(r->kernel_delay, 3000 + 3000);
	assert_int_equal(r->delay - r->kernel_delay - r->delay_apart, 0);
}

static void preempted_before_waiting(void **state)
{
	struct host_switch out = {0}, in = {0};

	(void)state;
	queued_oddly(&out, &in, &out.waits, 50000);
}

/* By a CPU that took long to move it to another one. */
static void moved_slowly(void **state)
{
	struct host_switch out = {0}, in = {0};

	(void)state;
	queued_oddly(&out, &in, &in.moved, 5000000);
}

/* The clocks' difference is sampled late, twice: the machine was taken in
 * between. The clocks did not drift for that. */
static void sampled_late(void **state)
{
	struct host_opts opts = {.queue = true, .check = true};
	struct host_switch on = {0}, off = {.nr = 7};
	struct host_switch sleeps = {.nr = 7};
	const uint64_t late = 6700000;
	uint64_t now = 1000000;
	const struct gn_rec_kernel *r;

	(void)state;
	host_new(now, opts);
	sleeps.out = host_task(3);
	host_self(sleeps.out);
	host_switch(&sleeps);
	on.in = off.out = host_task(7);
	host_trace(on.in);
	host_clock(now += 100);
	host_switch(&off);
	host_clock(now += 100);
	host_switch(&on);
	for (int i = 0; i < 3; i++) {
		host_clock(now += 100000);
		host_late(late);
		host_switch(&sleeps);
		now += late;
	}
	host_clock(now += 100000);
	host_exit(on.in);
	r = kernel_account();
	assert_in_range(r->drift, 0, (now - 1000000) / 1000);
}

/* The last NAME and the last ENTER: whether they are of one function. */
static bool told(const char *name, size_t *names, uint32_t *func)
{
	const struct gn_rec *r;
	uint32_t named = 0;
	size_t size;

	*names = 0;
	for (size_t i = 0; (r = host_sample(i, &size)); i++) {
		const struct gn_rec_text *text = (const void *)r;

		if (r->kind == GN_KIND_ENTER)
			*func = ((const struct gn_rec_func *)r)->func;
		if (r->kind != GN_KIND_NAME)
			continue;
		*names += 1;
		if (!strcmp(text->text, name))
			named = text->id;
	}
	return named == *func;
}

/* Another class has the memory of one that was unloaded: the runtime has told
 * that, so its name is read again. What is still the same keeps its number. */
static void names_are_forgotten(void **state)
{
	static char text[512] = "GoAe";
	struct host_task *t;
	uint32_t a, b;
	size_t names;

	(void)state;
	host_new(1000000, (struct host_opts){.queue = true});
	t = host_task(7);
	host_trace(t);
	host_named(t, text, 4);
	host_named(t, text, 4);
	assert_true(told("GoAe", &names, &a));
	assert_int_equal(names, 1);
	host_forgets(t);
	host_named(t, text, 4);
	assert_true(told("GoAe", &names, &b));
	assert_int_equal(names, 1);
	assert_int_equal(b, a);
	text[2] = 'B';
	host_forgets(t);
	host_named(t, text, 4);
	assert_true(told("GoBe", &names, &b));
	assert_int_equal(names, 2);
	assert_int_not_equal(b, a);
}

/* Names with one place for those that were just used, by turns: each has its
 * own number, also in two processes, and is sent once. */
static void names_take_turns(void **state)
{
	static const char text[2][512] = {"GoAe", "GoBe"};
	struct host_task *t, *other;
	uint32_t first[3], func;
	size_t names;

	(void)state;
	host_new(1000000, (struct host_opts){.queue = true});
	t = host_task(7);
	host_trace(t);
	host_clock(1000500);
	other = host_task(8);
	host_trace(other);
	for (int i = 0; i < 6; i++) {
		host_named(i % 3 == 2 ? other : t, text[i % 3 == 1], 4);
		told("", &names, i < 3 ? &first[i] : &func);
		assert_int_equal(names, i < 3 ? i + 1 : 3);
		if (i >= 3)
			assert_int_equal(func, first[i - 3]);
	}
	assert_int_not_equal(first[0], first[1]);
	assert_int_not_equal(first[0], first[2]);
	/* the same address, another length */
	host_named(other, text[0], 3);
	told("", &names, &func);
	assert_int_equal(names, 4);
	assert_int_not_equal(func, first[2]);
}

/* What another thread is writing is not used, nor written to. */
static void names_while_others_write(void **state)
{
	static const char text[2][512] = {"GoAe", "GoBe"};
	uint32_t first[2], func;
	struct host_task *t;
	size_t names;

	(void)state;
	host_new(1000000, (struct host_opts){.queue = true});
	t = host_task(7);
	host_trace(t);
	host_named(t, text[0], 4);
	told("", &names, &first[0]);
	host_writes(true);
	host_named(t, text[1], 4);
	told("", &names, &first[1]);
	host_named(t, text[0], 4);
	told("", &names, &func);
	assert_int_equal(func, first[0]);
	host_writes(false);
	host_named(t, text[0], 4);
	told("", &names, &func);
	assert_int_equal(func, first[0]);
	host_named(t, text[1], 4);
	told("", &names, &func);
	assert_int_equal(func, first[1]);
	assert_int_equal(names, 2);
}

/* Only threads that are traced, in the session; the records of a thread are
 * numbered as if there was no sample. What has no room, or no stack, counts. */
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

/* A call at this stack pointer while mappings cannot be looked up. Returns
 * whether it is in doubt. */
static bool call_at(struct host_task *t, uint64_t sp)
{
	const struct gn_rec_func *r;

	host_stack(t, sp);
	host_probe(t, true, 5);
	r = last_of(GN_KIND_ENTER);
	assert_non_null(r);
	return r->h.flags & GN_F_IN_DOUBT;
}

static void expect_stack(uint64_t lo, uint64_t hi)
{
	const struct gn_rec_stack *r = (const void *)last_of(GN_KIND_STACK);

	assert_non_null(r);
	assert_int_equal(r->lo, lo);
	assert_int_equal(r->hi, hi);
}

/* The stack of a thread grows, and the thread changes stacks, while others
 * change mappings: which stack it is on is known all the same. */
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
	expect_stack(0x90000, 0xa0000); /* nothing new is told */
	assert_int_equal(host_counter(GN_COUNTER_STACK_BUSY), 0);
}

/* What the tree does not have, or has of another process, is not taken. */
static void stacks_in_no_mapping(void **state)
{
	static const struct mapping m[] = {{0x20000, 0x30000},
					   {0x40000, 0x50000}};
	struct host_task *t;

	(void)state;
	host_new(1000, (struct host_opts){.queue = true});
	mappings_set(m, 2, 16, false);
	t = host_task(7);
	host_trace(t);
	assert_false(call_at(t, 0x4fff0));
	host_mappings_busy(true);
	assert_true(call_at(t, 0x30000));
	assert_true(call_at(t, 0x3ffff));
	assert_true(call_at(t, 0x50000));
	mappings_foreign();
	assert_true(call_at(t, 0x2fff0));
	assert_int_equal(host_counter(GN_COUNTER_STACK_BUSY), 4);
	expect_stack(0x40000, 0x50000);
}

/* Trees of all heights: of each mapping its first and its last address, and of
 * each gap. */
static void trees_of_mappings(void **state)
{
	static struct mapping m[MAPPINGS_MAX];
	struct sim s = {.random = 1};
	struct host_task *t;

	(void)state;
	for (uint32_t round = 0; round < 60; round++) {
		uint32_t n = 1 + roll(&s, round < 40 ? 40 : MAPPINGS_MAX);
		uint32_t step = 1 + n / 40; /* so many are looked at */
		uint64_t at = 0x10000;

		for (uint32_t i = 0; i < n; i++) {
			m[i].lo = at + (roll(&s, 3) ? 0x1000 : 0);
			m[i].hi = m[i].lo + 0x1000 * (1 + roll(&s, 9));
			at = m[i].hi;
		}
		host_new(1000, (struct host_opts){.queue = true});
		mappings_set(m, n, n > 40 ? 16 - roll(&s, 8) : 4 + roll(&s, 13),
			     roll(&s, 2));
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
		cmocka_unit_test(preempted_before_waiting),
		cmocka_unit_test(moved_slowly),
		cmocka_unit_test(sampled_late),
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(missed_switches),
		cmocka_unit_test(losses),
		cmocka_unit_test(slices_go_together),
		cmocka_unit_test(torn_moments),
		cmocka_unit_test(switched_while_sent),
		cmocka_unit_test(hardly_ran),
		cmocka_unit_test(names_are_forgotten),
		cmocka_unit_test(names_take_turns),
		cmocka_unit_test(names_while_others_write),
		cmocka_unit_test(samples),
		cmocka_unit_test(stacks_while_others_map),
		cmocka_unit_test(stacks_in_no_mapping),
		cmocka_unit_test(trees_of_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
