// SPDX-License-Identifier: BSD-2-Clause
#include "il_async.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gnomon/machine_state.h>

#define STATE_COMPLETE	-2
#define STATE_RUNNING	-1
#define STATE_YIELD_MAX -4 /* -3: an iterator that has not begun */

/* The constant on top of the stack, if the last instructions put one there. */
struct top {
	bool known;
	int32_t value;
};

static void follow(const struct gn_il_method *m, const struct gn_il_op *op,
		   struct top *top)
{
	const uint8_t *p = m->code + op->operand;

	switch (op->code) {
	case GN_IL_LDC_I4_M1 ... GN_IL_LDC_I4_8:
		*top = (struct top){true, (int32_t)op->code - GN_IL_LDC_I4_0};
		break;
	case GN_IL_LDC_I4_S:
		*top = (struct top){true, (int8_t)*p};
		break;
	case GN_IL_LDC_I4:
		*top = (struct top){true, (int32_t)gn_il_get(p, 4)};
		break;
	/* a copy of it goes into a local */
	case GN_IL_DUP:
	case GN_IL_STLOC_0 ... GN_IL_STLOC_3:
	case GN_IL_STLOC_S:
	case GN_IL_PREFIXED(GN_IL2_STLOC):
		break;
	default:
		top->known = false;
	}
}

/* Whether an offset is where an exception has been caught. */
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

static int take_store(const struct gn_il_method *m, const struct gn_il_op *op,
		      const struct top *top, struct gn_il_machine *out)
{
	struct gn_il_store store = {.at = op->at, .state = top->value};
	gn_token field = gn_il_get(m->code + op->operand, 4);

	if (!top->known || top->value > GN_STATE_MAX ||
	    top->value < -GN_STATE_MAX || (out->field && out->field != field))
		return -ENOENT;
	out->field = field;
	if (top->value == STATE_RUNNING)
		return 0;
	if (top->value == STATE_COMPLETE)
		store.kind =
			is_caught(m, op->at) ? GN_IL_FAULTS : GN_IL_COMPLETES;
	else if (top->value >= 0 || top->value <= STATE_YIELD_MAX)
		store.kind = GN_IL_SUSPENDS;
	else
		return -ENOENT;
	return add(out, &store);
}

/* The state's value is used, or its address, with which it could be anything.
 */
static int take_load(const struct gn_il_method *m, const struct gn_il_op *op,
		     struct gn_il_machine *out)
{
	gn_token field = gn_il_get(m->code + op->operand, 4);

	if (op->code == GN_IL_LDFLDA || (out->field && out->field != field))
		return -ENOENT;
	out->field = field;
	return 0;
}

static bool completes(const struct gn_il_machine *machine)
{
	for (size_t i = 0; i < machine->n; i++)
		if (machine->stores[i].kind != GN_IL_SUSPENDS)
			return true;
	return false;
}

int gn_il_machine(const struct gn_il_method *m, gn_il_is_state_fn is_state,
		  void *ctx, struct gn_il_machine *out)
{
	struct top top = {false, 0};
	struct gn_il_op op;
	int err = 0;

	*out = (struct gn_il_machine){0};
	for (uint32_t at = 0; !err && at < m->code_size; at += op.size) {
		if (!gn_il_next(m, at, &op)) {
			err = -EINVAL;
			break;
		}
		if (op.code >= GN_IL_LDFLD && op.code <= GN_IL_STFLD &&
		    is_state(ctx, gn_il_get(m->code + op.operand, 4)))
			err = op.code == GN_IL_STFLD
				      ? take_store(m, &op, &top, out)
				      : take_load(m, &op, out);
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

bool gn_il_state_name(const char *field)
{
	return !strcmp(field, "<>1__state") || !strcmp(field, "$State");
}
