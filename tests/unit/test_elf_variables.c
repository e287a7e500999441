/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables that a table of a program names; here: those of this program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <link.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/variables.h"

static int alone = 35, twice, zero;
static const int fixed = 7;

/* As in HotSpot. `volatile` keeps it in the program. */
static struct {
	const volatile void *addr;
	const char *name;
	int kind;
} volatile table[] = {
	{&alone, "gn_test_alone", 1}, {&twice, "gn_test_twice", 1},
	{&zero, "gn_test_zero", 1},   {&zero, "gn_test_twice", 2},
	{&fixed, "gn_test_fixed", 1},
};

static int take_base(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1; /* the program is the first object */
}

static void finds_them_by_name(void **state)
{
	static const char *const names[] = {"gn_test_alone",   "gn_test_zero",
					    "gn_test_twice",   "gn_test_fixed",
					    "gn_test_missing", "test_alone"};
	uint64_t addr[6], base = 0;

	(void)state;
	table[0].kind = 2;
	dl_iterate_phdr(take_base, &base);
	assert_int_equal(gn_variables("/proc/self/exe", names, 6, addr), 0);
	assert_int_equal(addr[0] + base, (uintptr_t)&alone);
	assert_int_equal(addr[1] + base, (uintptr_t)&zero);
	for (size_t i = 2; i < 6; i++)
		assert_int_equal(addr[i], 0);
}

static void refuses_what_is_no_program(void **state)
{
	static const char *const names[] = {"gn_test_alone"};
	uint64_t addr[1] = {1}, offset;

	(void)state;
	assert_true(gn_variables("/proc/self/cmdline", names, 1, addr) < 0);
	assert_int_equal(addr[0], 0);
	assert_true(gn_variables_begin("/dev/null", addr, &offset) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_them_by_name),
		cmocka_unit_test(refuses_what_is_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
