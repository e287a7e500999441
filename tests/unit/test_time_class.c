/* SPDX-License-Identifier: BSD-2-Clause */
/* How the scheduler's events become slices: worked examples for each
 * transition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gnomon/time_class.h>

static void check_slice(const struct gn_slice *s, uint64_t start, uint64_t end,
			enum gn_class class, uint16_t reason, uint32_t waker)
{
	assert_int_equal(s->start, start);
	assert_int_equal(s->end, end);
	assert_int_equal(s->class, class);
	assert_int_equal(s->reason, reason);
	assert_int_equal(s->waker, waker);
	assert_int_equal(s->detail & ~GN_WAIT_TIMED, 0);
}

static struct gn_os on_cpu(uint64_t since)
{
	return (struct gn_os){.state = GN_CPU_ON, .since = since};
}

/* A thread that has waited since 1000 in system call 7. */
static struct gn_os waiting(enum gn_class class)
{
	struct gn_os os = on_cpu(100);

	gn_os_switch_out(&os, 1000, 0, class, 7);
	return os;
}

static void a_preempted_thread_was_queued(void **state)
{
	struct gn_os os = on_cpu(100);
	struct gn_slice s[2] = {0};

	(void)state;
	gn_os_switch_out(&os, 1000, 1, GN_CLASS_OTHER, GN_NO_SYSCALL);
	assert_int_equal(os.state, GN_CPU_QUEUED);
	assert_int_equal(os.since, 1000);
	assert_int_equal(os.total, 0);
	gn_os_wakeup(&os, 1200); /* it is already runnable */
	gn_os_queued(&os, 1300, 50);
	assert_int_equal(os.state, GN_CPU_QUEUED);
	assert_int_equal(gn_os_switch_in(&os, 1500, s), 1);
	check_slice(&s[0], 1000, 1500, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 0);
	assert_int_equal(os.total, 500);
	assert_int_equal(os.events, 1);
	assert_int_equal(os.state, GN_CPU_ON);
	assert_int_equal(os.since, 1500);
}

static void a_wait_ends_at_its_wakeup(void **state)
{
	struct gn_os os = waiting(GN_CLASS_NET);
	struct gn_slice s[2] = {0};

	(void)state;
	assert_int_equal(os.state, GN_CPU_WAITING);
	gn_os_waking(&os, 41, 0);
	gn_os_waking(&os, 42, 0); /* the later one is right */
	gn_os_wakeup(&os, 1700);
	assert_int_equal(os.state, GN_CPU_WOKEN);
	gn_os_wakeup(&os, 1800); /* counts only once */
	gn_os_queued(&os, 1900, 10);
	assert_int_equal(os.woken, 1700);
	assert_int_equal(gn_os_switch_in(&os, 2000, s), 2);
	check_slice(&s[0], 1000, 1700, GN_CLASS_NET, 7, 42);
	check_slice(&s[1], 1700, 2000, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 42);
	assert_int_equal(os.total, 1000);
	assert_int_equal(os.events, 1);

	/* the waker can be reported before the wait */
	gn_os_waking(&os, 43, 0);
	gn_os_switch_out(&os, 3000, 0, GN_CLASS_IPC, 0);
	assert_int_equal(os.woken, 0);
	gn_os_wakeup(&os, 3010);
	assert_int_equal(gn_os_switch_in(&os, 3030, s), 2);
	check_slice(&s[0], 3000, 3010, GN_CLASS_IPC, 0, 43);
	assert_int_equal(os.total, 1030);
	assert_int_equal(os.events, 2);

	/* an old waker did not end a later wait */
	gn_os_switch_out(&os, 4000, 0, GN_CLASS_IPC, 0);
	gn_os_wakeup(&os, 4010);
	assert_int_equal(gn_os_switch_in(&os, 4030, s), 2);
	check_slice(&s[0], 4000, 4010, GN_CLASS_IPC, 0, 0);
}

