/* SPDX-License-Identifier: BSD-2-Clause */
/* Restores the environment of a program with sleds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hooksite/native/environment.h"

#define MOST 8

/* Writable texts, like those of a program. */
static void restore(const char *const *before, const char *const *after,
		    int want)
{
	char *envp[MOST] = {NULL}, *own[MOST] = {NULL};
	size_t n = 0;

	for (; before[n]; n++)
		envp[n] = own[n] = strdup(before[n]);
	assert_int_equal(gn_environment_restore(envp), want);
	for (n = 0; after[n]; n++)
		assert_string_equal(envp[n], after[n]);
	assert_null(envp[n]);
	for (n = 0; n < MOST; n++)
		free(own[n]);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_environment(void **state)
{
	(void)state;
	restore(LIST("A=1", "LD_PRELOAD=/l/g.so", "GNOMON_SLEDS=7"),
		LIST("A=1"), 7);
	restore(LIST("GNOMON_SLEDS=12", "LD_PRELOAD=/l/g.so:own.so b.so",
		     "B=2"),
		LIST("LD_PRELOAD=own.so b.so", "B=2"), 12);
	/* it was set, but empty */
	restore(LIST("LD_PRELOAD=/l/g.so:", "GNOMON_SLEDS=3"),
		LIST("LD_PRELOAD="), 3);
	/* not gnomon's */
	restore(LIST("LD_PRELOAD=own.so", "GNOMON_SLEDSX=3"),
		LIST("LD_PRELOAD=own.so", "GNOMON_SLEDSX=3"), -1);
	restore(LIST("GNOMON_SLEDS=x", "LD_PRELOAD=own.so"),
		LIST("GNOMON_SLEDS=x", "LD_PRELOAD=own.so"), -1);
	restore(LIST("GNOMON_SLEDS=4294967299"),
		LIST("GNOMON_SLEDS=4294967299"), -1);
	assert_int_equal(gn_environment_restore(NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
