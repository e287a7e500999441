// SPDX-License-Identifier: BSD-2-Clause
#include "hook.h"

#include "engine.h"
#include "functions.h"

static const struct gn_call_hooks *hooks;

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

/* A call of a generator that goes on runs in a call in C of its own. */
static void execute(struct gn_php_frame *frame)
{
	uint32_t index = traced(frame);
	uint64_t key = (uintptr_t)__builtin_frame_address(0);

	if (!index) {
		gn_php.own(frame);
		return;
	}
	if (frame->bits & GN_PHP_GENERATOR)
		hooks->resumed(index, key);
	else
		hooks->enter(index, key);
	gn_php.own(frame);
	hooks->leave(index, key);
}

void gn_hook_begin(const struct gn_call_hooks *h)
{
	hooks = h;
	*gn_php.execute = execute;
}
