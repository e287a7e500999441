/* SPDX-License-Identifier: BSD-2-Clause */
/* gnomon's BPF programs and switches at critical moments: what they send, and
 * the kernel's own account beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gnomon/syscalls.h>

#include "host.h"

/* GN_SLICES slices are sent as one sample. The rest is sent when the thread is
 * closed. */
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

/* Switches the thread off its CPU and on again, in the middle of a program. */
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

/* If a thread is switched while the time of an event is taken, it is taken
 * again. If that keeps happening, the record is marked as in doubt. */
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
		host_probe(s.t, true, 5); /* from now on its stack is known */
		s.left = n;
		host_interrupt(switches, &s);
		host_probe(s.t, false, 5);
		host_interrupt(NULL, NULL);
		r = host_last(GN_KIND_LEAVE);
		assert_non_null(r);
		torn = host_counter(GN_COUNTER_TORN) > 0;
		assert_int_equal(torn, n >= 4);
		assert_int_equal(!!(r->h.flags & GN_F_IN_DOUBT), torn);
		if (!torn)
			assert_int_equal(r->os_ns, 10 * n);
	}
}

/* A switch happens while gathered slices reserve their place in the ring. The
 * slice of this switch comes after them. */
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

/* The first record of the kernel's account. */
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

/* A thread is switched off its CPU and on again, and exits. At the switch on,
 * gnomon's clock is `late` ns ahead of the scheduler's. */
static void off_and_on(struct host_opts opts, struct host_switch *out,
		       uint64_t late)
{
	uint64_t now = 1000000;
	struct host_switch in = {0};

	host_new(now, opts);
	out->out = in.in = host_task(7);
	host_trace(out->out);
	host_clock(now += 100);
	host_switch(out);
	host_clock(now += 100);
	if (late)
		host_late(late);
	host_switch(&in);
	host_exit(in.in);
}

/*
 * A thread that hardly ran. At its switch onto the CPU, gnomon's clock was
 * later than the last update of the scheduler's clock, as when a hypervisor
 * takes the machine in between. All of the difference is accounted for.
 */
static void hardly_ran(void **state)
{
	struct host_opts opts = {.queue = true, .check = true};
	struct host_switch out = {.runnable = true};
	const struct gn_rec_kernel *r;

	(void)state;
	off_and_on(opts, &out, 2000000);
	r = kernel_account();
	assert_int_equal(r->cpu, 0);
	assert_int_equal(r->cpu - r->kernel_cpu - r->cpu_apart, 0);
}

/*
 * A thread is preempted four times, and waits 3 us for its CPU. The second time
 * it waits `ns` instead, with *odd, a flag of one of the switches, set. The
 * kernel does not count that wait, and the difference is accounted for.
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

/* Moved by a CPU that took long to move it to another one. */
static void moved_slowly(void **state)
{
	struct host_switch out = {0}, in = {0};

	(void)state;
	queued_oddly(&out, &in, &in.moved, 5000000);
}

/* The difference of the clocks is sampled late, repeatedly, because a
 * hypervisor took the machine in between. This must not count as drift. */
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

/* A thread is about to wait while a signal is pending: it waits for its CPU
 * only. */
static void signalled_before_waiting(void **state)
{
	struct host_switch out = {.nr = GN_NR_nanosleep, .signalled = true};
	struct host_opts opts = {0};
	const struct gn_rec_slice *r;

	(void)state;
	off_and_on(opts, &out, 0);
	r = host_last(GN_KIND_SLICE);
	assert_non_null(r);
	assert_int_equal(r->class, GN_CLASS_RUNQUEUE);
}

/* A traced thread, ready for a fault and for one switch off its CPU. */
static struct storm fault_storm(void)
{
	struct storm s = {.now = 1000, .left = 1};

	host_new(s.now, (struct host_opts){.queue = true});
	s.t = host_task(7);
	host_trace(s.t);
	host_clock(s.now += 100);
	return s;
}

/* The number of fault slices, and their total time. */
static size_t fault_slices(uint64_t *ns)
{
	const struct gn_rec_slice *r;
	size_t size, n = 0;

	*ns = 0;
	for (size_t i = 0; (r = host_sample(i, &size)); i++)
		if (r->h.kind == GN_KIND_SLICE && r->class == GN_CLASS_FAULT) {
			*ns += r->h.time - r->start;
			n++;
		}
	return n;
}

