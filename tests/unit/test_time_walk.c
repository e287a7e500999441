/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random threads. Time consists of cells. Each cell is drawn with the thread's
 * state by the rules in plain words, and again with the slices. The two
 * drawings are equal, and no cell is drawn twice.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/time_class.h>

#define CELL  1000u /* ns */
#define CELLS 4000u
#define SLACK (GN_DEADLINE_SLACK / CELL)
#define ON    GN_CLASS_APP

struct cell {
	uint8_t class;
	uint16_t reason;
	uint32_t waker;
};

/* The states that a thread had, and its current state. */
struct thread {
	struct cell truth[CELLS], drawn[CELLS];
	bool covered[CELLS];
	uint32_t now, changes;
	uint64_t sum; /* of the slices */
	bool on;
	bool known; /* whether it is known to be off a CPU */
	/* off the CPU since `from` */
	uint32_t from, woken, deadline, waker;
	bool is_woken;
	bool runnable, timed; /* timed: `deadline` is valid */
	uint8_t class;
	uint16_t reason;
	bool last_was_event; /* the last wait with a deadline */
	/* the kernel's work */
	uint8_t work;
	uint16_t work_reason;
	struct gn_os os;
};

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33) % n;
}

static uint64_t ns(uint32_t cell)
{
	return (uint64_t)(cell + 1) * CELL;
}

static void paint(struct cell *to, uint32_t from, uint32_t until, uint8_t class,
		  uint16_t reason, uint32_t waker)
{
	for (; from < until; from++)
		to[from] = (struct cell){class, reason, waker};
}

/* No cell twice: the cells of a slice are empty before. */
static void draw(struct thread *t, const struct gn_slice *s, int n)
{
	for (int i = 0; i < n; i++) {
		uint32_t from = (uint32_t)(s[i].start / CELL) - 1;
		uint32_t until = (uint32_t)(s[i].end / CELL) - 1;

		assert_true(s[i].start < s[i].end);
		assert_int_equal(s[i].start % CELL, 0);
		assert_int_equal(s[i].end % CELL, 0);
		assert_true(until <= t->now);
		for (uint32_t c = from; c < until; c++) {
			assert_false(t->covered[c]);
			t->covered[c] = true;
		}
		paint(t->drawn, from, until, s[i].class, s[i].reason,
		      s[i].waker);
		t->sum += s[i].end - s[i].start;
	}
}

/* The class of the wait, or what it looks like while it continues. */
static uint8_t wait_of(const struct thread *t)
{
	if (!t->timed)
		return t->class;
	if (!t->is_woken)
		return t->last_was_event ? GN_CLASS_EVENT : GN_CLASS_SLEEP;
	return t->deadline > t->woken + SLACK ? GN_CLASS_EVENT : GN_CLASS_SLEEP;
}

/* Draws the time off the CPU until now, as it is known now. */
static void paint_off(struct thread *t, struct cell *to)
{
	bool queued = t->runnable || (!t->known && !t->is_woken);
	uint32_t woken = queued ? t->from : t->is_woken ? t->woken : t->now;

	paint(to, t->from, woken, wait_of(t), t->reason, t->waker);
	paint(to, woken, t->now, GN_CLASS_RUNQUEUE, GN_NO_SYSCALL, t->waker);
}

static void go_off(struct thread *t, uint64_t *seed)
{
	struct gn_slice s[2] = {0};

	draw(t, s, gn_os_in_slice(&t->os, ns(t->now), s));
	t->changes += t->work != ON && t->from < t->now;
	t->runnable = !below(seed, 3);
	t->class = below(seed, 2) ? GN_CLASS_EVENT
				  : (uint8_t)(GN_CLASS_DISK + below(seed, 7));
	t->reason = (uint16_t)below(seed, 400);
	/* other waits do not ask for their deadline */
	t->timed = !t->runnable && t->class == GN_CLASS_EVENT && below(seed, 2);
	gn_os_switch_out(&t->os, ns(t->now), t->runnable,
			 (enum gn_class)t->class, t->reason);
	if (t->timed) {
		t->deadline = t->now + below(seed, 100);
		gn_os_deadline(&t->os, ns(t->deadline));
	}
	t->from = t->now;
	t->is_woken = false;
	t->known = true;
	t->on = false;
}

/* In half of the cases the kernel reports at the end how long it was queued. */
static void go_on(struct thread *t, uint64_t *seed)
{
	struct gn_slice s[2] = {0};

	if (!t->runnable && !t->is_woken && below(seed, 2)) {
		uint32_t queued = below(seed, 60);

		gn_os_queued(&t->os, ns(t->now), (uint64_t)queued * CELL);
		t->is_woken = true;
		t->woken = t->from;
		if (t->now - t->from > queued)
			t->woken = t->now - queued;
	}
	paint_off(t, t->truth);
	draw(t, s, gn_os_switch_in(&t->os, ns(t->now), s));
	t->changes++;
	/* a wait that no wakeup ended proves nothing about the next one */
	if (t->timed && t->is_woken && t->woken > t->from)
		t->last_was_event = wait_of(t) == GN_CLASS_EVENT;
	t->from = t->now;
	t->on = true;
	t->waker = 0;
}

