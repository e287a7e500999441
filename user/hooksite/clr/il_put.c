// SPDX-License-Identifier: BSD-2-Clause
#include "il_put.h"

#include <errno.h>
#include <stdlib.h>

#include <gnomon/machine_state.h>
#include <gnomon/spec.h>

void gn_il_put(struct gn_il_text *t, uint64_t v, unsigned int n)
{
	if (t->cap - t->n < n && !t->err) {
		size_t cap = t->cap * 2 + 256;
		uint8_t *bytes = realloc(t->bytes, cap);

		if (!bytes) {
			t->err = -ENOMEM;
			return;
		}
		t->bytes = bytes;
		t->cap = cap;
	}
	for (; n-- && !t->err; v >>= 8)
		t->bytes[t->n++] = (uint8_t)v;
}

void gn_il_put_bytes(struct gn_il_text *t, const uint8_t *bytes, size_t n)
{
	while (n--)
		gn_il_put(t, *bytes++, 1);
}

void gn_il_put_op2(struct gn_il_text *t, unsigned int op, uint16_t which)
{
	gn_il_put(t, GN_IL_PREFIX, 1);
	gn_il_put(t, op, 1);
	gn_il_put(t, which, 2);
}

static void put_i4(struct gn_il_text *t, uint32_t v)
{
	gn_il_put(t, GN_IL_LDC_I4, 1);
	gn_il_put(t, v, 4);
}

void gn_il_put_index(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	put_i4(t, hooks->index);
	gn_il_put(t, GN_IL_CONV_U, 1);
}

void gn_il_put_address(struct gn_il_text *t, uint64_t address)
{
	gn_il_put(t, GN_IL_LDC_I8, 1);
	gn_il_put(t, address, 8);
	gn_il_put(t, GN_IL_CONV_U, 1);
}

void gn_il_put_call(struct gn_il_text *t, gn_token call, uint64_t hook)
{
	gn_il_put_address(t, hook);
	gn_il_put(t, GN_IL_CALLI, 1);
	gn_il_put(t, call, 4);
}

/* If the type is not built in, the code takes its size (sizeof), which can
 * depend on type arguments. */
static void put_size(struct gn_il_text *t, const struct gn_il_value *v)
{
	uint64_t known = GN_PLACE_SIZE(v->size < 0 ? -v->size : v->size) |
			 GN_PLACE_TYPE(v->own);

	gn_il_put(t, GN_IL_LDC_I8, 1);
	gn_il_put(t,
		  v->type	? GN_PLACE_OPEN
		  : v->size < 0 ? known | GN_PLACE_SIGNED
				: known,
		  8);
	gn_il_put(t, GN_IL_CONV_U, 1);
	gn_il_put(t, GN_IL_OR, 1);
	if (!v->type)
		return;
	gn_il_put(t, GN_IL_PREFIX, 1);
	gn_il_put(t, GN_IL2_SIZEOF, 1);
	gn_il_put(t, v->type, 4);
	gn_il_put(t, GN_IL_CONV_U, 1);
	put_i4(t, GN_PLACE_SIZE_SHIFT);
	gn_il_put(t, GN_IL_SHL, 1);
	gn_il_put(t, GN_IL_OR, 1);
}

void gn_il_put_place(struct gn_il_text *t, const struct gn_il_value *v,
		     const uint16_t *local)
{
	if (!v->has)
		put_i4(t, 0);
	else if (local)
		gn_il_put_op2(t, GN_IL2_LDLOCA, *local);
	else
		gn_il_put_op2(t, GN_IL2_LDARGA, v->arg);
	gn_il_put(t, GN_IL_CONV_U, 1);
	if (v->has)
		put_size(t, v);
}

static void put_state(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	gn_il_put(t, GN_IL_LDARG_0, 1);
	gn_il_put(t, GN_IL_LDFLD, 1);
	gn_il_put(t, hooks->async->machine.field, 4);
}

/* Turns the field's value into the reported state. */
static void put_less(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	if (!hooks->async->machine.more)
		return;
	put_i4(t, (uint32_t)hooks->async->machine.more);
	gn_il_put(t, GN_IL_CONV_I, 1);
	gn_il_put(t, GN_IL_SUB, 1);
}

/* The local after the frame's. It holds first the tagged state, then the tag
 * that says whether the start was seen. The bits above the low 32 are zero. */
static uint16_t tag_of(const struct gn_il_hooks *hooks)
{
	return hooks->frame + 1;
}

