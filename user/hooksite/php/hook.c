// SPDX-License-Identifier: BSD-2-Clause
#include "hook.h"

#include "../fiber_calls.h"
#include "engine.h"
#include "functions.h"

#define TARGET_ROOM ((uintptr_t)1 << 20)

/* The engine has no threads. */
static const struct gn_call_hooks *hooks;
static struct gn_calls calls;
static bool has_run;

static void execute(struct gn_php_frame *frame);

/* The index of a function that is traced; 0: it is not. */
static uint32_t traced(const struct gn_php_frame *frame)
{
	if (!gn_call_is_over())
		return gn_function_of(frame);
	/* an extension may have a function of its own in front of this one */
	if (*gn_php.execute == execute)
		*gn_php.execute = gn_php.own;
	return 0;
}

/* The call, or the part of a generator's call, has a frame of its own in the
 * machine's stack. */
static void enter(const struct gn_php_frame *frame, uintptr_t at,
		  uint32_t index)
{
	const struct gn_call call = {.frame = at, .index = index};

	gn_calls_heal(&calls, at + 1, hooks);
	if (frame->bits & GN_PHP_GENERATOR)
		gn_calls_go_on(&calls, call, hooks);
	else
		gn_calls_enter(&calls, call, hooks);
}

static void leave(uintptr_t at)
{
	const struct gn_call *top;

	gn_calls_heal(&calls, at, hooks);
	top = gn_calls_top(&calls);
	if (top && top->frame == at)
		gn_calls_leave(&calls, hooks);
}

/* The target of a fatal error is a place in a function of the engine below
 * `at`. In a layout that is not known, it is something else. */
static bool is_target(const sigjmp_buf *target, uintptr_t at)
{
	return (uintptr_t)target - at < TARGET_ROOM;
}

/* Runs the frame of the outermost call. A fatal error, which would jump past
 * it, ends all calls first: what runs next can be another request. */
static void run_outermost(struct gn_php_frame *frame, uintptr_t at)
{
	sigjmp_buf *const target = *gn_php.bailout, ours;

	if (!is_target(target, at)) {
		gn_php.own(frame);
		return;
	}
	if (sigsetjmp(ours, 0)) {
		*gn_php.bailout = target;
		gn_calls_heal(&calls, at + 1, hooks);
		siglongjmp(*target, -1);
	}
	*gn_php.bailout = &ours;
	gn_php.own(frame);
	*gn_php.bailout = target;
}

static void execute(struct gn_php_frame *frame)
{
	uint32_t index = traced(frame);
	uintptr_t at = (uintptr_t)__builtin_frame_address(0);

	has_run = true;
	if (!index) {
		gn_php.own(frame);
		return;
	}
	enter(frame, at, index);
	if (calls.n == 1 && calls.nfibers == 1)
		run_outermost(frame, at);
	else
		gn_php.own(frame);
	leave(at);
}

/* The fiber that gives way is the one on top. */
static void on_switch(void *from, void *to)
{
	calls.fiber[calls.nfibers - 1].context = from;
	gn_calls_switch(&calls, to, to, 0, hooks);
}

static void on_destroy(void *fiber)
{
	gn_calls_forget(&calls, fiber);
}

bool gn_hook_is_first(void)
{
	return *gn_php.execute == execute;
}

bool gn_hook_has_run(void)
{
	return has_run;
}

void gn_hook_begin(const struct gn_call_hooks *h)
{
	hooks = h;
	if (!calls.nfibers && !gn_calls_switch(&calls, NULL, NULL, 0, hooks))
		return;
	if (gn_php.on_switch && gn_php.on_destroy) {
		gn_php.on_switch(on_switch);
		gn_php.on_destroy(on_destroy);
	}
	*gn_php.execute = execute;
}
