/* SPDX-License-Identifier: BSD-2-Clause */
/* Why the ring lost records, derived from what gnomon did meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "capture/loss.h"

#define MS 1000000u

/* The reason for `lost` records in a period of 100 ms in which gnomon's thread
 * ran and was queued for this long. */
static void expect(enum gn_hold hold, uint64_t ran, uint64_t queued,
		   const char *word)
{
	struct gn_loss l = {.begun = true, .hold = hold};
	const struct gn_loss_times now = {
		.time = 100 * MS, .ran = ran * MS, .queued = queued * MS};

	assert_null(gn_loss_advice(&l));
	gn_loss_account(&l, &now, 7);
	assert_non_null(gn_loss_advice(&l));
	assert_non_null(strstr(gn_loss_advice(&l), word));
	assert_int_equal(l.hold, GN_HOLD_NOT);
}

static void each_reason_has_its_advice(void **state)
{
	(void)state;
	expect(GN_HOLD_NOT, 10, 0, "--ring-size");
	expect(GN_HOLD_NOT, 90, 0, "faster than gnomon");
	expect(GN_HOLD_CPU, 10, 0, "faster than gnomon");
	expect(GN_HOLD_NOT, 10, 80, "CPU time");
	expect(GN_HOLD_CPU, 10, 80, "CPU time");
	expect(GN_HOLD_DISK, 10, 0, "disk");
	expect(GN_HOLD_DISK, 10, 80, "disk");
}

/* A larger ring is only advised if it helps. */
static void only_a_burst_wants_a_larger_ring(void **state)
{
	static const enum gn_loss_reason others[] = {
		GN_LOSS_RATE, GN_LOSS_CPU, GN_LOSS_DISK, GN_LOSS_STOP};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct gn_loss l = {0};

		l.lost[others[i]] = 2;
		l.lost[GN_LOSS_RING] = 1;
		assert_null(strstr(gn_loss_advice(&l), "--ring-size"));
	}
}

static void each_record_is_told_once(void **state)
{
	struct gn_loss l = {0};
	struct gn_loss_times t = {.time = MS};

	(void)state;
	/* losses before the first look belong to no period */
	gn_loss_account(&l, &t, 5);
	assert_null(gn_loss_advice(&l));
	t.time += 100 * MS;
	gn_loss_account(&l, &t, 5);
	assert_null(gn_loss_advice(&l));
	t.time += 100 * MS;
	l.hold = GN_HOLD_DISK;
	gn_loss_account(&l, &t, 8);
	t.time += 100 * MS;
	gn_loss_account(&l, &t, 9);
	assert_int_equal(l.lost[GN_LOSS_DISK], 3);
	assert_int_equal(l.lost[GN_LOSS_RING], 1);
}

/* The worst hold-up of the sink in a period is its reason. */
static void a_short_stretch_goes_on(void **state)
{
	struct gn_loss l = {0};

	(void)state;
	gn_loss_follow(&l, GN_HOLD_NOT, 0, 1000 * MS);
	gn_loss_follow(&l, GN_HOLD_DISK, 0, 1001 * MS);
	gn_loss_follow(&l, GN_HOLD_CPU, 4, 1002 * MS);
	assert_null(gn_loss_advice(&l));
	gn_loss_follow(&l, GN_HOLD_NOT, 4, 1050 * MS);
	assert_int_equal(l.lost[GN_LOSS_DISK], 4);
}

/* Neither the ring's size nor its work is the reason. */
static void a_stop_is_told(void **state)
{
	struct gn_loss l = {0};
	struct gn_loss_times t = {.time = MS};

	(void)state;
	gn_loss_account(&l, &t, 0);
	t.time += 3000 * MS;
	t.ran += 100 * MS;
	gn_loss_account(&l, &t, 7);
	assert_int_equal(l.lost[GN_LOSS_STOP], 7);
	assert_non_null(strstr(gn_loss_advice(&l), "was stopped"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_reason_has_its_advice),
		cmocka_unit_test(only_a_burst_wants_a_larger_ring),
		cmocka_unit_test(each_record_is_told_once),
		cmocka_unit_test(a_short_stretch_goes_on),
		cmocka_unit_test(a_stop_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
