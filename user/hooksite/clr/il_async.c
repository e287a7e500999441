// SPDX-License-Identifier: BSD-2-Clause
#include "il_async.h"

#include <errno.h>
#include <stdlib.h>

#include <gnomon/machine_state.h>

#define STATE_COMPLETE	-2
#define STATE_RUNNING	-1
#define STATE_YIELD_MAX -4 /* -3: an iterator that has not begun */

/* The constant on top of the stack, if the last instructions put one there; and
 * whether the last one is only a prefix. */
struct top {
	bool known;
	bool prefixed;
	int32_t value;
};

static void follow(const struct gn_il_method *m, const struct gn_il_op *op,
		   struct top *top)
{
	const uint8_t *p = m->code + op->operand;

	top->prefixed = op->code == GN_IL_PREFIXED(GN_IL2_TAIL);
	switch (op->code) {
	case GN_IL_LDC_I4_M1 ... GN_IL_LDC_I4_8:
		*top = (struct top){.known = true,
				    .value =
					    (int32_t)op->code - GN_IL_LDC_I4_0};
		break;
	case GN_IL_LDC_I4_S:
		*top = (struct top){.known = true, .value = (int8_t)*p};
		break;
	case GN_IL_LDC_I4:
		*top = (struct top){.known = true,
				    .value = (int32_t)gn_le_get(p, 4)};
		break;
	/* a copy of the constant goes into a local */
	case GN_IL_DUP:
	case GN_IL_STLOC_0 ... GN_IL_STLOC_3:
	case GN_IL_STLOC_S:
	case GN_IL_PREFIXED(GN_IL2_STLOC):
		break;
	default:
		top->known = false;
	}
}

/* Whether an offset is in a handler that has caught an exception. */
static bool is_caught(const struct gn_il_method *m, uint32_t at)
{
	struct gn_il_clauses it;
	struct gn_il_clause c;

	gn_il_clauses(m, &it);
	while (gn_il_next_clause(&it, &c) > 0)
		if (!(c.flags & ~GN_IL_EH_FILTER) && at >= c.handler &&
		    at - c.handler < c.handler_size)
			return true;
	return false;
}

static int add(struct gn_il_machine *out, const struct gn_il_store *store)
{
	struct gn_il_store *stores;

	if (!(out->n & (out->n - 1))) {
		stores = realloc(out->stores,
				 (out->n ? 2 * out->n : 1) * sizeof(*stores));
		if (!stores)
			return -ENOMEM;
		out->stores = stores;
	}
	out->stores[out->n++] = *store;
	return 0;
}

/* Notes which field holds the state. False: another field was noted before. */
static bool is_field(struct gn_il_machine *out, gn_token field,
		     enum gn_il_member is)
{
	if (out->field && out->field != field)
		return false;
	out->field = field;
	out->more = is == GN_IL_POINT;
	return true;
}

static int take_store(const struct gn_il_method *m, const struct gn_il_op *op,
		      const struct top *top, struct gn_il_machine *out)
{
	struct gn_il_store store = {.at = op->at};

	if (!top->known || top->value > GN_STATE_MAX ||
	    top->value < -GN_STATE_MAX || (out->more && top->value < 1))
		return -ENOENT;
	store.state = top->value - out->more;
	if (store.state == STATE_RUNNING)
		return 0;
	if (store.state == STATE_COMPLETE)
		store.kind =
			is_caught(m, op->at) ? GN_IL_FAULTS : GN_IL_COMPLETES;
	else if (store.state >= 0 || store.state <= STATE_YIELD_MAX)
		store.kind = GN_IL_SUSPENDS;
	else
		return -ENOENT;
	return add(out, &store);
}

/* The state is read or stored. If its address is taken, anything can happen to
 * it. */
static int take_field(const struct gn_il_method *m, const struct gn_il_op *op,
		      enum gn_il_member is, const struct top *top,
		      struct gn_il_machine *out)
{
	if (op->code == GN_IL_LDFLDA ||
	    !is_field(out, gn_le_get(m->code + op->operand, 4), is))
		return -ENOENT;
	return op->code == GN_IL_STFLD ? take_store(m, op, top, out) : 0;
}

/* A call that completes an F# task. No hook can be put between a call and its
 * prefix. */
static int take_call(const struct gn_il_op *op, enum gn_il_member is,
		     bool prefixed, struct gn_il_machine *out)
{
	const struct gn_il_store store = {
		.at = op->at,
		.state = STATE_COMPLETE,
		.kind = is == GN_IL_SETS_ERROR ? GN_IL_FAULTS : GN_IL_COMPLETES,
	};

	if (!out->more)
		return 0;
	return prefixed ? -ENOENT : add(out, &store);
}

static int take(const struct gn_il_method *m, const struct gn_il_op *op,
		enum gn_il_member is, const struct top *top,
		struct gn_il_machine *out)
{
	bool of_field = op->code >= GN_IL_LDFLD && op->code <= GN_IL_STFLD;

	if (of_field && (is == GN_IL_STATE || is == GN_IL_POINT))
		return take_field(m, op, is, top, out);
	if (op->code == GN_IL_CALL &&
	    (is == GN_IL_SETS_RESULT || is == GN_IL_SETS_ERROR))
		return take_call(op, is, top->prefixed, out);
	return 0;
}

/* Whether the instruction's operand is a member's token. */
static bool has_member(const struct gn_il_op *op)
{
	return op->code == GN_IL_CALL ||
	       (op->code >= GN_IL_LDFLD && op->code <= GN_IL_STFLD);
}

static bool completes(const struct gn_il_machine *machine)
{
	for (size_t i = 0; i < machine->n; i++)
		if (machine->stores[i].kind != GN_IL_SUSPENDS)
			return true;
	return false;
}

int gn_il_machine(const struct gn_il_method *m, gn_il_member_fn member,
		  const void *ctx, struct gn_il_machine *out)
{
	struct top top = {.known = false};
	struct gn_il_op op;
	int err = 0;

	*out = (struct gn_il_machine){0};
	for (uint32_t at = 0; !err && at < m->code_size; at += op.size) {
		if (!gn_il_next(m, at, &op)) {
			err = -EINVAL;
			break;
		}
		if (has_member(&op))
			err = take(
				m, &op,
				member(ctx, gn_le_get(m->code + op.operand, 4)),
				&top, out);
		follow(m, &op, &top);
	}
	if (!err && !completes(out))
		err = -ENOENT;
	if (err)
		gn_il_machine_free(out);
	return err;
}

void gn_il_machine_free(struct gn_il_machine *machine)
{
	free(machine->stores);
	*machine = (struct gn_il_machine){0};
}
