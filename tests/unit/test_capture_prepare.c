/* SPDX-License-Identifier: BSD-2-Clause */
/* The message about a hook-site library that cannot be planned: if gnomon lacks
 * a resource, the library is not at fault. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/prepare.h"
#include "runtime/runtime.h"

int __wrap_gn_files_add(struct gn_files *f, const char *path, bool program,
			size_t *at);
int __wrap_gn_files_add(struct gn_files *f, const char *path, bool program,
			size_t *at)
{
	(void)f;
	(void)path;
	(void)program;
	(void)at;
	return (int)mock();
}

static void a_library_that_is_not_planned(void **state)
{
	static const struct {
		int err, told;
		const char *text;
	} cases[] = {
		{-ENOMEM, -ENOMEM, "no memory"},
		{-EAGAIN, -EAGAIN, "no thread can be started"},
		{-EMFILE, -EMFILE, "descriptors are not enough"},
		{-ENFILE, -ENFILE, "the system has no file descriptors left"},
		{-ENOENT, -EIO, "'/hooks.so' cannot be read (No such file"},
		{-ENOEXEC, -EIO, "install gnomon again"},
	};
	struct gn_session *s = calloc(1, sizeof(*s));

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		will_return(__wrap_gn_files_add, cases[i].err);
		assert_int_equal(
			gn_prepare_library(s, gn_runtime_at(0), "/hooks.so"),
			cases[i].told);
		if (!strstr(s->error, cases[i].text))
			fail_msg("%d: %s", cases[i].err, s->error);
	}
	free(s);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_library_that_is_not_planned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