static void a_wait_without_a_wakeup_lasts_to_the_end(void **state)
{
	struct gn_os os = waiting(GN_CLASS_DISK);
	struct gn_slice s[2] = {0};

	(void)state;
	assert_int_equal(gn_os_switch_in(&os, 1250, s), 1);
	check_slice(&s[0], 1000, 1250, GN_CLASS_DISK, 7, 0);
	assert_int_equal(os.total, 250);
}

static void wakeups_by_other_clocks_stay_in_the_stretch(void **state)
{
	struct gn_os os = waiting(GN_CLASS_SLEEP);
	struct gn_slice s[2] = {0};

	(void)state;
	gn_os_wakeup(&os, 990); /* before it began: none of it was a wait */
	assert_int_equal(os.woken, 1000);
	assert_int_equal(gn_os_switch_in(&os, 1100, s), 1);
	check_slice(&s[0], 1000, 1100, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 0);

	os = waiting(GN_CLASS_SLEEP);
	gn_os_wakeup(&os, 1200); /* after it ended: all of it was a wait */
	assert_int_equal(gn_os_switch_in(&os, 1100, s), 1);
	check_slice(&s[0], 1000, 1100, GN_CLASS_SLEEP, 7, 0);
	assert_int_equal(os.total, 100);

	os = waiting(GN_CLASS_SLEEP); /* an end that is not after the start */
	assert_int_equal(gn_os_switch_in(&os, 1000, s), 0);
	assert_int_equal(os.total, 0);
	assert_int_equal(os.events, 1);
	assert_int_equal(os.state, GN_CPU_ON);
	os = waiting(GN_CLASS_SLEEP);
	assert_int_equal(gn_os_switch_in(&os, 900, s), 0);
	assert_int_equal(os.total, 0);
	assert_int_equal(os.since, 900);
}

static void the_kernel_says_how_long_it_was_queued(void **state)
{
	struct gn_os os = waiting(GN_CLASS_NET);
	struct gn_slice s[2] = {0};

	(void)state;
	gn_os_queued(&os, 2000, 300);
	assert_int_equal(os.state, GN_CPU_WOKEN);
	assert_int_equal(os.woken, 1700);
	assert_int_equal(gn_os_switch_in(&os, 2000, s), 2);
	check_slice(&s[0], 1000, 1700, GN_CLASS_NET, 7, 0);
	check_slice(&s[1], 1700, 2000, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 0);

	os = waiting(GN_CLASS_NET);
	gn_os_queued(&os, 2000, 0); /* it ran at once */
	assert_int_equal(os.woken, 2000);
	assert_int_equal(gn_os_switch_in(&os, 2000, s), 1);
	check_slice(&s[0], 1000, 2000, GN_CLASS_NET, 7, 0);

	os = waiting(GN_CLASS_NET);
	gn_os_queued(&os, 2000, 1000); /* all of it, and not more */
	assert_int_equal(os.woken, 1000);
	os = waiting(GN_CLASS_NET);
	gn_os_queued(&os, 2000, 5000);
	assert_int_equal(os.woken, 1000);
	os = waiting(GN_CLASS_NET);
	gn_os_queued(&os, 2000, UINT64_MAX);
	assert_int_equal(os.woken, 1000);
	os = waiting(GN_CLASS_NET);
	gn_os_queued(&os, 900, 50); /* by a clock that is behind */
	assert_int_equal(os.woken, 1000);
}