/* The local's value, as the second argument of a hook. */
static void put_tagged(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	gn_il_put_op2(t, GN_IL2_LDLOC, tag_of(hooks));
	gn_il_put(t, GN_IL_LDC_I8, 1);
	gn_il_put(t, GN_STATE_TAGGED, 8);
	gn_il_put(t, GN_IL_CONV_U, 1);
	gn_il_put(t, GN_IL_OR, 1);
}

/* Whether the local's state is `state`, with or without tags. */
static void put_is(struct gn_il_text *t, const struct gn_il_hooks *hooks,
		   int32_t state)
{
	gn_il_put_op2(t, GN_IL2_LDLOC, tag_of(hooks));
	gn_il_put(t, GN_IL_CONV_I2, 1);
	put_i4(t, (uint32_t)state);
	gn_il_put(t, GN_IL_PREFIX, 1);
	gn_il_put(t, GN_IL2_CEQ, 1);
}

/* Whether the local's tags say that this session saw the start. */
static void put_is_seen(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	gn_il_put_op2(t, GN_IL2_LDLOC, tag_of(hooks));
	gn_il_put(t, GN_IL_CONV_I4, 1);
	gn_il_put(t, GN_IL_DUP, 1);
	gn_il_put(t, GN_IL_CONV_I2, 1);
	gn_il_put(t, GN_IL_XOR, 1);
	put_i4(t, GN_STATE_STARTED | GN_STATE_SESSION);
	gn_il_put(t, GN_IL_AND, 1);
	put_i4(t, GN_STATE_STARTED);
	gn_il_put(t, GN_IL_PREFIX, 1);
	gn_il_put(t, GN_IL2_CEQ, 1);
}

static void put_entered_tagged(struct gn_il_text *t,
			       const struct gn_il_hooks *hooks)
{
	put_state(t, hooks);
	put_i4(t, hooks->async->session << GN_STATE_SESSION_SHIFT);
	gn_il_put(t, GN_IL_XOR, 1);
	gn_il_put(t, GN_IL_CONV_U, 1);
	gn_il_put_op2(t, GN_IL2_STLOC, tag_of(hooks));
	gn_il_put_index(t, hooks);
	put_tagged(t, hooks);
	put_less(t, hooks);
	gn_il_put_call(t, hooks->call, hooks->async->entered);
	put_is(t, hooks, -1 + hooks->async->machine.more);
	put_is(t, hooks, -3);
	gn_il_put(t, GN_IL_OR, 1);
	put_is_seen(t, hooks);
	gn_il_put(t, GN_IL_OR, 1);
	put_i4(t, 30); /* GN_STATE_STARTED */
	gn_il_put(t, GN_IL_SHL, 1);
	gn_il_put(t, GN_IL_CONV_U, 1);
	gn_il_put_op2(t, GN_IL2_STLOC, tag_of(hooks));
}

void gn_il_put_entered(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	if (hooks->async->how == GN_IL_TAGS) {
		put_entered_tagged(t, hooks);
		return;
	}
	gn_il_put_index(t, hooks);
	put_state(t, hooks);
	gn_il_put(t, GN_IL_CONV_I, 1);
	put_less(t, hooks);
	gn_il_put_call(t, hooks->call, hooks->async->entered);
}

void gn_il_put_store(struct gn_il_text *t, const struct gn_il_hooks *hooks,
		     const struct gn_il_store *store)
{
	const struct gn_il_async *a = hooks->async;
	const uint64_t told[] = {
		[GN_IL_SUSPENDS] = a->suspends,
		[GN_IL_COMPLETES] = a->completes,
		[GN_IL_FAULTS] = a->faults,
	};
	bool suspends = store->kind == GN_IL_SUSPENDS;

	gn_il_put_index(t, hooks);
	if (a->how == GN_IL_TAGS && !suspends) {
		put_tagged(t, hooks);
	} else {
		put_i4(t, (uint32_t)store->state);
		gn_il_put(t, GN_IL_CONV_I, 1);
	}
	gn_il_put_call(t, hooks->call, told[store->kind]);
	if (a->how != GN_IL_TAGS || !suspends)
		return;
	gn_il_put_op2(t, GN_IL2_LDLOC, tag_of(hooks));
	gn_il_put(t, GN_IL_CONV_I4, 1);
	put_i4(t, GN_STATE_SUSPENDED | a->session << GN_STATE_SESSION_SHIFT);
	gn_il_put(t, GN_IL_OR, 1);
	gn_il_put(t, GN_IL_XOR, 1);
}

void gn_il_put_loaded(struct gn_il_text *t, const struct gn_il_hooks *hooks)
{
	if (hooks->async->how != GN_IL_STATES)
		gn_il_put(t, GN_IL_CONV_I2, 1);
}
