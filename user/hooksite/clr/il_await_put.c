// SPDX-License-Identifier: BSD-2-Clause
#include "il_await_put.h"

size_t gn_il_put_guard(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	const struct gn_il_suspends *s = &hooks->suspends;

	if (!s->now)
		return 0;
	gn_il_put_address(t, (uintptr_t)s->now);
	gn_il_put(t, GN_IL_LDIND_U4, 1);
	gn_il_put(t, GN_IL_LDC_I4, 1);
	gn_il_put(t, s->session, 4);
	gn_il_put(t, GN_IL_BNE_UN, 1);
	gn_il_put(t, 0, 4);
	return t->n;
}

void gn_il_end_guard(struct gn_il_text *t, size_t guard)
{
	size_t n = t->n - guard;

	for (unsigned int i = 0; guard && !t->err && i < 4; i++)
		t->bytes[guard - 4 + i] = (uint8_t)(n >> 8 * i);
}

static void put_frame(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	gn_il_put_op2(t, GN_IL2_LDLOCA, hooks->frame);
	gn_il_put(t, GN_IL_CONV_U, 1);
}

void gn_il_put_awaits(struct gn_il_text *t, const struct gn_il_hooks *hooks,
		      uint32_t number)
{
	size_t guard = gn_il_put_guard(t, hooks);

	gn_il_put(t, GN_IL_LDC_I4, 1);
	gn_il_put(t, number, 4);
	gn_il_put(t, GN_IL_CONV_U, 1);
	gn_il_put_op2(t, GN_IL2_STLOC, hooks->frame);
	gn_il_put_index(t, hooks);
	gn_il_put_op2(t, GN_IL2_LDLOC, hooks->frame);
	gn_il_put_call(t, hooks->call, hooks->suspends.awaits);
	gn_il_end_guard(t, guard);
}

void gn_il_put_resumed(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	size_t guard = gn_il_put_guard(t, hooks);

	gn_il_put_index(t, hooks);
	gn_il_put_op2(t, GN_IL2_LDLOC, hooks->frame);
	gn_il_put_call(t, hooks->call, hooks->suspends.awaited);
	gn_il_put_index(t, hooks);
	put_frame(t, hooks);
	gn_il_put_call(t, hooks->call, hooks->suspends.resumed);
	gn_il_end_guard(t, guard);
}

void gn_il_put_suspended(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	if (!hooks->suspends.suspended)
		return;
	gn_il_put_index(t, hooks);
	gn_il_put(t, GN_IL_LDARG_1, 1);
	gn_il_put(t, GN_IL_LDFLD, 1);
	gn_il_put(t, hooks->suspends.field, 4);
	gn_il_put(t, GN_IL_CONV_U, 1);
	gn_il_put_call(t, hooks->call, hooks->suspends.suspended);
}
