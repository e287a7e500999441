// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hooksite/clr/events.h"

#define HIGH(value) ((uint64_t)(value) << 32)

/* These make the runtime turn precompiled code off: its own hooks, and
 * transitions between managed and other code. */
#define NO_PRECOMPILED (0x1000u | 0x800u)

static void test_light(void **state)
{
	(void)state;
	assert_int_equal(gn_events_mask(0, 0), 0);
	assert_int_equal(gn_events_mask(GN_WANT_START, 0),
			 0x10025 | HIGH(0x14));
	assert_int_equal(gn_events_mask(GN_WANT_ATTACHED, 0),
			 0x50024 | HIGH(0x10));
	assert_int_equal(gn_events_mask(GN_WANT_BETWEEN, 0), 0x40004);
	assert_int_equal(gn_events_mask(GN_WANT_BESIDE, 0), 0x1000010024);
	assert_int_equal(gn_events_mask(GN_WANT_UNLOADS, 0), 0x4);
}

static void test_functions(void **state)
{
	uint64_t il = gn_events_mask(GN_WANT_START | GN_WANT_IL, 0);
	uint64_t hooked = gn_events_mask(GN_WANT_START | GN_WANT_HOOKED, 0);

	(void)state;
	assert_int_equal(il, 0x50025 | HIGH(0x14));
	assert_int_equal(hooked, 0x30065 | HIGH(0x14));
	assert_int_equal((il | hooked) & NO_PRECOMPILED, 0);
	assert_int_equal(
		gn_events_mask(GN_WANT_START | GN_WANT_HOOKED | GN_WANT_HOOKS,
			       0),
		hooked | 0x1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_light),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