/* The kernel's account began before the wakeup, which is known. */
static void a_thread_that_sleeps_is_not_queued(void **state)
{
	struct gn_os os = waiting(GN_CLASS_EVENT);
	struct gn_slice s[2] = {0};

	(void)state;
	gn_os_slept(&os, 1900);
	gn_os_queued(&os, 2000, 800);
	assert_int_equal(gn_os_switch_in(&os, 2000, s), 2);
	check_slice(&s[0], 1000, 1900, GN_CLASS_EVENT, 7, 0);
	check_slice(&s[1], 1900, 2000, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 0);

	os = waiting(GN_CLASS_EVENT);
	gn_os_slept(&os, 1900);
	gn_os_queued(&os, 2000, 50); /* it tells of the wakeup itself */
	assert_int_equal(os.woken, 1950);
	os = waiting(GN_CLASS_EVENT);
	gn_os_slept(&os, 2100); /* after the stop of the capture */
	gn_os_queued(&os, 2000, 800);
	assert_int_equal(os.woken, 2000);

	/* a later wait has its own wakeup */
	gn_os_switch_in(&os, 2000, s);
	gn_os_switch_out(&os, 2050, 0, GN_CLASS_EVENT, 7);
	gn_os_queued(&os, 2200, 100);
	assert_int_equal(os.woken, 2100);
}

static void only_what_can_be_woken_is_queued(void **state)
{
	static const enum gn_cpu_state not_woken[] = {
		GN_CPU_ON, GN_CPU_QUEUED, GN_CPU_WOKEN, GN_CPU_DEAD};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(not_woken) / sizeof(not_woken[0]); i++) {
		struct gn_os os = {.since = 1000,
				   .woken = 1100,
				   .state = (__u8)not_woken[i]};
		const struct gn_os before = os;

		gn_os_queued(&os, 2000, 300);
		gn_os_wakeup(&os, 2000);
		assert_memory_equal(&os, &before, sizeof(os));
	}
}

/* Threads that are traced from the middle of their life on. */
static void an_unknown_thread_was_on_or_waiting(void **state)
{
	const struct gn_os unknown = {
		.since = 1000, .wait_class = GN_CLASS_CHILD, .reason = 61};
	struct gn_os os = unknown;
	struct gn_slice s[2] = {0};

	(void)state;
	gn_os_wakeup(&os, 1400);
	assert_int_equal(gn_os_switch_in(&os, 1500, s), 2);
	check_slice(&s[0], 1000, 1400, GN_CLASS_CHILD, 61, 0);
	check_slice(&s[1], 1400, 1500, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 0);

	os = unknown;
	gn_os_queued(&os, 1500, 200);
	assert_int_equal(os.woken, 1300);
	assert_int_equal(os.state, GN_CPU_WOKEN);
	os = unknown; /* it runs, and nobody woke it: it was queued */
	assert_int_equal(gn_os_switch_in(&os, 1500, s), 1);
	check_slice(&s[0], 1000, 1500, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, 0);
	os = unknown; /* its first event is that it stops: it was on a CPU */
	gn_os_switch_out(&os, 1600, 0, GN_CLASS_IPC, 1);
	assert_int_equal(os.total, 0);
	assert_int_equal(gn_os_switch_in(&os, 1700, s), 1);
	check_slice(&s[0], 1600, 1700, GN_CLASS_IPC, 1, 0);
	assert_int_equal(os.total, 100);
}

static void a_switch_in_of_what_runs_is_nothing(void **state)
{
	struct gn_os os = on_cpu(100);
	const struct gn_os before = os;
	struct gn_slice s[2] = {0};

	(void)state;
	assert_int_equal(gn_os_switch_in(&os, 500, s), 0);
	assert_memory_equal(&os, &before, sizeof(os));
}

static void nothing_counts_for_the_dead(void **state)
{
	struct gn_os os = {.since = 1000, .state = GN_CPU_DEAD};
	const struct gn_os before = os;
	struct gn_slice s[2] = {0};

	(void)state;
	gn_os_switch_out(&os, 2000, 0, GN_CLASS_NET, 7);
	gn_os_deadline(&os, 3000);
	gn_os_wakeup(&os, 3000);
	gn_os_queued(&os, 3000, 10);
	assert_int_equal(gn_os_switch_in(&os, 4000, s), 0);
	assert_memory_equal(&os, &before, sizeof(os));
}

/* A wait of the class `waits` that ends by itself at `deadline`; it ended at
 * `woken`. */
