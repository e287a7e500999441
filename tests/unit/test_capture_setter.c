/* SPDX-License-Identifier: BSD-2-Clause */
/* How much the thread that sets options of runtimes does at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/setter.h"
#include "runtime/runtime.h"

#define SECOND 1000000000u

/* More processes than runtimes usually start are a flood for the rest of the
 * second. */
static void a_flood_is_one(void **state)
{
	struct gn_setter_pace p = {0};
	uint64_t now = 5 * (uint64_t)SECOND;

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_false(gn_setter_is_flooded(&p, 2, now + (uint64_t)i));
	assert_false(gn_setter_is_flooded(&p, 256, now + 200));
	assert_true(gn_setter_is_flooded(&p, 256, now + 300));
	assert_true(gn_setter_is_flooded(&p, 1, now + SECOND - 1));
	assert_false(gn_setter_is_flooded(&p, 1, now + SECOND));
}

/* Which processes have started a runtime is known within a limit. */
static void begun_are_known(void **state)
{
	struct gn_setter_begun b = {.n = 0};

	(void)state;
	assert_false(gn_setter_noted(&b, 7, 0));
	gn_setter_note(&b, 7, 100);
	assert_true(gn_setter_noted(&b, 7, 100));
	assert_false(gn_setter_noted(&b, 7, 101));
	assert_false(gn_setter_noted(&b, 8, 0));
	for (int i = 1; i < GN_BEGUN_MAX; i++)
		gn_setter_note(&b, 1000 + i, 100 + (uint64_t)i);
	/* the next one replaces the first */
	gn_setter_note(&b, 9, 1000);
	assert_true(gn_setter_noted(&b, 7, 101));
	assert_false(gn_setter_noted(&b, 7, 102));
	assert_true(gn_setter_noted(&b, 9, 1000));
}

/* Noting a late process takes no memory. Beyond the room, any process may have
 * been late. */
static void late_are_known(void **state)
{
	const struct gn_runtime *jvm = gn_runtime_of(GN_RUNTIME_HOTSPOT);
	const struct gn_runtime *php = gn_runtime_of(GN_RUNTIME_PHP);
	struct gn_setter_late l = {.n = 0};

	(void)state;
	assert_false(gn_setter_was_late(&l, 7, jvm));
	for (uint32_t i = 0; i < GN_LATE_MAX; i++)
		gn_setter_note_late(&l, 1000 + i, jvm);
	assert_true(gn_setter_was_late(&l, 1000, jvm));
	assert_true(gn_setter_was_late(&l, 1000 + GN_LATE_MAX - 1, jvm));
	assert_false(gn_setter_was_late(&l, 7, jvm));
	assert_false(gn_setter_was_late(&l, 1000, php));
	gn_setter_note_late(&l, 8, jvm);
	assert_true(gn_setter_was_late(&l, 8, jvm));
	assert_true(gn_setter_was_late(&l, 7, jvm));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flood_is_one),
		cmocka_unit_test(begun_are_known),
		cmocka_unit_test(late_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
