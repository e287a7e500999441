/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the library for Ruby that need no interpreter: the calls that
 * are open on a thread, and the filter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "hooksite/fiber_calls.h"
#include "hooksite/ruby/filter.h"

static char told[1024];

static void add(char what, uint64_t index, uint64_t key)
{
	size_t have = strlen(told);

	snprintf(told + have, sizeof(told) - have, "%c%d@%d ", what, (int)index,
		 (int)(gn_call_key(0) + 1 - key));
}

#define TELL(name, what)                               \
	static void name(uint64_t index, uint64_t key) \
	{                                              \
		add(what, index, key);                 \
	}

TELL(enter, '+')
TELL(leave, '-')
TELL(resumed, 'r')
TELL(suspended, 's')

static const struct gn_call_hooks hooks = {.enter = enter,
					   .leave = leave,
					   .resumed = resumed,
					   .suspended = suspended};

static void expect(const char *want)
{
	assert_string_equal(told, want);
	*told = '\0';
}

static void call(struct gn_calls *c, uintptr_t frame, uint32_t index)
{
	gn_calls_enter(c, (struct gn_call){frame, index, GN_CALL_METHOD},
		       &hooks);
}

static char stacks[4], fibers[4];

static void run(struct gn_calls *c, int fiber, uintptr_t frame)
{
	assert_true(gn_calls_switch(c, &fibers[fiber], &stacks[fiber], frame,
				    &hooks));
}

static void begin(struct gn_calls *c)
{
	gn_calls_init(c);
	*told = '\0';
	run(c, 0, 900);
}

static void test_fibers(void **state)
{
	struct gn_calls c;

	(void)state;
	begin(&c);
	call(&c, 800, 1);
	run(&c, 1, 500);
	call(&c, 480, 2);
	call(&c, 460, 3);
	expect("+1@1 +2@2 +3@3 ");
	run(&c, 0, 790);
	expect("s3@2 s2@1 ");
	call(&c, 780, 4);
	run(&c, 1, 450);
	expect("+4@2 r2@3 r3@4 ");
	gn_calls_leave(&c, &hooks);
	gn_calls_leave(&c, &hooks);
	assert_null(gn_calls_top(&c));
	run(&c, 0, 790);
	run(&c, 1, 500);
	expect("-3@4 -2@3 ");
	gn_calls_free(&c);
}

/* One that resumes another is below it; both are suspended together. */
static void test_nested_fibers(void **state)
{
	struct gn_calls c;

	(void)state;
	begin(&c);
	run(&c, 1, 500);
	call(&c, 480, 1);
	run(&c, 2, 300);
	call(&c, 280, 2);
	run(&c, 0, 900);
	expect("+1@1 +2@2 s2@1 s1@0 ");
	run(&c, 2, 270);
	expect("r2@1 ");
	run(&c, 1, 470);
	expect("r1@2 ");
	gn_calls_free(&c);
}

/* A new fiber where a freed one was: on the same stack or on another one. */
static void test_freed_fiber(void **state)
{
	struct gn_calls c;

	(void)state;
	begin(&c);
	run(&c, 1, 500);
	call(&c, 480, 1);
	run(&c, 0, 900);
	expect("+1@1 s1@0 ");
	run(&c, 1, 500);
	expect("");
	call(&c, 480, 2);
	run(&c, 0, 900);
	expect("+2@1 s2@0 ");
	assert_true(gn_calls_switch(&c, &fibers[1], &stacks[3], 100, &hooks));
	expect("");
	gn_calls_free(&c);
}

/* Calls that ended without an event. */
/* Each gets its own calls back. */
static void test_many_fibers(void **state)
{
	static char many[1000];
	struct gn_calls c;

	(void)state;
	begin(&c);
	for (int pass = 0; pass < 3; pass++)
		for (int i = 0; i < 1000; i++) {
			assert_true(gn_calls_switch(&c, &many[i], &stacks[1],
						    400, &hooks));
			if (pass == 0)
				call(&c, 480, (uint32_t)i + 1);
			else
				assert_int_equal(gn_calls_top(&c)->index,
						 i + 1);
			if (pass == 2)
				gn_calls_leave(&c, &hooks);
			run(&c, 0, 900);
			*told = '\0';
		}
	assert_int_equal(c.nsuspended, 0);
	gn_calls_free(&c);
}

/* A fiber ends unseen: the calls that are there are those of the one below. */
static void test_ended_unseen(void **state)
{
	struct gn_calls c;

	(void)state;
	begin(&c);
	call(&c, 800, 1);
	run(&c, 1, 500);
	assert_true(gn_calls_has(&c, &fibers[0]));
	assert_true(gn_calls_has(&c, &fibers[1]));
	assert_false(gn_calls_has(&c, &fibers[2]));
	call(&c, 700, 2);
	expect("+1@1 +2@2 ");
	gn_calls_join(&c, &fibers[0]);
	run(&c, 2, 500);
	call(&c, 480, 3);
	run(&c, 0, 700);
	gn_calls_leave(&c, &hooks);
	expect("+3@3 s3@2 -2@2 ");
	run(&c, 1, 500);
	gn_calls_cut(&c, 0);
	expect("");
	assert_int_equal(c.nfibers, 1);
	gn_calls_free(&c);
}

static void test_heal(void **state)
{
	struct gn_calls c;

	(void)state;
	begin(&c);
	call(&c, 800, 1);
	call(&c, 700, 2);
	call(&c, 600, 3);
	gn_calls_heal(&c, 600, &hooks);
	expect("+1@1 +2@2 +3@3 ");
	gn_calls_heal(&c, 800, &hooks);
	expect("-3@3 -2@2 ");
	assert_int_equal(gn_calls_top(&c)->index, 1);
	gn_calls_free(&c);
}

static void test_many(void **state)
{
	struct gn_calls c;

	(void)state;
	begin(&c);
	for (uint32_t i = 0; i < 20000; i++) {
		call(&c, 100000 - i, 1);
		*told = '\0';
	}
	assert_int_equal(c.n, 20000);
	gn_calls_heal(&c, 100000, &hooks);
	assert_int_equal(c.n, 1);
	gn_calls_free(&c);
}

static bool is(const char *filter, const char *name)
{
	return gn_ruby_filter(filter, name, "/app/lib/shop.rb");
}

static void test_filter(void **state)
{
	(void)state;
	assert_true(is(NULL, "A#b"));
	assert_true(is("", "A#b"));
	assert_true(is("A#b", "A#b"));
	assert_false(is("A#b", "A#c"));
	assert_true(is("A::B#c", "A::B#c"));
	assert_true(is("A::*", "A::B.c"));
	assert_false(is("A::*", "B::A#c"));
	assert_true(is("run", "Object#run"));
	assert_true(is("puts", "Kernel#puts"));
	assert_false(is("run", "A#run"));
	assert_true(is("*#run", "A#run"));
	assert_true(is("shop:A#*", "A#run"));
	assert_true(is("shop.rb:A::B#run", "A::B#run"));
	assert_true(is("/app/*:*", "A#run"));
	assert_false(is("other:*", "A#run"));
	assert_true(is("*\n!A#b", "A#c"));
	assert_false(is("*\n!A#b", "A#b"));
	assert_false(is("!shop:*", "A#b"));
	assert_true(is("!B#*", "A#b"));
	assert_false(is("!*", "A#b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fibers),
		cmocka_unit_test(test_nested_fibers),
		cmocka_unit_test(test_freed_fiber),
		cmocka_unit_test(test_many_fibers),
		cmocka_unit_test(test_ended_unseen),
		cmocka_unit_test(test_heal),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_filter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