static struct gn_os timed_of(enum gn_class waits, uint64_t deadline,
			     uint64_t woken, int early, enum gn_class class)
{
	struct gn_os os = waiting(waits);
	struct gn_slice s[2] = {0};

	gn_os_deadline(&os, deadline);
	assert_int_equal(os.deadline, deadline);
	gn_os_wakeup(&os, woken);
	assert_int_equal(gn_os_switch_in(&os, woken, s), 1);
	check_slice(&s[0], 1000, woken, class, 7, 0);
	assert_int_equal(os.early, early);
	return os;
}

static struct gn_os timed(uint64_t deadline, uint64_t woken, int early,
			  enum gn_class class)
{
	return timed_of(GN_CLASS_EVENT, deadline, woken, early, class);
}

/* An I/O thread of a database that has no work. */
static void io_that_its_deadline_ended_was_a_sleep(void **state)
{
	(void)state;
	timed_of(GN_CLASS_DISK, 1000000, 1000000, 0, GN_CLASS_SLEEP);
	timed_of(GN_CLASS_DISK, 1000000, 2000, 1, GN_CLASS_DISK);
	timed_of(GN_CLASS_DISK, 0, 1000000, 0, GN_CLASS_DISK);
}

static void a_futex_that_its_deadline_ended_was_a_sleep(void **state)
{
	const uint64_t deadline = 1000000;

	(void)state;
	timed(deadline, deadline, 0, GN_CLASS_SLEEP);
	timed(deadline, deadline + 5000000, 0, GN_CLASS_SLEEP);
	timed(deadline, deadline - 1, 0, GN_CLASS_SLEEP);
	timed(deadline, deadline - GN_DEADLINE_SLACK, 0, GN_CLASS_SLEEP);
	timed(deadline, deadline - GN_DEADLINE_SLACK - 1, 1, GN_CLASS_EVENT);
	timed(deadline, 2000, 1, GN_CLASS_EVENT);
	/* a deadline in the distant past ends it at once */
	timed(1, 1500, 0, GN_CLASS_SLEEP);
	/* never, in practice */
	timed(UINT64_MAX, 1500, 1, GN_CLASS_EVENT);
	/* no deadline: the previous wait of this kind proves nothing */
	timed(0, 1500, 0, GN_CLASS_EVENT);
}

/* If a thread wakes another one, that ends the wait, even at the deadline. */
static void no_deadline_ended_what_a_thread_did(void **state)
{
	static const uint64_t deadline = 1000000;

	(void)state;
	for (int surely = 0; surely < 2; surely++) {
		enum gn_class class = surely ? GN_CLASS_EVENT : GN_CLASS_SLEEP;
		struct gn_os os = waiting(GN_CLASS_EVENT);
		struct gn_slice s[2] = {0};

		gn_os_deadline(&os, deadline);
		gn_os_waking(&os, 42, surely);
		gn_os_wakeup(&os, deadline);
		assert_int_equal(gn_os_switch_in(&os, deadline, s), 1);
		check_slice(&s[0], 1000, deadline, class, 7, 42);
		assert_int_equal(os.early, surely);
		/* a timer ends the next one */
		gn_os_switch_out(&os, deadline, 0, GN_CLASS_EVENT, 7);
		gn_os_deadline(&os, 2 * deadline);
		gn_os_wakeup(&os, 2 * deadline);
		assert_int_equal(gn_os_switch_in(&os, 2 * deadline, s), 1);
		check_slice(&s[0], deadline, 2 * deadline, GN_CLASS_SLEEP, 7,
			    0);
	}
}

static void only_who_waits_has_a_deadline(void **state)
{
	struct gn_os os = on_cpu(100);

	(void)state;
	gn_os_deadline(&os, 5000);
	assert_int_equal(os.deadline, 0);
	gn_os_switch_out(&os, 1000, 1, GN_CLASS_EVENT, 202);
	gn_os_deadline(&os, 5000);
	assert_int_equal(os.deadline, 0);
	os = waiting(GN_CLASS_EVENT);
	gn_os_deadline(&os, 5000);
	assert_int_equal(os.deadline, 5000);
	gn_os_wakeup(&os, 1200);
	gn_os_deadline(&os, 9000);
	assert_int_equal(os.deadline, 5000);
	/* the next wait begins without one */
	gn_os_switch_out(&os, 1300, 0, GN_CLASS_EVENT, 202);
	assert_int_equal(os.deadline, 0);
}