/* A fault continues after a switch, until its end. */
static void switched_in_fault(void **state)
{
	struct storm s = fault_storm();
	uint64_t ns;

	(void)state;
	host_fault(s.t, true);
	switches(&s);
	host_clock(s.now += 30);
	host_fault(s.t, false);
	assert_int_equal(fault_slices(&ns), 2);
	assert_int_equal(ns, 10 + 30);
	assert_int_equal(host_counter(GN_COUNTER_FAULT_END), 0);
}

/* The end of a fault is not seen: what the program does afterwards does not
 * count as the fault. */
static void fault_without_end(void **state)
{
	uint64_t ns;

	(void)state;
	for (int way = 0; way < 4; way++) {
		struct storm s = fault_storm();

		host_fault(s.t, true);
		host_goes_on(s.t);
		host_clock(s.now += 500);
		if (way == 0)
			switches(&s);
		else if (way == 1)
			host_fault(s.t, false); /* in a system call */
		else if (way == 2)
			host_exit(s.t);
		host_clock(s.now += 500);
		host_stop();
		host_finish();
		assert_int_equal(fault_slices(&ns), 0);
		assert_int_equal(host_counter(GN_COUNTER_FAULT_END), 1);
	}
}

/* A call into the vsyscall page has no end, so it does not count as a fault. */
static void vsyscall_is_no_fault(void **state)
{
	struct storm s = fault_storm();
	uint64_t ns;

	(void)state;
	host_vsyscall(s.t);
	switches(&s);
	assert_int_equal(fault_slices(&ns), 0);
	assert_int_equal(host_counter(GN_COUNTER_FAULT_END), 0);
}

/* A thread that polls, and a thread that can wake it. */
struct wakeup {
	struct host_task *sleeper, *waker;
	int after; /* clock readings and ring reservations before the wakeup */
};

static void wakeup_init(struct wakeup *w)
{
	struct host_switch out = {.nr = GN_NR_poll, .args = {0, 1}};

	host_new(1000, (struct host_opts){.queue = true});
	out.out = w->sleeper = host_task(7);
	out.in = w->waker = host_task(8);
	host_trace(w->sleeper);
	host_trace(w->waker);
	host_clock(2000);
	host_switch(&out);
}

/* Wakes the thread while the other one is in system call `nr`. */
static void woken_in(int nr)
{
	struct wakeup w = {0};

	wakeup_init(&w);
	host_waking(w.waker, nr, w.sleeper);
}

/* A hook that enters the kernel by a system call wakes nobody. A wakeup
 * meanwhile is from an interrupt, such as for a packet. */
static void hooks_wake_nobody(void **state)
{
	const struct gn_rec *r;

	(void)state;
	woken_in(1);
	r = host_last(GN_KIND_WAKE);
	assert_non_null(r);
	assert_int_equal(r->tid, 8);
	woken_in(335);
	assert_null(host_last(GN_KIND_WAKE));
	woken_in(336);
	assert_null(host_last(GN_KIND_WAKE));
}

/* Wakes the thread from a system call. */
static void wakes_it(void *ctx)
{
	struct wakeup *w = ctx;

	if (w->after-- == 0)
		host_waking(w->waker, 1, w->sleeper);
}

/* A wakeup while a thread's new name is being sent has no record. It would come
 * between the place of the name's record and its number. */
static void no_wakeup_between(void **state)
{
	struct wakeup w = {.after = 1};

	(void)state;
	wakeup_init(&w);
	host_interrupt(wakes_it, &w);
	host_rename(w.waker, "name");
	host_interrupt(NULL, NULL);
	assert_non_null(host_last(GN_KIND_RENAME));
	assert_null(host_last(GN_KIND_WAKE));
}

struct family {
	struct host_task *parent, *child;
	int after;
};

static void forks(void *ctx)
{
	struct family *f = ctx;

	if (f->after-- == 0)
		host_fork(f->parent, f->child);
}

/* The iterator reaches a new thread while its parent reports it: it is reported
 * once. */
static void told_once(void **state)
{
	const struct gn_rec *r;

	(void)state;
	for (int after = 0; after < 3; after++) {
		struct family f = {.after = after};
		size_t size, n = 0;

		host_new(1000, (struct host_opts){.queue = true});
		f.parent = host_task(7);
		f.child = host_task(8);
		host_trace(f.parent);
		host_interrupt(forks, &f);
		host_trace(f.child);
		host_interrupt(NULL, NULL);
		for (size_t i = 0; (r = host_sample(i, &size)); i++)
			n += r->kind == GN_KIND_THREAD && r->tid == 8;
		assert_int_equal(n, 1);
	}
}

