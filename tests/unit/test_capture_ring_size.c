// SPDX-License-Identifier: BSD-2-Clause
/* How large the ring is under limits of memory. */
#include "capture/ring_size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MIB (1ull << 20)

static uint64_t usual(uint64_t memory, uint64_t addresses)
{
	struct gn_room room = {memory, addresses};

	return gn_ring_size_default(64 * MIB, &room) / MIB;
}

static void the_default_leaves_memory_to_the_command(void **state)
{
	(void)state;
	assert_int_equal(usual(UINT64_MAX, UINT64_MAX), 64);
	assert_int_equal(usual(256 * MIB, UINT64_MAX), 64);
	assert_int_equal(usual(255 * MIB, UINT64_MAX), 32);
	assert_int_equal(usual(60 * MIB, UINT64_MAX), 8);
	assert_int_equal(usual(UINT64_MAX, 1024 * MIB), 64);
	assert_int_equal(usual(UINT64_MAX, 250 * MIB), 8);
	assert_int_equal(usual(60 * MIB, 100 * MIB), 4);
	assert_int_equal(usual(0, 0), 1);
}

static void what_does_not_fit_is_known_before_the_kernel_kills(void **state)
{
	struct gn_room room = {60 * MIB, 60 * MIB};
	uint64_t need;

	(void)state;
	assert_true(gn_ring_size_fits(32 * MIB, &room, &need));
	assert_false(gn_ring_size_fits(64 * MIB, &room, &need));
	assert_true(need > 64 * MIB);
	room.memory = 8 * MIB;
	assert_false(gn_ring_size_fits(1 * MIB, &room, &need));
	room.memory = UINT64_MAX;
	assert_true(gn_ring_size_fits(2048 * MIB, &room, &need));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_leaves_memory_to_the_command),
		cmocka_unit_test(
			what_does_not_fit_is_known_before_the_kernel_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
