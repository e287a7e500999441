// SPDX-License-Identifier: BSD-2-Clause
/* The cost of probes, computed from the times of calls with known probes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "capture/meter.h"
#include "capture/meter_calls.h"
#include "capture/meter_first.h"

#define CALLS 20
#define WORK  1000
#define CLOCK 20

struct parts {
	uint64_t enter_before, enter_after, leave_before, leave_after, turn;
};

static void make(struct gn_meter_call *c, const struct parts *p, uint64_t more)
{
	uint64_t at = 1000000;

	c->before = at;
	c->at[0] = at += CLOCK + p->enter_before;
	c->at[1] = at += p->enter_after + WORK + p->enter_before + more;
	for (int i = 2; i < 2 + 2 * 3; i += 2) {
		c->at[i] = at +=
			p->enter_after + WORK + p->leave_before + p->turn;
		if (i + 1 < GN_METER_RECORDS - 1)
			c->at[i + 1] = at += p->leave_after + WORK +
					     p->enter_before + p->turn;
	}
	c->at[GN_METER_RECORDS - 1] =
		at + p->leave_after + WORK + p->leave_before;
}

static void parts_are_found(void **state)
{
	const struct parts p = {300, 200, 400, 9000, 70};
	struct gn_meter_call calls[CALLS];
	struct gn_rec_cost enter = {0}, leave = {0};
	struct gn_meter_interrupts none = {0};

	(void)state;
	for (int i = 0; i < CALLS; i++)
		make(&calls[i], &p, 0);
	assert_true(gn_meter_solve(calls, CALLS, CLOCK, WORK, &none, &enter,
				   &leave));
	assert_int_equal(enter.before_ns, p.enter_before);
	assert_int_equal(enter.after_ns, p.enter_after);
	assert_int_equal(leave.before_ns, p.leave_before);
	assert_int_equal(leave.after_ns, p.leave_after);
	assert_int_equal(enter.turn_ns, p.turn);
	assert_int_equal(leave.turn_ns, p.turn);
	assert_int_equal(enter.samples, CALLS);
	assert_int_equal(leave.samples, CALLS);
	assert_int_equal(enter.spread_ns, 0);
}

/* A tenth of the calls may be disturbed; the mean is that of the rest. */
static void disturbed_calls_do_not_count(void **state)
{
	const struct parts p = {300, 200, 400, 500, 0};
	struct gn_meter_call calls[CALLS];
	struct gn_rec_cost enter = {0}, leave = {0};
	struct gn_meter_interrupts none = {0};

	(void)state;
	for (int i = 0; i < CALLS; i++)
		make(&calls[i], &p, i < 2 ? 1000000 : 0);
	assert_true(gn_meter_solve(calls, CALLS, CLOCK, WORK, &none, &enter,
				   &leave));
	assert_int_equal(enter.before_ns + enter.after_ns, 500);
	assert_int_equal(leave.before_ns + leave.after_ns, 900);
}

/* Timer ticks also happen during probes, as often as elsewhere. */
static void interrupts_are_a_part(void **state)
{
	const struct parts p = {300, 200, 400, 500, 0};
	struct gn_meter_call calls[CALLS];
	struct gn_rec_cost enter = {0}, leave = {0};
	struct gn_meter_interrupts all = {0};
	double share;

	(void)state;
	for (int i = 0; i < CALLS; i++)
		make(&calls[i], &p, i % 10 == 3 ? 4500 : 0);
	for (int i = 0; i < 3; i++)
		assert_true(gn_meter_solve(calls, CALLS, CLOCK, WORK, &all,
					   &enter, &leave));
	/* of 1500 ns between enters, 2 of 20; between the others three of 1600,
	 * three of 2000 and one of 1900 */
	share = 2 * 4500 / (20 * (1500 + 3 * 1600 + 2 * 2000 + 1900.));
	assert_int_equal(all.n, 6);
	assert_true(all.taken / all.of > share * 0.8 &&
		    all.taken / all.of < share * 1.2);
	share = all.taken / all.of;
	assert_int_equal(enter.before_ns, (int)(300 * (1 + share) + 0.5));
	assert_int_equal(enter.after_ns, (int)(200 * (1 + share) + 0.5));
	assert_true(enter.spread_ns >= (uint32_t)(500 * share / 3));
}

static void joined(void **state)
{
	const struct gn_rec_cost stepped = {.before_ns = 300,
					    .after_ns = 9000,
					    .spread_ns = 10,
					    .samples = 20};
	const struct gn_rec_cost call = {
		.before_ns = 310, .after_ns = 700, .spread_ns = 5};
	const struct gn_rec_cost neither = {.before_ns = 290, .after_ns = 200};
	struct gn_rec_cost both;

	(void)state;
	gn_meter_join(&stepped, &call, &neither, &both);
	assert_int_equal(both.before_ns, 320);
	assert_int_equal(both.after_ns, 9500);
	assert_int_equal(both.spread_ns, 15);
	assert_int_equal(both.samples, 20);
}

static void few_calls_tell_nothing(void **state)
{
	const struct parts p = {300, 200, 400, 500, 0};
	struct gn_meter_call calls[3];
	struct gn_rec_cost enter = {0}, leave = {0};
	struct gn_meter_interrupts none = {0};

	(void)state;
	for (int i = 0; i < 3; i++)
		make(&calls[i], &p, 0);
	assert_false(
		gn_meter_solve(calls, 3, CLOCK, WORK, &none, &enter, &leave));
	assert_int_equal(enter.samples, 0);
}

