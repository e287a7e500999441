/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables that a table of a program names; here: those of this program. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/exported.h"
#include "elf/variables.h"

static int alone = 35, twice, zero, older_one = 1, older_two;
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

/* As in HotSpot up to Java 11. */
static struct {
	const char *type, *name;
	const volatile void *addr;
	int kind;
} volatile older[] = {
	{"bool", "gn_test_older", &older_one, 1},
	{"bool", "gn_test_other", &older_two, 1},
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

static void finds_them_behind_their_names(void **state)
{
	static const char *const names[] = {"gn_test_older", "gn_test_other",
					    "bool"};
	uint64_t addr[3], base = 0;

	(void)state;
	older[0].kind = 2;
	dl_iterate_phdr(take_base, &base);
	assert_int_equal(gn_variables("/proc/self/exe", names, 3, addr), 0);
	assert_int_equal(addr[0] + base, (uintptr_t)&older_one);
	assert_int_equal(addr[1] + base, (uintptr_t)&older_two);
	assert_int_equal(addr[2], 0);
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

/* A variable and a function that libc exports, as the linker found them. */
static int take_libc(struct dl_phdr_info *info, size_t size, void *to)
{
	(void)size;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	*(struct dl_phdr_info *)to = *info;
	return 1;
}

static void finds_what_is_exported(void **state)
{
	static const char *const names[] = {"environ", "getppid", "no_such",
					    "main"};
	struct dl_phdr_info libc = {0};
	uint64_t addr[4], code, offset = 0;

	(void)state;
	if (!dl_iterate_phdr(take_libc, &libc))
		skip(); /* a static program */
	assert_int_equal(gn_exported(libc.dlpi_name, names, 4, addr), 0);
	assert_int_equal(addr[0] + libc.dlpi_addr,
			 (uintptr_t)dlsym(RTLD_NEXT, "environ"));
	assert_int_equal(addr[1] + libc.dlpi_addr, (uintptr_t)getppid);
	assert_int_equal(addr[2], 0);
	assert_int_equal(addr[3], 0);
	assert_int_equal(
		gn_exported_code(libc.dlpi_name, "getppid", &code, &offset), 0);
	assert_int_equal(code, addr[1]);
	assert_int_not_equal(offset, 0);
	assert_int_equal(
		gn_exported_code(libc.dlpi_name, "no_such", &code, &offset),
		-ENOENT);
	/* data is no code */
	assert_true(gn_exported_code(libc.dlpi_name, "environ", &code,
				     &offset) < 0);
	assert_true(gn_exported("/proc/self/cmdline", names, 4, addr) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_is_exported),
		cmocka_unit_test(finds_them_by_name),
		cmocka_unit_test(finds_them_behind_their_names),
		cmocka_unit_test(refuses_what_is_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