static void what_goes_on_is_told_as_the_last_one_was(void **state)
{
	const uint64_t deadline = 1000000;
	struct gn_os os = timed(deadline, deadline, 0, GN_CLASS_SLEEP);
	struct gn_slice s[2] = {0};

	(void)state;
	gn_os_switch_out(&os, deadline + 10, 0, GN_CLASS_EVENT, 202);
	gn_os_deadline(&os, 2 * deadline);
	assert_int_equal(gn_os_off_slices(&os, deadline + 50, s), 1);
	check_slice(&s[0], deadline + 10, deadline + 50, GN_CLASS_SLEEP, 202,
		    0);
	gn_os_wakeup(&os, deadline + 60); /* and then it was early */
	assert_int_equal(gn_os_switch_in(&os, deadline + 60, s), 1);
	check_slice(&s[0], deadline + 10, deadline + 60, GN_CLASS_EVENT, 202,
		    0);
	assert_int_equal(os.early, 1);

	gn_os_switch_out(&os, deadline + 100, 0, GN_CLASS_EVENT, 202);
	assert_int_equal(gn_os_waited(&os, 0), GN_CLASS_EVENT);
	gn_os_deadline(&os, 2 * deadline);
	assert_int_equal(gn_os_waited(&os, 0), GN_CLASS_EVENT);
	/* a wait without a deadline does not change what is known */
	gn_os_switch_out(&os, deadline + 200, 0, GN_CLASS_EVENT, 202);
	assert_int_equal(gn_os_switch_in(&os, 3 * deadline, s), 1);
	assert_int_equal(os.early, 1);
}

static void other_classes_have_no_deadline_that_counts(void **state)
{
	int c;

	(void)state;
	for (c = 0; c < GN_CLASS_COUNT; c++) {
		struct gn_os os = waiting((enum gn_class)c);

		gn_os_deadline(&os, 500000);
		if (c == GN_CLASS_EVENT || c == GN_CLASS_DISK)
			continue;
		assert_int_equal(gn_os_waited(&os, 0), c);
		assert_int_equal(gn_os_waited(&os, 2000), c);
		assert_int_equal(gn_os_waited(&os, 500000), c);
		assert_int_equal(gn_os_waited(&os, 900000), c);
	}
}

static void kernel_work_is_cut_at_switches(void **state)
{
	struct gn_os os = on_cpu(100);
	struct gn_slice s[2] = {0};

	(void)state;
	assert_int_equal(gn_os_in_slice(&os, 200, s), 0); /* there is none */
	gn_os_in(&os, 300, GN_CLASS_SYSCALL, 0);
	assert_int_equal(gn_os_in_slice(&os, 300, s), 0);
	assert_int_equal(gn_os_in_slice(&os, 250, s), 0);
	assert_int_equal(os.events, 0);
	assert_int_equal(gn_os_in_slice(&os, 340, s), 1);
	check_slice(&s[0], 300, 340, GN_CLASS_SYSCALL, 0, 0);
	assert_int_equal(os.total, 40);
	assert_int_equal(os.events, 1);
	assert_int_equal(gn_os_in_slice(&os, 400, s), 1); /* it continues */
	check_slice(&s[0], 340, 400, GN_CLASS_SYSCALL, 0, 0);
	gn_os_switch_out(&os, 400, 0, GN_CLASS_IPC, 0);
	gn_os_wakeup(&os, 600);
	assert_int_equal(gn_os_switch_in(&os, 700, s), 2);
	assert_int_equal(os.in_class, GN_CLASS_SYSCALL);
	assert_int_equal(gn_os_out(&os, 750, GN_CLASS_FAULT, s), 0);
	assert_int_equal(os.in_class, GN_CLASS_SYSCALL); /* not in that class */
	assert_int_equal(gn_os_out(&os, 750, GN_CLASS_SYSCALL, s), 1);
	check_slice(&s[0], 700, 750, GN_CLASS_SYSCALL, 0, 0);
	assert_int_equal(os.in_class, GN_CLASS_APP);
	assert_int_equal(gn_os_out(&os, 760, GN_CLASS_SYSCALL, s), 0);
	assert_int_equal(os.total, 100 + 300 + 50);
	assert_int_equal(os.events, 4);
}

