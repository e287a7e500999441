// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <gnomon/event.h>
#include "model/stack.h"

struct fixture {
	struct gn_stage s;
	struct gn_stacks st;
	uint32_t process;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(gn_names_init(&f->s.names), 0);
	assert_int_equal(gn_tree_init(&f->s.tree), 0);
	assert_int_equal(gn_tree_process(&f->s.tree, 0, &f->process), 0);
	assert_int_equal(gn_stacks_init(&f->st, f->process), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	gn_stacks_free(&f->st);
	gn_tree_free(&f->s.tree);
	gn_names_free(&f->s.names);
	free(f);
	return 0;
}

static void enter(struct fixture *f, uint64_t key, uint32_t func)
{
	uint32_t fn;

	assert_int_equal(gn_names_find(&f->s.names, 1, func, &fn), 0);
	assert_int_equal(gn_stacks_enter(&f->st, &f->s, key, func, fn), 0);
}

static void leave(struct fixture *f, uint64_t key, uint32_t func)
{
	gn_stacks_leave(&f->st, &f->s, key, func, false);
}

static uint32_t depth(const struct fixture *f)
{
	return f->st.active->n;
}

static void stack(struct fixture *f, uint64_t lo, uint64_t hi)
{
	bool outside;

	assert_int_equal(gn_stacks_switch(&f->st, &f->s, lo, hi, false), 0);
	gn_stacks_charge(&f->st, 0, &outside);
}

static void a_million_frames(void **state)
{
	struct fixture *f = *state;
	uint64_t i, n = 1000000;

	for (i = 0; i < n; i++)
		enter(f, (n - i) * 16, 1);
	assert_int_equal(depth(f), n);
	for (i = n; i > 0; i--)
		leave(f, (n - i + 1) * 16, 1);
	assert_int_equal(depth(f), 0);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
	assert_int_equal(f->s.checks.unwound_frames, 0);
	for (i = 0; i < n; i++)
		enter(f, (n - i) * 16, 1);
	leave(f, (n + 1) * 16, 2);
	assert_int_equal(depth(f), 0);
	assert_int_equal(f->s.checks.unwound_frames, n);
	assert_int_equal(f->s.checks.unmatched_leaves, 1);
}

static void a_leave_must_match_function_and_key(void **state)
{
	struct fixture *f = *state;

	enter(f, 100, 1);
	enter(f, 90, 2);
	leave(f, 90, 3);
	leave(f, 85, 2);
	assert_int_equal(f->s.checks.unmatched_leaves, 2);
	assert_int_equal(depth(f), 2);
	leave(f, 90, 2);
	leave(f, 100, 1);
	assert_int_equal(f->s.checks.unmatched_leaves, 2);
	assert_int_equal(depth(f), 0);
}

static void pending_leaves_are_bounded(void **state)
{
	struct fixture *f = *state;
	struct gn_fn def = {.leave_return = true};
	int i;

	def.name = gn_pool_add(&f->s.names.pool, "r", 1);
	for (def.func = 1; def.func <= 2; def.func++)
		assert_int_equal(gn_names_define(&f->s.names, &def), 0);
	for (i = 0; i < 1000; i++)
		enter(f, 100, 1);
	assert_int_equal(depth(f), 1);
	assert_int_equal(f->st.active->npending, GN_PENDING_MAX);
	for (i = 0; i < GN_PENDING_MAX + 1; i++)
		leave(f, 100, 1);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
	assert_int_equal(f->s.checks.unwound_frames, 0);
	leave(f, 100, 1);
	assert_int_equal(f->s.checks.unmatched_leaves, 1);
	/* Two functions in turn: the kernel reports the leave of the first 64
	 * calls, so a seemingly missing one was not unwound. */
	for (i = 0; i < 1001; i++)
		enter(f, 100, i % 2 ? 2 : 1);
	for (i = 0; i < GN_PENDING_MAX; i++)
		leave(f, 100, i % 2 ? 1 : 2);
	leave(f, 200, 3);
	assert_int_equal(f->s.checks.unmatched_leaves, 2);
	assert_int_equal(f->s.checks.unwound_frames, 0);
}

static void pending_leaves_of_several_functions(void **state)
{
	struct fixture *f = *state;
	struct gn_fn def = {.leave_return = true};
	uint32_t i;

	def.name = gn_pool_add(&f->s.names.pool, "r", 1);
	for (def.func = 1; def.func <= 3; def.func++)
		assert_int_equal(gn_names_define(&f->s.names, &def), 0);
	for (i = 1; i <= 3; i++)
		enter(f, 100, i);
	leave(f, 100, 3);
	/* the others in the wrong order: still theirs */
	leave(f, 100, 1);
	leave(f, 100, 2);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
	assert_int_equal(f->st.active->npending, 0);
}

static void pending_leaves_end_with_their_caller(void **state)
{
	struct fixture *f = *state;
	struct gn_fn def = {.func = 1, .leave_return = true};

	def.name = gn_pool_add(&f->s.names.pool, "r", 1);
	assert_int_equal(gn_names_define(&f->s.names, &def), 0);
	enter(f, 200, 3);
	enter(f, 100, 1);
	enter(f, 100, 2);
	leave(f, 200, 3);
	/* the frame at 100 is gone: this leave belongs to something else */
	leave(f, 100, 1);
	assert_int_equal(f->s.checks.unmatched_leaves, 1);
	assert_int_equal(f->s.checks.unwound_frames, 2);
}

static void a_leave_that_does_not_come_was_a_longjmp(void **state)
{
	struct fixture *f = *state;
	struct gn_fn def = {.leave_return = true};

	def.name = gn_pool_add(&f->s.names.pool, "r", 1);
	for (def.func = 1; def.func <= 2; def.func++)
		assert_int_equal(gn_names_define(&f->s.names, &def), 0);
	enter(f, 100, 1);
	enter(f, 100, 2);
	leave(f, 100, 2);
	/* deeper calls prove nothing yet */
	enter(f, 90, 2);
	leave(f, 90, 2);
	assert_int_equal(f->s.checks.unwound_frames, 0);
	enter(f, 100, 2);
	assert_int_equal(f->s.checks.unwound_frames, 1);
	assert_int_equal(f->st.active->npending, 0);
	leave(f, 100, 2);
	/* 3 has no return probe: that it was given up proves the same for 1 */
	enter(f, 100, 1);
	enter(f, 100, 3);
	enter(f, 100, 2);
	assert_int_equal(f->s.checks.unwound_frames, 3);
	assert_int_equal(f->st.active->npending, 0);
	/* at the capture's end it may still come, or was impossible */
	enter(f, 90, 1);
	enter(f, 90, 2);
	enter(f, 80, 1);
	enter(f, 80, 2);
	leave(f, 80, 2);
	gn_stacks_end_all(&f->st, &f->s, GN_END_OPEN);
	assert_int_equal(f->s.checks.unwound_frames, 4);
	assert_int_equal(f->s.checks.open_frames, 3);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
}

static void stacks_are_found_by_their_place(void **state)
{
	struct fixture *f = *state;

	stack(f, 0x1000, 0x2000);
	enter(f, 0x1800, 1);
	stack(f, 0x5000, 0x6000);
	assert_int_equal(depth(f), 0);
	enter(f, 0x5800, 2);
	enter(f, 0x5700, 3);
	stack(f, 0x1000, 0x2000);
	assert_int_equal(depth(f), 1);
	/* it has grown downward */
	stack(f, 0x3000, 0x6000);
	assert_int_equal(depth(f), 2);
	/* the mapping was split: the overlapping one is the same */
	stack(f, 0x5000, 0x5c00);
	assert_int_equal(depth(f), 2);
	/* one mapping instead of two: one stack continues */
	stack(f, 0x1000, 0x2000);
	stack(f, 0x0800, 0x7000);
	assert_int_equal(depth(f), 1);
	assert_int_equal(f->s.checks.unwound_frames, 2);
	assert_int_equal(f->st.nmapped, 1);
}

/* An event on the stack of a mapping that has several stacks. */
static void at(struct fixture *f, uint64_t key, uint32_t left)
{
	bool outside;

	assert_int_equal(gn_stacks_place(&f->st, &f->s, key, left), 0);
	gn_stacks_charge(&f->st, 0, &outside);
	if (left)
		leave(f, key, left);
}

static void call(struct fixture *f, uint64_t key, uint32_t func)
{
	at(f, key, 0);
	enter(f, key, func);
}

static void stacks_in_one_mapping_are_told_apart(void **state)
{
	static const uint64_t top[] = {0x9ff0, 0x3ff0, 0x6ff0};
	struct fixture *f = *state;
	uint32_t i, round;

	stack(f, 0x1000, 0xa000);
	/* each begins, and then pauses in its second function */
	for (i = 0; i < 3; i++) {
		call(f, top[i], 10 * i + 1);
		call(f, top[i] - 0x100, 10 * i + 2);
	}
	for (round = 0; round < 3; round++)
		for (i = 0; i < 3; i++) {
			at(f, top[i] - 0x100, 10 * i + 2);
			call(f, top[i] - 0x80, 10 * i + 3);
			at(f, top[i] - 0x80, 10 * i + 3);
			call(f, top[i] - 0x100, 10 * i + 2);
			if (round)
				assert_int_equal(depth(f), 2);
		}
	assert_int_equal(f->st.nmapped, 3);
	/* the mapping grows, and another one is used */
	stack(f, 0x20000, 0x30000);
	call(f, 0x28000, 4);
	stack(f, 0x0800, 0xb000);
	for (i = 0; i < 3; i++) {
		at(f, top[i] - 0x100, 10 * i + 2);
		at(f, top[i], 10 * i + 1);
		assert_int_equal(depth(f), 0);
	}
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
	assert_int_equal(f->s.checks.unwound_frames, 0);
	/* none of them has a caller */
	for (i = f->process + 1; i < f->s.tree.n; i++) {
		const struct gn_node *n = &f->s.tree.nodes[i];

		assert_int_equal(n->unwound, 0);
		if (f->s.names.fns[n->fn].func % 10 == 1 && n->calls)
			assert_int_equal(n->parent, f->process);
	}
}

/* The next event is on that mapping. */
static void switch_to(struct fixture *f, uint64_t lo, uint64_t hi)
{
	assert_int_equal(gn_stacks_switch(&f->st, &f->s, lo, hi, false), 0);
}

/* 7 and 8 are like swapcontext() and setcontext(). */
static void what_switches_stacks_leaves_on_another(void **state)
{
	struct fixture *f = *state;

	stack(f, 0x1000, 0x9000);
	call(f, 0x8000, 1);
	call(f, 0x7000, 7);
	/* a new stack in another mapping */
	switch_to(f, 0x10000, 0x20000);
	at(f, 0x18000, 7);
	call(f, 0x17000, 7);
	/* one that pauses in the same mapping, below and above */
	at(f, 0x14000, 7);
	call(f, 0x13000, 7);
	at(f, 0x1a000, 7);
	call(f, 0x19000, 8);
	/* 8 continues where 7 had left */
	switch_to(f, 0x1000, 0x9000);
	at(f, 0x7000, 8);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
	assert_int_equal(depth(f), 1);
	/* nothing had called it */
	at(f, 0x7000, 8);
	at(f, 0x7000, 7);
	call(f, 0x7000, 7);
	at(f, 0x7000 - 16, 7);
	switch_to(f, 0x10000, 0x20000);
	at(f, 0x18000, 9);
	assert_int_equal(f->s.checks.unmatched_leaves, 4);
}

static void a_longjmp_is_no_switch(void **state)
{
	struct fixture *f = *state;
	int i;

	stack(f, 0x1000, 0xa000);
	call(f, 0x9000, 1);
	for (i = 0; i < 100; i++) {
		call(f, 0x8000, 2);
		call(f, 0x7000 - (uint64_t)i, 3);
		call(f, 0x8800, 4);
		at(f, 0x8800, 4);
	}
	assert_int_equal(depth(f), 1);
	assert_int_equal(f->st.nmapped, 1);
	assert_int_equal(f->s.checks.unwound_frames, 200);
	gn_parked_forget(&f->st, &f->s);
	at(f, 0x8000, 2);
	assert_int_equal(f->s.checks.unmatched_leaves, 1);
}

/* 2 is like OCaml's caml_raise_exn(): it returns to the handler, whose stack
 * pointer it has taken. */
static void what_raises_leaves_above(void **state)
{
	struct fixture *f = *state;

	stack(f, 0x1000, 0xa000);
	call(f, 0x9000, 1);
	call(f, 0x8f00, 3);
	call(f, 0x8e00, 2);
	at(f, 0x8ff0, 2);
	assert_int_equal(depth(f), 1);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
	assert_int_equal(f->s.checks.unwound_frames, 1);
	/* if no call of it is on top, the mismatch is reported */
	call(f, 0x8e00, 2);
	call(f, 0x8d00, 3);
	at(f, 0x8ff0, 2);
	assert_int_equal(f->s.checks.unmatched_leaves, 1);
	assert_int_equal(depth(f), 1);
}

static void what_is_parked_is_bounded(void **state)
{
	struct fixture *f = *state;
	uint64_t i;

	stack(f, 0, 1ull << 40);
	for (i = 1; i <= 1u << 18; i++)
		call(f, i << 12, 1);
	assert_true(f->st.parked_frames <= 1u << 16);
	assert_true(f->st.nparked <= 2 * GN_STACKS_MAX);
}

static void frames_elsewhere_are_not_the_new_stacks(void **state)
{
	struct fixture *f = *state;

	/* frames came before the first mapping was known, and are elsewhere */
	enter(f, 0x9000, 1);
	stack(f, 0x1000, 0x2000);
	assert_int_equal(depth(f), 0);
	stack(f, 0x8000, 0xa000);
	assert_int_equal(depth(f), 1);
	assert_null(f->st.first);
}

static void idle_stacks_are_bounded(void **state)
{
	struct fixture *f = *state;
	uint64_t i;

	for (i = 0; i < 2 * GN_STACKS_MAX; i++) {
		stack(f, (2 * i + 1) << 12, (2 * i + 2) << 12);
		enter(f, ((2 * i + 2) << 12) - 8, 1);
	}
	assert_int_equal(f->st.nmapped, GN_STACKS_MAX);
	assert_int_equal(f->s.checks.unwound_frames, GN_STACKS_MAX);
	/* the oldest ones are gone, the newest ones are there */
	i = 2 * GN_STACKS_MAX - 5;
	stack(f, (2 * i + 1) << 12, (2 * i + 2) << 12);
	assert_int_equal(depth(f), 1);
	stack(f, 1 << 12, 2 << 12);
	assert_int_equal(depth(f), 0);
}

static void time_is_the_active_stacks(void **state)
{
	struct fixture *f = *state;
	const struct gn_node *n;
	bool outside;

	stack(f, 0x1000, 0x2000);
	enter(f, 0x1800, 1);
	gn_stacks_charge(&f->st, 10, &outside);
	assert_false(outside);
	stack(f, 0x5000, 0x6000);
	gn_stacks_charge(&f->st, 1000, &outside);
	assert_true(outside);
	stack(f, 0x1000, 0x2000);
	gn_stacks_charge(&f->st, 5, &outside);
	leave(f, 0x1800, 1);
	n = &f->s.tree.nodes[f->process + 1];
	assert_int_equal(n->finished, 1);
	assert_int_equal(n->min, 15);
}

static void unwinds_are_bounded(void **state)
{
	struct fixture *f = *state;
	uint32_t i;

	for (i = 0; i < 1000; i++)
		gn_stacks_unwind_begin(&f->st, i + 1, false);
	assert_int_equal(f->st.nunwinds, GN_UNWIND_MAX);
	for (i = 0; i < 1000; i++)
		assert_int_equal(gn_stacks_unwind_end(&f->st, &f->s, 0), 0);
	assert_int_equal(f->s.checks.unmatched_unwinds, 1000);
}

static void a_caught_exceptions_frame_stays(void **state)
{
	struct fixture *f = *state;
	int i;

	enter(f, 100, 1);
	for (i = 0; i < 1000; i++) {
		enter(f, 90, 2);
		gn_stacks_unwind_begin(&f->st, 2, false);
		assert_int_equal(gn_stacks_unwind_end(&f->st, &f->s, 0), 0);
		gn_stacks_unwind_begin(&f->st, 1, false);
		assert_int_equal(depth(f), 1);
		assert_int_equal(f->st.nunwinds, 1);
	}
	leave(f, 100, 1);
	assert_int_equal(f->st.nunwinds, 0);
	assert_int_equal(f->s.checks.unmatched_unwinds, 0);
	assert_int_equal(f->s.checks.unwound_frames, 1000);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
}

static void on_signal_stack(struct fixture *f)
{
	bool outside;

	assert_int_equal(gn_stacks_switch(&f->st, &f->s, 0x1000, 0x2000, true),
			 0);
	gn_stacks_charge(&f->st, 0, &outside);
}

/* 1 was interrupted, 2 is the handler. */
static void what_a_handler_interrupted_goes_on(void **state)
{
	struct fixture *f = *state;
	uint32_t node;

	stack(f, 0x7000, 0x8000);
	enter(f, 0x7f00, 1);
	node = gn_stacks_owner(&f->st);
	on_signal_stack(f);
	enter(f, 0x1f00, 2);
	assert_int_not_equal(gn_stacks_owner(&f->st), node);
	leave(f, 0x1f00, 2);
	assert_int_equal(gn_stacks_owner(&f->st), node);
	/* the same mapping is reported again, or another one */
	on_signal_stack(f);
	assert_int_equal(gn_stacks_owner(&f->st), node);
	assert_int_equal(gn_stacks_switch(&f->st, &f->s, 0x3000, 0x4000, true),
			 0);
	assert_int_equal(gn_stacks_owner(&f->st), node);
	/* a mapping that is not known as a signal stack is a separate stack */
	stack(f, 0x5000, 0x6000);
	assert_int_equal(gn_stacks_owner(&f->st), f->process);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
}

static void what_was_interrupted_can_be_gone(void **state)
{
	struct fixture *f = *state;

	stack(f, 0x7000, 0x8000);
	stack(f, 0x4000, 0x5000);
	enter(f, 0x4f00, 1);
	on_signal_stack(f);
	/* another mapping appears; no event was on it */
	assert_int_equal(gn_stacks_switch(&f->st, &f->s, 0x3000, 0x6000, false),
			 0);
	assert_int_equal(gn_stacks_switch(&f->st, &f->s, 0x1000, 0x6000, false),
			 0);
	assert_int_equal(gn_stacks_owner(&f->st), f->process);
	gn_stacks_free(&f->st);
	assert_int_equal(gn_stacks_init(&f->st, f->process), 0);
}

/* Later code on it need not be a handler. */
static void a_signal_stack_beside_others_is_not_told_apart(void **state)
{
	struct fixture *f = *state;
	bool outside;

	stack(f, 0x20000, 0x30000);
	enter(f, 0x2ff00, 1);
	assert_int_equal(gn_stacks_switch(&f->st, &f->s, 0x1000, 0xa000, true),
			 0);
	gn_stacks_charge(&f->st, 0, &outside);
	/* two stacks in that mapping */
	call(f, 0x9ff0, 11);
	call(f, 0x9ef0, 12);
	call(f, 0x3ff0, 21);
	call(f, 0x3ef0, 22);
	at(f, 0x9ef0, 12);
	at(f, 0x3ef0, 22);
	assert_int_equal(f->st.nmapped, 3);
	at(f, 0x3ff0, 21);
	at(f, 0x9ff0, 11);
	stack(f, 0x20000, 0x30000);
	assert_int_equal(depth(f), 1);
	stack(f, 0x1000, 0xa000);
	assert_int_equal(depth(f), 0);
	assert_int_equal(gn_stacks_owner(&f->st), f->process);
	assert_int_equal(f->s.checks.unmatched_leaves, 0);
}

#define STACK_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STACK_TEST(a_million_frames),
		STACK_TEST(a_leave_must_match_function_and_key),
		STACK_TEST(pending_leaves_are_bounded),
		STACK_TEST(pending_leaves_of_several_functions),
		STACK_TEST(pending_leaves_end_with_their_caller),
		STACK_TEST(a_leave_that_does_not_come_was_a_longjmp),
		STACK_TEST(stacks_are_found_by_their_place),
		STACK_TEST(stacks_in_one_mapping_are_told_apart),
		STACK_TEST(what_switches_stacks_leaves_on_another),
		STACK_TEST(a_longjmp_is_no_switch),
		STACK_TEST(what_raises_leaves_above),
		STACK_TEST(what_is_parked_is_bounded),
		STACK_TEST(frames_elsewhere_are_not_the_new_stacks),
		STACK_TEST(idle_stacks_are_bounded),
		STACK_TEST(time_is_the_active_stacks),
		STACK_TEST(what_a_handler_interrupted_goes_on),
		STACK_TEST(what_was_interrupted_can_be_gone),
		STACK_TEST(a_signal_stack_beside_others_is_not_told_apart),
		STACK_TEST(unwinds_are_bounded),
		STACK_TEST(a_caught_exceptions_frame_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