static void settles(void *ctx)
{
	host_settle(ctx);
}

/* Counts the slices that end at `time`. */
static int slices_at(uint64_t time)
{
	const struct gn_rec *r;
	size_t size;
	int n = 0;

	for (size_t i = 0; (r = host_sample(i, &size)); i++)
		n += r->kind == GN_KIND_SLICE && r->time == time;
	return n;
}

/* A thread whose switch onto its CPU was not seen sleeps until 3,000. */
static struct host_task *comes_unseen(void)
{
	struct host_switch out = {.nr = GN_NR_nanosleep};
	struct host_switch in = {.unseen = true};

	host_new(1000, (struct host_opts){.queue = true});
	out.out = in.in = host_task(7);
	host_trace(out.out);
	host_clock(2000);
	host_switch(&out);
	host_clock(3000);
	host_wake(in.in);
	host_switch(&in);
	host_clock(4000);
	assert_int_equal(slices_at(3000), 0);
	return in.in;
}

/* User space lets the kernel look at each CPU: the slice of a missed switch is
 * emitted then, and only once. */
static void settled_by_user_space(void **state)
{
	struct host_task *t = comes_unseen();

	(void)state;
	host_settle(t);
	assert_int_equal(slices_at(3000), 1);
	host_settle(t);
	host_probe(t, true, 77);
	assert_int_equal(slices_at(3000), 1);
}

/* The same while a probe does it. */
static void settled_once(void **state)
{
	struct host_task *t = comes_unseen();

	(void)state;
	host_interrupt(settles, t);
	host_probe(t, true, 77);
	host_interrupt(NULL, NULL);
	assert_int_equal(slices_at(3000), 1);
}

/* The place of the first record of a kind; that of none is behind all. */
static size_t place_of(enum gn_kind kind)
{
	const struct gn_rec *r;
	size_t size, i;

	for (i = 0; (r = host_sample(i, &size)) && r->kind != kind; i++)
		;
	return i;
}

/* A record of the thread comes after the slice of the switch, also one that
 * ends no interval: what the thread wrote between them would go before it. */
static void settled_before(enum gn_kind kind)
{
	assert_int_equal(slices_at(3000), 1);
	assert_true(place_of(GN_KIND_SLICE) < place_of(kind));
	assert_non_null(host_last(kind));
}

static void settled_before_any_record(void **state)
{
	static const char text[] = "work";
	struct host_switch out = {.nr = GN_NR_poll, .args = {0, 1}};
	struct host_task *t = comes_unseen();

	(void)state;
	host_rename(t, "name");
	settled_before(GN_KIND_RENAME);

	t = comes_unseen();
	host_named(t, text, sizeof(text) - 1);
	settled_before(GN_KIND_NAME);

	t = comes_unseen();
	out.out = host_task(8);
	host_trace(out.out);
	host_switch(&out);
	host_waking(t, 1, out.out);
	settled_before(GN_KIND_WAKE);
}

/* The verifiers of some kernels demand that programs test their arguments. */
static void arguments_are_tested(void **state)
{
	size_t size;

	(void)state;
	host_new(1000, (struct host_opts){.queue = true});
	host_nothing();
	assert_null(host_sample(0, &size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_go_together),
		cmocka_unit_test(torn_moments),
		cmocka_unit_test(switched_while_sent),
		cmocka_unit_test(hardly_ran),
		cmocka_unit_test(preempted_before_waiting),
		cmocka_unit_test(moved_slowly),
		cmocka_unit_test(sampled_late),
		cmocka_unit_test(signalled_before_waiting),
		cmocka_unit_test(switched_in_fault),
		cmocka_unit_test(fault_without_end),
		cmocka_unit_test(vsyscall_is_no_fault),
		cmocka_unit_test(hooks_wake_nobody),
		cmocka_unit_test(no_wakeup_between),
		cmocka_unit_test(told_once),
		cmocka_unit_test(settled_by_user_space),
		cmocka_unit_test(settled_once),
		cmocka_unit_test(settled_before_any_record),
		cmocka_unit_test(arguments_are_tested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
