/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls have their official names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include <gnomon/syscalls.h>
#include "output/syscalls.h"
#include "output/waits.h"

static void calls_have_names(void **state)
{
	(void)state;
	assert_string_equal(gn_syscall_text(0), "read");
	assert_string_equal(gn_syscall_text(9), "mmap");
	assert_string_equal(gn_syscall_text(202), "futex");
	assert_string_equal(gn_syscall_text(231), "exit_group");
	assert_string_equal(gn_syscall_text(SYS_getpid), "getpid");
	assert_string_equal(gn_syscall_text(SYS_pidfd_open), "pidfd_open");
}

static void what_is_no_call_has_none(void **state)
{
	(void)state;
	assert_null(gn_syscall_text(400)); /* never assigned */
	assert_null(gn_syscall_text(60000));
	assert_null(gn_syscall_text(GN_NO_SYSCALL));
	assert_null(gn_syscall_text(UINT32_MAX));
}

/* Also for calls that the system's headers do not know yet. */
static void the_list_of_rules_says_the_same(void **state)
{
	(void)state;
#define CHECK(number, name, rule) \
	assert_string_equal(gn_syscall_text(number), #name);
	GN_SYSCALL_LIST(CHECK)
#undef CHECK
}

static void a_reason_is_told_by_name(void **state)
{
	static const struct {
		enum gn_class class;
		uint16_t reason;
		const char *text;
	} cases[] = {
		{GN_CLASS_SYSCALL, 9, "syscall   mmap"},
		{GN_CLASS_SYSCALL, 231, "syscall   exit_group"},
		{GN_CLASS_SYSCALL, 60000, "syscall   system call 60000"},
		{GN_CLASS_SYSCALL, GN_NO_SYSCALL, "syscall"},
		{GN_CLASS_OTHER, 219, "other     restart_syscall"},
		{GN_CLASS_OTHER, GN_NO_SYSCALL, "other     in no system call"},
	};
	struct gn_model_wait stopped = {.class = GN_CLASS_OTHER,
					.reason = GN_NO_SYSCALL,
					.halt = GN_HALT_DEBUGGER};
	struct gn_model m = {0};
	char *by = gn_wait_text(&m, &stopped);

	(void)state;
	assert_string_equal(by, "other     stopped by a debugger");
	free(by);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gn_model_wait w = {.class = cases[i].class,
					  .reason = cases[i].reason};
		char *text = gn_wait_text(&m, &w);

		assert_non_null(text);
		assert_string_equal(text, cases[i].text);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_have_names),
		cmocka_unit_test(what_is_no_call_has_none),
		cmocka_unit_test(the_list_of_rules_says_the_same),
		cmocka_unit_test(a_reason_is_told_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
