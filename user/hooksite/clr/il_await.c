// SPDX-License-Identifier: BSD-2-Clause
#include "il_await.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define NONE UINT32_MAX

struct search {
	const struct gn_il_method *m;
	bool *target; /* by offset: something jumps there */
	/* where the prefixes of the next call begin, and where the call of the
	 * awaited method does, or NONE */
	uint32_t prefix, begin;
	struct gn_il_awaits *out;
};

static void mark_targets(struct search *s, const struct gn_il_op *op)
{
	uint32_t n = gn_il_targets(s->m, op);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t target = gn_il_target(s->m, op, i);

		if (target < s->m->code_size)
			s->target[target] = true;
	}
}

/* Whether a jump comes in between the first call of an await and its end. */
static bool is_entered(const struct search *s, uint32_t at)
{
	for (uint32_t i = s->begin + 1; i <= at; i++)
		if (s->target[i])
			return true;
	return false;
}

static int add(struct search *s, uint32_t at)
{
	struct gn_il_awaits *out = s->out;
	struct gn_il_await *each = out->each;

	if (out->n == GN_IL_AWAITS_MAX)
		return -E2BIG;
	if (!(out->n & (out->n - 1))) {
		each = realloc(each, (out->n ? 2 * out->n : 1) * sizeof(*each));
		if (!each)
			return -ENOMEM;
		out->each = each;
	}
	each[out->n++] = (struct gn_il_await){
		.begin = s->begin == NONE || is_entered(s, at) ? at : s->begin,
		.at = at,
	};
	s->begin = NONE;
	return 0;
}

static int take_call(struct search *s, const struct gn_il_op *op,
		     enum gn_il_call call)
{
	uint32_t begin = s->prefix == NONE ? op->at : s->prefix;

	s->prefix = NONE;
	if (call == GN_IL_AWAITS)
		return add(s, op->at);
	if (call == GN_IL_CALLS)
		s->begin = begin;
	return 0;
}

/* Instructions between the awaited call and ConfigureAwait(). */
static bool is_between(const struct gn_il_op *op)
{
	switch (op->code) {
	case GN_IL_LDC_I4_M1 ... GN_IL_LDC_I4_8:
	case GN_IL_LDC_I4_S:
	case GN_IL_LDC_I4:
	case GN_IL_STLOC_0 ... GN_IL_STLOC_3:
	case GN_IL_STLOC_S:
	case GN_IL_LDLOCA_S:
	case GN_IL_PREFIXED(GN_IL2_STLOC):
	case GN_IL_PREFIXED(GN_IL2_LDLOCA):
		return true;
	default:
		return false;
	}
}

static int take(struct search *s, const struct gn_il_op *op, gn_il_call_fn call,
		const void *ctx)
{
	const uint8_t *p = s->m->code + op->operand;

	switch (op->code) {
	case GN_IL_CALL:
		return take_call(s, op, call(ctx, gn_le_get(p, 4)));
	case GN_IL_CALLVIRT:
		/* a task of a class is configured by a virtual call */
		return take_call(s, op,
				 call(ctx, gn_le_get(p, 4)) == GN_IL_CONFIGURES
					 ? GN_IL_CONFIGURES
					 : GN_IL_CALLS);
	case GN_IL_PREFIXED(GN_IL2_CONSTRAINED):
	case GN_IL_PREFIXED(GN_IL2_TAIL):
		if (s->prefix == NONE)
			s->prefix = op->at;
		return 0;
	default:
		s->prefix = NONE;
		if (!is_between(op))
			s->begin = NONE;
		return 0;
	}
}

static int walk(struct search *s, gn_il_call_fn call, const void *ctx)
{
	struct gn_il_op op;
	int err = 0;

	for (uint32_t at = 0; at < s->m->code_size; at += op.size) {
		if (!gn_il_next(s->m, at, &op))
			return -EINVAL;
		mark_targets(s, &op);
	}
	for (uint32_t at = 0; !err && at < s->m->code_size; at += op.size) {
		gn_il_next(s->m, at, &op);
		err = take(s, &op, call, ctx);
	}
	return err;
}

int gn_il_find_awaits(const struct gn_il_method *m, gn_il_call_fn call,
		      const void *ctx, struct gn_il_awaits *out)
{
	struct search s = {.m = m, .prefix = NONE, .begin = NONE, .out = out};
	int err;

	*out = (struct gn_il_awaits){0};
	s.target = calloc(m->code_size + 1, sizeof(*s.target));
	err = s.target ? walk(&s, call, ctx) : -ENOMEM;
	free(s.target);
	if (err)
		gn_il_awaits_free(out);
	return err;
}

void gn_il_awaits_free(struct gn_il_awaits *awaits)
{
	free(awaits->each);
	*awaits = (struct gn_il_awaits){0};
}
