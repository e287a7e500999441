// SPDX-License-Identifier: BSD-2-Clause
#include "hook.h"

#include <gnomon/selected.h>
#include "../call_sites.h"
#include "functions.h"
#include "greenlets.h"
#include "profile.h"
#include "states.h"
#include "thread.h"
#include "yields.h"

static const struct gn_call_hooks *hooks;

void gn_hook_replaced(void)
{
	struct gn_thread *t = gn_profile_is_setting() ? NULL : gn_thread_mine();

	if (!t || t->replaced)
		return;
	t->replaced = true;
	gn_site_call_selected(GN_SELECTED_PROFILED, 1);
	if (t->calls.n)
		hooks->suspended(t->calls.at[0].index, gn_call_key(0) + 1);
}

static struct gn_calls *my_calls(void)
{
	struct gn_thread *t = gn_thread_mine();

	return t ? &t->calls : NULL;
}

/* Ends the innermost such call, and those within it, and returns its key; 0:
 * there is none. */
static uint64_t end_call(uintptr_t frame, uint32_t index)
{
	struct gn_calls *c = my_calls();

	for (uint32_t i = c ? c->n : 0; i-- > 0;) {
		if (c->at[i].frame != frame || c->at[i].index != index)
			continue;
		gn_calls_cut(c, i);
		return gn_call_key(i);
	}
	return 0;
}

static int lasti(struct gn_py *frame)
{
	return gn_py.frame_lasti ? gn_py.frame_lasti(frame)
				 : (int)gn_py_number(frame, "f_lasti", -1);
}

static void enter(struct gn_py *frame)
{
	const struct gn_function *f = gn_function_of_frame(frame);
	struct gn_calls *calls = f->index ? my_calls() : NULL;
	struct gn_call call = {(uintptr_t)frame, f->index, 0};

	if (!calls)
		return;
	if (f->yields && !gn_yields_begins(f->yields, lasti(frame)))
		gn_calls_go_on(calls, call, hooks);
	else
		gn_calls_enter(calls, call, hooks);
}

static void leave(struct gn_py *frame, struct gn_py *result)
{
	const struct gn_function *f = gn_function_of_frame(frame);
	uint64_t key = f->index ? end_call((uintptr_t)frame, f->index) : 0;

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
	struct gn_calls *calls = index ? my_calls() : NULL;

	if (calls)
		gn_calls_enter(
			calls,
			(struct gn_call){(uintptr_t)definition, index, 0},
			hooks);
}

static void leave_native(struct gn_py *function)
{
	const void *definition;
	uint32_t index = gn_index_in_c(function, &definition);
	uint64_t key = index ? end_call((uintptr_t)definition, index) : 0;

	if (key)
		hooks->leave(index, key);
}

static int hook(struct gn_py *self, struct gn_py *frame, int what,
		struct gn_py *arg)
{
	(void)self;
	if (gn_call_is_over()) {
		gn_profile_unset();
		gn_greenlets_end();
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
		if (gn_greenlets_awaited)
			gn_greenlets_look();
		break;
	default:
		break;
	}
	return 0;
}

void gn_hook_begin(void *loaded, const struct gn_call_hooks *h)
{
	hooks = h;
	gn_profile_begin(loaded, hook);
}
