// SPDX-License-Identifier: BSD-2-Clause
#include "hook.h"

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "functions.h"
#include "profile.h"
#include "states.h"
#include "thread.h"
#include "yields.h"

static const struct gn_call_hooks *hooks;

void gn_hook_replaced(void)
{
	struct gn_calls *calls =
		gn_profile_is_setting() ? NULL : gn_calls_mine();

	if (!calls || calls->replaced)
		return;
	calls->replaced = true;
	gn_site_call_selected(GN_SELECTED_PROFILED, 1);
	if (calls->n)
		hooks->suspended(calls->at[0].index, calls->base);
	calls->n = 0;
}

static int lasti(struct gn_py *frame)
{
	return gn_py.frame_lasti ? gn_py.frame_lasti(frame)
				 : (int)gn_py_number(frame, "f_lasti", -1);
}

static void enter(struct gn_py *frame)
{
	const struct gn_function *f = gn_function_of_frame(frame);
	struct gn_calls *calls = f->index ? gn_calls_mine() : NULL;
	uint64_t key = calls ? gn_calls_push(calls, frame, f->index) : 0;

	if (!key)
		return;
	if (f->yields && !gn_yields_begins(f->yields, lasti(frame)))
		hooks->resumed(f->index, key);
	else
		hooks->enter(f->index, key);
}

static void leave(struct gn_py *frame, struct gn_py *result)
{
	const struct gn_function *f = gn_function_of_frame(frame);
	struct gn_calls *calls = f->index ? gn_calls_mine() : NULL;
	uint64_t key = calls ? gn_calls_pop(calls, frame, f->index) : 0;

	if (!key)
		return;
	if (f->yields && result && gn_yields_at(f->yields, lasti(frame)))
		hooks->suspended(f->index, key + 1);
	else
		hooks->leave(f->index, key);
}

static void enter_native(struct gn_py *function)
{
	const void *definition;
	uint32_t index = gn_index_in_c(function, &definition);
	struct gn_calls *calls = index ? gn_calls_mine() : NULL;
	uint64_t key = calls ? gn_calls_push(calls, definition, index) : 0;

	if (key)
		hooks->enter(index, key);
}

static void leave_native(struct gn_py *function)
{
	const void *definition;
	uint32_t index = gn_index_in_c(function, &definition);
	struct gn_calls *calls = index ? gn_calls_mine() : NULL;
	uint64_t key = calls ? gn_calls_pop(calls, definition, index) : 0;

	if (key)
		hooks->leave(index, key);
}

static int hook(struct gn_py *self, struct gn_py *frame, int what,
		struct gn_py *arg)
{
	(void)self;
	if (gn_call_is_over()) {
		gn_profile_unset();
		return 0;
	}
	switch (what) {
	case GN_PY_CALL:
		gn_states_look();
		enter(frame);
		break;
	case GN_PY_RETURN:
		leave(frame, arg);
		break;
	case GN_PY_C_CALL:
		enter_native(arg);
		break;
	case GN_PY_C_RETURN:
	case GN_PY_C_EXCEPTION:
		leave_native(arg);
		break;
	default:
		break;
	}
	return 0;
}

void gn_hook_begin(const struct gn_call_hooks *h)
{
	hooks = h;
	gn_profile_begin(hook);
}
