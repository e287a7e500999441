/* SPDX-License-Identifier: BSD-2-Clause */
/* Which differences of two clocks, measured on each CPU, mean one common
 * clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/clocks.h"

#define CPUS	4
#define UNKNOWN INT64_MAX

static bool same(const int64_t ns[CPUS], int64_t *out)
{
	struct gn_clock_gap gaps[CPUS] = {0};

	for (int i = 0; i < CPUS; i++) {
		if (ns[i] == UNKNOWN)
			continue;
		gn_clock_gap_add(&gaps[i], ns[i] + 5000);
		gn_clock_gap_add(&gaps[i], ns[i]);
		gn_clock_gap_add(&gaps[i], ns[i] + 100);
	}
	return gn_clock_gaps_same(gaps, CPUS, out);
}

/* Whichever clock is ahead, or neither of them. */
static void test_one_clock(void **state)
{
	const int64_t bases[] = {47057000, -34233000, 0, -300, 1};

	(void)state;
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		int64_t at = bases[i], out = UNKNOWN;

		assert_true(same((int64_t[]){at + 700, at, UNKNOWN, at + 19999},
				 &out));
		assert_int_equal(out, at);
	}
}

static void test_clocks_apart(void **state)
{
	const int64_t bases[] = {47057000, -34233000, -10000};

	(void)state;
	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		int64_t at = bases[i], out = UNKNOWN;

		assert_false(same((int64_t[]){at + 20000, at, at + 10, UNKNOWN},
				  &out));
		assert_int_equal(out, UNKNOWN);
	}
}

static void test_nothing_known(void **state)
{
	int64_t out = 1;

	(void)state;
	assert_false(
		same((int64_t[]){UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN}, &out));
	assert_true(same((int64_t[]){UNKNOWN, -7, UNKNOWN, UNKNOWN}, &out));
	assert_int_equal(out, -7);
}

static void test_sources(void **state)
{
	char name[64];

	(void)state;
	assert_true(gn_clock_source_steady("tsc"));
	assert_true(gn_clock_source_steady("kvm-clock"));
	assert_false(gn_clock_source_steady("hpet"));
	assert_false(gn_clock_source_steady("acpi_pm"));
	assert_false(gn_clock_source_steady(""));
	/* without the newline in the file */
	if (gn_clock_source(name, sizeof(name)))
		assert_null(strchr(name, '\n'));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_clock),
		cmocka_unit_test(test_clocks_apart),
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
