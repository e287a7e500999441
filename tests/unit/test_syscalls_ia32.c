/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers of system calls that differ from those of 64-bit programs. */
#include <asm/unistd_32.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/syscalls.h>
#include "output/syscalls.h"

static void the_list_says_what_the_system_says(void **state)
{
	(void)state;
#define CHECK(number, name, known_as)          \
	assert_int_equal(__NR_##name, number); \
	assert_int_equal(gn_syscall_of_ia32(number), known_as);
	GN_SYSCALL_IA32_LIST(CHECK)
#undef CHECK
}

/* The name differs only if 64-bit programs have no call of that name. */
static const char *name_of(const char *ia32)
{
	static const char *const other[][2] = {{"waitpid", "wait4"},
					       {"_newselect", "select"},
					       {"fstatat64", "newfstatat"}};

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
		if (!strcmp(ia32, other[i][0]))
			return other[i][1];
	return ia32;
}

static void each_is_known_as_the_same_call(void **state)
{
	(void)state;
#define CHECK(number, name, known_as)                              \
	{                                                          \
		const char *want = name_of(#name);                 \
		const char *got = gn_syscall_text(known_as);       \
		size_t n = strlen(got);                            \
                                                                   \
		assert_true(!strncmp(want, got, n));               \
		assert_true(!want[n] || !strcmp(want + n, "64") || \
			    !strcmp(want + n, "_time64"));         \
	}
	GN_SYSCALL_IA32_LIST(CHECK)
#undef CHECK
}

static void what_is_not_in_the_list_has_no_number(void **state)
{
	(void)state;
	assert_int_equal(gn_syscall_of_ia32(__NR_ipc), GN_NO_SYSCALL);
	assert_int_equal(gn_syscall_of_ia32(__NR_socketcall), GN_NO_SYSCALL);
	assert_int_equal(gn_syscall_of_ia32(0), GN_NO_SYSCALL);
	assert_int_equal(gn_syscall_of_ia32(450), GN_NO_SYSCALL);
	assert_int_equal(gn_syscall_of_ia32(UINT32_MAX), GN_NO_SYSCALL);
}

static void x32_has_a_bit_and_a_few_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(gn_syscall_of_64(35), 35);
	assert_int_equal(gn_syscall_of_64(GN_SYSCALL_X32 | 35), 35);
	assert_int_equal(gn_syscall_of_64(GN_SYSCALL_X32 | 515), GN_NO_SYSCALL);
	assert_int_equal(gn_syscall_of_64((uint64_t)-1), GN_NO_SYSCALL);
	assert_int_equal(gn_syscall_of_64(100000), GN_NO_SYSCALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_says_what_the_system_says),
		cmocka_unit_test(each_is_known_as_the_same_call),
		cmocka_unit_test(what_is_not_in_the_list_has_no_number),
		cmocka_unit_test(x32_has_a_bit_and_a_few_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