static void records_of_before_a_call_are_not_its(void **state)
{
	const struct parts p = {300, 200, 400, 500, 0};
	struct gn_meter_call calls[CALLS];
	struct gn_rec_cost enter = {0}, leave = {0};
	struct gn_meter_interrupts none = {0};

	(void)state;
	for (int i = 0; i < CALLS; i++)
		make(&calls[i], &p, 0);
	calls[CALLS / 2].before = calls[CALLS / 2].at[0] + 1;
	assert_false(gn_meter_solve(calls, CALLS, CLOCK, WORK, &none, &enter,
				    &leave));
	assert_int_equal(enter.samples, 0);
}

/* The records of a request of `n` calls of each of two pairs. */
static void take_records(struct gn_meter_calls *c, unsigned int n,
			 uint64_t from)
{
	for (unsigned int i = 0; i < 2 * n * GN_METER_RECORDS; i++) {
		struct gn_rec rec = {.kind = GN_KIND_ENTER, .time = from + i};

		assert_false(gn_meter_calls_are_there(c));
		gn_meter_calls_take(c, &rec);
	}
}

/* gnomon is behind: the records of the first request come after the second
 * one. */
static void records_of_an_older_request_do_not_count(void **state)
{
	struct gn_meter_calls c = {0};

	(void)state;
	gn_meter_calls_ask(&c, 2, 6, 1000);
	gn_meter_calls_ask(&c, 2, 4, 5000);
	take_records(&c, 6, 1001);
	take_records(&c, 4, 5001);
	assert_true(gn_meter_calls_are_there(&c));
	assert_int_equal(c.of[0][0].at[0], 5001);
	assert_int_equal(c.of[1][3].at[GN_METER_RECORDS - 1],
			 5000 + 2 * 4 * GN_METER_RECORDS);
	assert_int_equal(gn_meter_calls_pick(&c, 1, 1), 3);
}

/* A call of a child; `os` of its time is the operating system's. */
static void child_called(struct gn_meter_first *f, int child, uint64_t *now,
			 uint64_t ns, uint32_t os)
{
	struct gn_rec_func r = {.h = {.tid = 100 + (uint32_t)child,
				      .kind = GN_KIND_ENTER,
				      .time = *now}};

	assert_true(gn_meter_first_take(f, &r.h));
	r.h.kind = GN_KIND_LEAVE;
	r.h.time = *now += ns - 300;
	r.os_ns = os;
	assert_true(gn_meter_first_take(f, &r.h));
	*now += 300;
}

static struct gn_meter_first children(int n, uint64_t more)
{
	struct gn_meter_first f = {.n = GN_METER_CHILDREN};
	struct gn_rec other = {.tid = 99, .kind = GN_KIND_ENTER};
	uint64_t now = 1000;

	for (int i = 0; i < GN_METER_CHILDREN; i++)
		f.child[i].pid = 100 + i;
	assert_false(gn_meter_first_take(&f, &other));
	for (int i = 0; i < n; i++) {
		/* the time of a page fault is the operating system's already */
		child_called(&f, i, &now, 5000 + more + 9000, 9000);
		child_called(&f, i, &now, 5000, 0);
		/* something else happened in between */
		child_called(&f, i, &now, 5000 + 700000, 0);
		child_called(&f, i, &now, 5000, 0);
	}
	return f;
}

static void the_first_of_a_process(void **state)
{
	struct gn_meter_first f = children(GN_METER_CHILDREN, 140000);
	struct gn_rec_cost cost = {0};

	(void)state;
	assert_true(gn_meter_first_solve(&f, &cost));
	assert_int_equal(cost.samples, GN_METER_CHILDREN);
	assert_int_equal(cost.before_ns, 0);
	assert_int_equal(cost.after_ns, 140000);
	/* a child with a lost record, or one too many, is ignored */
	f.child[0].n--;
	f.child[1].n++;
	assert_true(gn_meter_first_solve(&f, &cost));
	assert_int_equal(cost.samples, GN_METER_CHILDREN - 2);
	assert_int_equal(cost.after_ns, 140000);
}

/* Measured on a busy machine, where the program's own children paid 9.7 us. */
static void the_first_can_cost_what_any_child_paid(void **state)
{
	static const uint64_t more[GN_METER_CHILDREN] = {
		16974, 11778, 18597, 15664, 10735, 11477,
		17136, 16554, 14933, 19840, 18086, 14241};
	struct gn_meter_first f = children(GN_METER_CHILDREN, 0);
	struct gn_rec_cost cost = {0};

	(void)state;
	for (int i = 0; i < GN_METER_CHILDREN; i++)
		f.child[i].at[0] -= more[i];
	assert_true(gn_meter_first_solve(&f, &cost));
	assert_in_range(cost.after_ns, 15501, 15502);
	assert_in_range(cost.spread_ns, 4766, 4767);
	/* what was interrupted is no part of the mean, nor of this */
	f.child[0].at[0] -= 900000;
	assert_true(gn_meter_first_solve(&f, &cost));
	assert_in_range(cost.spread_ns, 4632, 4633);
}

static void few_children_tell_nothing(void **state)
{
	struct gn_meter_first f = children(3, 140000);
	struct gn_rec_cost cost = {0};

	(void)state;
	assert_false(gn_meter_first_solve(&f, &cost));
	assert_int_equal(cost.samples, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_found),
		cmocka_unit_test(disturbed_calls_do_not_count),
		cmocka_unit_test(interrupts_are_a_part),
		cmocka_unit_test(joined),
		cmocka_unit_test(few_calls_tell_nothing),
		cmocka_unit_test(records_of_before_a_call_are_not_its),
		cmocka_unit_test(records_of_an_older_request_do_not_count),
		cmocka_unit_test(the_first_of_a_process),
		cmocka_unit_test(the_first_can_cost_what_any_child_paid),
		cmocka_unit_test(few_children_tell_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