static void work_of_no_time_is_no_slice(void **state)
{
	struct gn_os os = on_cpu(100);
	struct gn_slice s[2] = {0};

	(void)state;
	gn_os_in(&os, 500, GN_CLASS_FAULT, GN_NO_SYSCALL);
	assert_int_equal(gn_os_out(&os, 500, GN_CLASS_FAULT, s), 0);
	assert_int_equal(os.in_class, GN_CLASS_APP);
	assert_int_equal(os.total, 0);
	assert_int_equal(os.events, 0);
}

static void each_class_is_of_its_group(void **state)
{
	int c, groups[4] = {0};

	(void)state;
	for (c = 0; c < GN_CLASS_COUNT; c++)
		groups[gn_class_group((enum gn_class)c)]++;
	assert_int_equal(groups[GN_GROUP_APP], 1);
	assert_int_equal(groups[GN_GROUP_RUNTIME], 2);
	assert_int_equal(groups[GN_GROUP_OS], 13);
	assert_int_equal(groups[GN_GROUP_UNKNOWN], 1);
	assert_int_equal(gn_class_group(GN_CLASS_COUNT), GN_GROUP_UNKNOWN);
	assert_int_equal(gn_class_group((enum gn_class)255), GN_GROUP_UNKNOWN);
}

/* A poll of a pipe that began at 1000, with `end` and `deadline`. */
static struct gn_os polling(enum gn_wait_end end, uint64_t deadline)
{
	struct gn_os os = {.state = GN_CPU_ON};

	gn_os_switch_out(&os, 1000, 0, GN_CLASS_POLL, 7);
	os.polled = GN_POLLED_PIPE;
	os.end = (uint8_t)end;
	gn_os_deadline(&os, deadline);
	return os;
}

static void ended(struct gn_os os, uint64_t woken, enum gn_wait_end want)
{
	struct gn_slice s[2];

	gn_os_waking(&os, 99, 0);
	if (woken)
		gn_os_wakeup(&os, woken);
	assert_int_equal(gn_os_off_slices(&os, 90000000, s), woken ? 2 : 1);
	assert_int_equal(s[0].waker, want == GN_END_BY_TIMEOUT ? 0 : 99);
	assert_int_equal(s[0].class, GN_CLASS_POLL);
	assert_int_equal(GN_WAIT_POLLED(s[0].detail), GN_POLLED_PIPE);
	assert_int_equal(GN_WAIT_END(s[0].detail), want);
	assert_int_equal(!!(s[0].detail & GN_WAIT_TIMED), os.deadline > 0);
	if (woken)
		assert_int_equal(s[1].detail, 0);
}

static void a_poll_tells_what_ended_it(void **state)
{
	uint64_t deadline = 50000000;

	(void)state;
	ended(polling(GN_END_BY_READY, 0), 2000, GN_END_BY_READY);
	ended(polling(GN_END_BY_READY, deadline), 2000, GN_END_BY_READY);
	ended(polling(GN_END_BY_READY, deadline), deadline, GN_END_BY_TIMEOUT);
	ended(polling(GN_END_BY_SIGNAL, deadline), deadline, GN_END_BY_SIGNAL);
	ended(polling(GN_END_BY_UNKNOWN, 0), 2000, GN_END_BY_UNKNOWN);
	/* it continues */
	ended(polling(GN_END_BY_READY, deadline), 0, GN_END_BY_UNKNOWN);
}