static void while_off(struct thread *t, uint64_t *seed)
{
	struct cell all[CELLS];
	struct gn_slice s[2] = {0};
	int n;

	switch (below(seed, 4)) {
	case 0:
		gn_os_wakeup(&t->os, ns(t->now));
		if (t->runnable || t->is_woken)
			break;
		t->is_woken = true;
		t->woken = t->now;
		break;
	case 1:
		t->waker = below(seed, 1000);
		gn_os_waking(&t->os, t->waker, 0);
		break;
	case 2: /* a look at it changes nothing */
		n = gn_os_off_slices(&t->os, ns(t->now), s);
		paint_off(t, all);
		assert_int_equal(n ? s[0].start : ns(t->now), ns(t->from));
		for (int i = 0; i < n; i++) {
			uint32_t at = (uint32_t)(s[i].start / CELL) - 1;

			assert_int_equal(s[i].class, all[at].class);
			assert_int_equal(s[i].reason, all[at].reason);
			assert_int_equal(s[i].waker, all[at].waker);
			assert_int_equal(s[i].end,
					 i + 1 < n ? s[1].start : ns(t->now));
		}
		break;
	default:
		go_on(t, seed);
	}
}

/* Draws the work until now; the kernel's own continues, except what ended. */
static void paint_work(struct thread *t)
{
	paint(t->truth, t->from, t->now, t->work,
	      t->work == ON ? 0 : t->work_reason, 0);
	t->changes += t->work != ON && t->from < t->now;
	t->from = t->now;
}

static void while_on(struct thread *t, uint64_t *seed)
{
	struct gn_slice s[2] = {0};

	switch (below(seed, 4)) {
	case 0:
		if (t->work != ON)
			break; /* one at a time */
		paint_work(t);
		t->work = below(seed, 2) ? GN_CLASS_FAULT : GN_CLASS_SYSCALL;
		t->work_reason = (uint16_t)below(seed, 400);
		gn_os_in(&t->os, ns(t->now), (enum gn_class)t->work,
			 t->work_reason);
		break;
	case 1:
		if (t->work == ON)
			break;
		draw(t, s,
		     gn_os_out(&t->os, ns(t->now), (enum gn_class)t->work, s));
		paint_work(t);
		t->work = ON;
		break;
	case 2:
		draw(t, s, gn_os_in_slice(&t->os, ns(t->now), s));
		paint_work(t);
		break;
	default:
		paint(t->truth, t->from, t->now, t->work,
		      t->work == ON ? 0 : t->work_reason, 0);
		go_off(t, seed);
	}
}

/* Runs to the end of time; the two drawings must be equal. */
static void compare(struct thread *t, uint64_t *seed)
{
	struct gn_slice s[2] = {0};
	uint32_t c;

	t->now = CELLS;
	if (t->on) {
		draw(t, s, gn_os_in_slice(&t->os, ns(t->now), s));
		paint_work(t);
	} else {
		go_on(t, seed);
	}
	for (c = 0; c < CELLS; c++) {
		assert_int_equal(t->covered[c], t->truth[c].class != ON);
		assert_int_equal(t->drawn[c].class, t->truth[c].class);
		assert_int_equal(t->drawn[c].reason, t->truth[c].reason);
		assert_int_equal(t->drawn[c].waker, t->truth[c].waker);
	}
	assert_int_equal(t->sum, t->os.total);
	assert_int_equal(t->changes, t->os.events);
}

static void random_threads_close(void **state)
{
	struct thread *t = malloc(sizeof(*t));

	(void)state;
	assert_non_null(t);
	for (uint64_t run = 1; run <= 300; run++) {
		uint64_t seed = run;

		memset(t, 0, sizeof(*t));
		t->on = run % 3;
		t->runnable = run % 3 == 0 && run % 2;
		t->reason = 5;
		t->class = GN_CLASS_OTHER;
		t->os = (struct gn_os){.since = ns(0),
				       .wait_class = GN_CLASS_OTHER,
				       .reason = 5,
				       .state = t->on	      ? GN_CPU_ON
						: t->runnable ? GN_CPU_QUEUED
							      : GN_CPU_UNKNOWN};
		while (t->now < CELLS - 80) {
			t->now += below(&seed, 12) ? below(&seed, 8)
						   : below(&seed, 80);
			if (t->on)
				while_on(t, &seed);
			else
				while_off(t, &seed);
		}
		compare(t, &seed);
	}
	free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_threads_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