/* Whether an event wait is idle depends on the last one with a deadline; a poll
 * is no such wait. */
static void a_poll_changes_nothing_of_the_next_event(void **state)
{
	struct gn_os os = polling(GN_END_BY_READY, 50000000);
	struct gn_slice s[2];

	(void)state;
	os.early = 1;
	gn_os_wakeup(&os, 60000000);
	gn_os_switch_in(&os, 60000000, s);
	assert_int_equal(os.early, 1);
	gn_os_switch_out(&os, 70000000, 0, GN_CLASS_EVENT, 202);
	assert_int_equal(os.polled, 0);
	assert_int_equal(os.end, 0);
	assert_int_equal(gn_os_detail(&os, 71000000), 0);
	gn_os_deadline(&os, 80000000);
	assert_int_equal(gn_os_detail(&os, 71000000), GN_WAIT_TIMED);
}

/* It stays a lock when its deadline ends it; the next wait is its own. */
static void an_interpreters_lock_is_one(void **state)
{
	struct gn_os os = {.state = GN_CPU_ON};
	struct gn_slice s[2];

	(void)state;
	gn_os_switch_out(&os, 1000, 1, GN_CLASS_OTHER, GN_NO_SYSCALL);
	gn_os_interpreter(&os); /* it does not wait */
	assert_int_equal(os.wait_class, GN_CLASS_OTHER);
	gn_os_switch_in(&os, 2000, s);
	gn_os_switch_out(&os, 10000000, 0, GN_CLASS_EVENT, 202);
	gn_os_interpreter(&os);
	gn_os_deadline(&os, 15000000);
	gn_os_wakeup(&os, 15000001);
	assert_int_equal(gn_os_switch_in(&os, 15000001, s), 1);
	assert_int_equal(s[0].class, GN_CLASS_LOCK);
	assert_int_equal(s[0].detail, GN_WAIT_INTERPRETER | GN_WAIT_TIMED);
	gn_os_switch_out(&os, 20000000, 0, GN_CLASS_EVENT, 202);
	gn_os_deadline(&os, 25000000);
	gn_os_wakeup(&os, 25000001);
	assert_int_equal(gn_os_switch_in(&os, 25000001, s), 1);
	assert_int_equal(s[0].class, GN_CLASS_SLEEP);
	assert_int_equal(s[0].detail, GN_WAIT_TIMED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_preempted_thread_was_queued),
		cmocka_unit_test(a_wait_ends_at_its_wakeup),
		cmocka_unit_test(a_wait_without_a_wakeup_lasts_to_the_end),
		cmocka_unit_test(wakeups_by_other_clocks_stay_in_the_stretch),
		cmocka_unit_test(the_kernel_says_how_long_it_was_queued),
		cmocka_unit_test(a_thread_that_sleeps_is_not_queued),
		cmocka_unit_test(only_what_can_be_woken_is_queued),
		cmocka_unit_test(an_unknown_thread_was_on_or_waiting),
		cmocka_unit_test(a_switch_in_of_what_runs_is_nothing),
		cmocka_unit_test(nothing_counts_for_the_dead),
		cmocka_unit_test(a_futex_that_its_deadline_ended_was_a_sleep),
		cmocka_unit_test(io_that_its_deadline_ended_was_a_sleep),
		cmocka_unit_test(no_deadline_ended_what_a_thread_did),
		cmocka_unit_test(only_who_waits_has_a_deadline),
		cmocka_unit_test(what_goes_on_is_told_as_the_last_one_was),
		cmocka_unit_test(other_classes_have_no_deadline_that_counts),
		cmocka_unit_test(kernel_work_is_cut_at_switches),
		cmocka_unit_test(work_of_no_time_is_no_slice),
		cmocka_unit_test(each_class_is_of_its_group),
		cmocka_unit_test(a_poll_tells_what_ended_it),
		cmocka_unit_test(a_poll_changes_nothing_of_the_next_event),
		cmocka_unit_test(an_interpreters_lock_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
