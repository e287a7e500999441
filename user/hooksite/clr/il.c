// SPDX-License-Identifier: BSD-2-Clause
#include "il.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "il_await_put.h"
#include "il_put.h"
#include "sig.h"

#define LOCALS_MAX  0xfffdu
#define CLAUSES_MAX 0xfffff0u /* bytes; the size field has three */

/* ECMA-335, II.25.4 */
#define SECT_EH	    0x1
#define SECT_FAT    0x40
#define EH_FAT_SIZE 24

/* ECMA-335, II.23.1.16 */
#define NATIVE_UINT 0x19

/* A jump: where its distance is, the offset that this counts from, and where it
 * goes. */
struct jump {
	uint32_t at, from;
	uint32_t target; /* in the old code */
};

struct rewrite {
	struct gn_il_method m;
	const struct gn_il_hooks *hooks;
	struct gn_il_text code, clauses;
	uint32_t nclauses;
	uint32_t *to; /* new offsets, by offset in the old code */
	struct jump *jumps;
	size_t njumps, jumps_cap;
	bool guarded;	 /* the body is in a try block */
	bool has_left;	 /* this tail call has its leave already */
	uint32_t end;	 /* what a ret jumps to */
	size_t stores;	 /* how many of the machine's are done */
	uint32_t awaits; /* how many of those are done */
};

#define NOWHERE UINT32_MAX

int gn_il_locals_token(const uint8_t *body, size_t size, gn_token *token)
{
	struct gn_il_method m;
	int err = gn_il_read(body, size, &m);

	*token = m.locals;
	return err;
}

int gn_il_locals(const struct gn_bytes *old, const struct gn_bytes *method,
		 struct gn_bytes *out, uint16_t *frame, bool *result)
{
	struct gn_bytes types = {NULL, 0}, type;
	struct gn_il_text t = {0};
	uint32_t n = 0;

	if ((old->n && !gn_sig_locals(old, &n, &types)) ||
	    !gn_sig_result(method, &type))
		return -EINVAL;
	if (n > LOCALS_MAX)
		return -E2BIG;
	*frame = (uint16_t)n;
	*result = type.n > 0;
	n += 2;
	gn_il_put(&t, GN_SIG_LOCALS, 1);
	if (n < 0x80) {
		gn_il_put(&t, n, 1);
	} else if (n < 0x4000) {
		gn_il_put(&t, 0x80 | n >> 8, 1);
		gn_il_put(&t, n, 1);
	} else {
		gn_il_put(&t, 0xc0, 2);
		gn_il_put(&t, n >> 8, 1);
		gn_il_put(&t, n, 1);
	}
	gn_il_put_bytes(&t, types.at, types.n);
	gn_il_put(&t, NATIVE_UINT, 1);
	if (*result)
		gn_il_put_bytes(&t, type.at, type.n);
	else
		gn_il_put(&t, NATIVE_UINT, 1);
	*out = (struct gn_bytes){t.bytes, t.n};
	if (t.err)
		free(t.bytes);
	return t.err;
}

static void put_arguments(struct rewrite *w)
{
	const struct gn_il_borrowed *b = &w->hooks->borrowed;

	gn_il_put_index(&w->code, w->hooks);
	gn_il_put_op2(&w->code, b->in_arg ? GN_IL2_LDARGA : GN_IL2_LDLOCA,
		      w->hooks->frame);
	if (!b->by_ref)
		gn_il_put(&w->code, GN_IL_CONV_U, 1);
}

static void put_call(struct rewrite *w, gn_token call, uint64_t hook)
{
	gn_il_put_call(&w->code, call, hook);
	if (w->hooks->borrowed.pops)
		gn_il_put(&w->code, GN_IL_POP, 1);
}

static void put_result(struct rewrite *w, bool stores)
{
	const struct gn_il_borrowed *b = &w->hooks->borrowed;
	uint16_t slot = w->hooks->frame + !b->is_set;

	if (b->in_arg)
		gn_il_put_op2(&w->code, stores ? GN_IL2_STARG : GN_IL2_LDARG,
			      slot);
	else
		gn_il_put_op2(&w->code, stores ? GN_IL2_STLOC : GN_IL2_LDLOC,
			      slot);
}

static void put_see(struct rewrite *w, const struct gn_il_value *v,
		    const uint16_t *local)
{
	if (!v->has || !v->is_class)
		return;
	gn_il_put_place(&w->code, v, local);
	gn_il_put_address(&w->code, w->hooks->context);
	gn_il_put_call(&w->code, w->hooks->call, w->hooks->see);
}

static void put_enter(struct rewrite *w)
{
	const struct gn_il_values *v = &w->hooks->values;

	if (!w->hooks->enter)
		return;
	for (uint32_t i = 0; i < v->nargs; i++)
		put_see(w, &v->arg[i], NULL);
	put_arguments(w);
	for (uint32_t i = 0; i < v->nargs; i++)
		gn_il_put_place(&w->code, &v->arg[i], NULL);
	put_call(w, v->enter, w->hooks->enter);
}

/* `with_result`: the result is in its local. */
static void put_leave(struct rewrite *w, bool with_result)
{
	static const struct gn_il_value none = {.has = false};
	const struct gn_il_values *v = &w->hooks->values;
	uint16_t local = w->hooks->frame + 1;
	size_t guard;

	if (!w->hooks->leave)
		return;
	guard = gn_il_put_guard(&w->code, w->hooks);
	if (with_result)
		put_see(w, &v->result, &local);
	put_arguments(w);
	if (v->asks_result)
		gn_il_put_place(&w->code, with_result ? &v->result : &none,
				&local);
	put_call(w, v->leave, w->hooks->leave);
	gn_il_end_guard(&w->code, guard);
}

/* Whether a handler or a filter begins there. An exception that a method is
 * resumed with comes to one of these first. */
static bool is_handler(const struct gn_il_method *m, uint32_t at)
{
	struct gn_il_clauses it;
	struct gn_il_clause c;

	gn_il_clauses(m, &it);
	while (gn_il_next_clause(&it, &c) > 0)
		if (c.handler == at ||
		    (c.flags & GN_IL_EH_FILTER && c.last == at))
			return true;
	return false;
}

static const struct gn_il_await *next_await(const struct rewrite *w)
{
	const struct gn_il_awaits *list = w->hooks->suspends.list;

	return list && w->awaits < list->n ? &list->each[w->awaits] : NULL;
}

static void put_before(struct rewrite *w, uint32_t at)
{
	const struct gn_il_await *next = next_await(w);

	if (w->hooks->suspends.list && is_handler(&w->m, at))
		gn_il_put_resumed(&w->code, w->hooks);
	if (next && next->begin == at)
		gn_il_put_awaits(&w->code, w->hooks, w->awaits);
}

static void put_after(struct rewrite *w, uint32_t at)
{
	const struct gn_il_await *next = next_await(w);

	if (!next || next->at != at)
		return;
	gn_il_put_resumed(&w->code, w->hooks);
	w->awaits++;
}

/* A distance of four bytes, which settle_jumps() fills in. `from`: the offset
 * that it counts from; 0: its own end. */
static int put_jump(struct rewrite *w, uint32_t target, uint32_t from)
{
	if (w->njumps == w->jumps_cap) {
		size_t cap = w->jumps_cap * 2 + 64;
		struct jump *jumps = realloc(w->jumps, cap * sizeof(*jumps));

		if (!jumps)
			return -ENOMEM;
		w->jumps = jumps;
		w->jumps_cap = cap;
	}
	w->jumps[w->njumps++] =
		(struct jump){.at = (uint32_t)w->code.n,
			      .from = from ? from : (uint32_t)w->code.n + 4,
			      .target = target};
	gn_il_put(&w->code, 0, 4);
	return 0;
}

static int put_switch(struct rewrite *w, const struct gn_il_op *op)
{
	uint32_t n = gn_il_targets(&w->m, op), from;
	int err = 0;

	gn_il_put(&w->code, GN_IL_SWITCH, 1);
	gn_il_put(&w->code, n, 4);
	from = (uint32_t)w->code.n + 4 * n;
	for (uint32_t i = 0; !err && i < n; i++)
		err = put_jump(w, gn_il_target(&w->m, op, i), from);
	return err;
}

/* The result is on the evaluation stack. */
static void put_leave_before_ret(struct rewrite *w)
{
	bool told = w->hooks->values.result.has && w->hooks->result;

	if (told)
		put_result(w, true);
	put_leave(w, told);
	if (told)
		put_result(w, false);
}

static int put_ret(struct rewrite *w)
{
	if (w->guarded) {
		if (w->hooks->result)
			put_result(w, true);
		gn_il_put(&w->code, GN_IL_LEAVE, 1);
		return put_jump(w, w->m.code_size, 0);
	}
	if (!w->has_left)
		put_leave_before_ret(w);
	w->has_left = false;
	gn_il_put(&w->code, GN_IL_RET, 1);
	return 0;
}

/* The leave comes before all prefixes of a call, in whatever order they are. */
static void put_tail_leave(struct rewrite *w, const struct gn_il_op *op)
{
	struct gn_il_op next;

	if (w->has_left)
		return;
	if (op->code != GN_IL_PREFIXED(GN_IL2_TAIL) &&
	    (!gn_il_next(&w->m, op->at + op->size, &next) ||
	     next.code != GN_IL_PREFIXED(GN_IL2_TAIL)))
		return;
	put_leave(w, false);
	w->has_left = true;
}

static int put_instruction(struct rewrite *w, const struct gn_il_op *op)
{
	const struct gn_il_async *a = w->hooks->async;
	const uint8_t *p = w->m.code + op->operand;

	if (a && a->how != GN_IL_UNTAGS && w->stores < a->machine.n &&
	    a->machine.stores[w->stores].at == op->at)
		gn_il_put_store(&w->code, w->hooks,
				&a->machine.stores[w->stores++]);
	switch (op->code) {
	case GN_IL_RET:
		return put_ret(w);
	case GN_IL_SWITCH:
		return put_switch(w, op);
	case GN_IL_BR_S ... GN_IL_BLT_UN_S:
		gn_il_put(&w->code, op->code + (GN_IL_BR - GN_IL_BR_S), 1);
		return put_jump(w, gn_il_target(&w->m, op, 0), 0);
	case GN_IL_LEAVE_S:
		gn_il_put(&w->code, GN_IL_LEAVE, 1);
		return put_jump(w, gn_il_target(&w->m, op, 0), 0);
	case GN_IL_BR ... GN_IL_BLT_UN:
	case GN_IL_LEAVE:
		gn_il_put(&w->code, op->code, 1);
		return put_jump(w, gn_il_target(&w->m, op, 0), 0);
	case GN_IL_PREFIXED(GN_IL2_CONSTRAINED):
	case GN_IL_PREFIXED(GN_IL2_TAIL):
		put_tail_leave(w, op);
		break;
	default:
		break;
	}
	gn_il_put_bytes(&w->code, w->m.code + op->at, op->size);
	if (a && op->code == GN_IL_LDFLD && gn_le_get(p, 4) == a->machine.field)
		gn_il_put_loaded(&w->code, w->hooks);
	return 0;
}

/* After the try block: the fault handler, and the code that a ret jumps to. */
static void put_end(struct rewrite *w, uint32_t begin)
{
	struct gn_il_text *t = &w->clauses;
	uint32_t handler = (uint32_t)w->code.n;
	size_t guard;

	if (w->hooks->suspends.list)
		gn_il_put_resumed(&w->code, w->hooks);
	guard = gn_il_put_guard(&w->code, w->hooks);
	put_arguments(w);
	put_call(w, w->hooks->call, w->hooks->unwound);
	gn_il_end_guard(&w->code, guard);
	gn_il_put(&w->code, GN_IL_ENDFINALLY, 1);
	w->end = (uint32_t)w->code.n;
	put_leave(w, w->hooks->result);
	if (w->hooks->result)
		put_result(w, false);
	gn_il_put(&w->code, GN_IL_RET, 1);
	gn_il_put(t, GN_IL_EH_FAULT, 4);
	gn_il_put(t, begin, 4);
	gn_il_put(t, handler - begin, 4);
	gn_il_put(t, handler, 4);
	gn_il_put(t, w->end - handler, 4);
	gn_il_put(t, 0, 4);
	w->nclauses++;
}

/* Maps an offset of the old code to the new code. It can be the code's end,
 * where a block ends. */
static bool moved(const struct rewrite *w, uint32_t from, uint32_t *to)
{
	*to = from <= w->m.code_size ? w->to[from] : NOWHERE;
	return *to != NOWHERE;
}

static bool put_clause(struct rewrite *w, const struct gn_il_clause *c)
{
	uint32_t at[4], last = c->last;
	struct gn_il_text *t = &w->clauses;

	if (c->try_size > GN_IL_CODE_MAX || c->handler_size > GN_IL_CODE_MAX ||
	    !moved(w, c->try_at, &at[0]) ||
	    !moved(w, c->try_at + c->try_size, &at[1]) ||
	    !moved(w, c->handler, &at[2]) ||
	    !moved(w, c->handler + c->handler_size, &at[3]) ||
	    (c->flags & GN_IL_EH_FILTER && !moved(w, last, &last)))
		return false;
	gn_il_put(t, c->flags, 4);
	gn_il_put(t, at[0], 4);
	gn_il_put(t, at[1] - at[0], 4);
	gn_il_put(t, at[2], 4);
	gn_il_put(t, at[3] - at[2], 4);
	gn_il_put(t, last, 4);
	w->nclauses++;
	return true;
}

static int put_clauses(struct rewrite *w)
{
	struct gn_il_clauses it;
	struct gn_il_clause c;
	int found;

	gn_il_clauses(&w->m, &it);
	while ((found = gn_il_next_clause(&it, &c)) > 0)
		if (!put_clause(w, &c))
			return -EINVAL;
	return found;
}

static int settle_jumps(struct rewrite *w)
{
	for (size_t i = 0; i < w->njumps; i++) {
		const struct jump *j = &w->jumps[i];
		uint32_t to;

		/* only a ret jumps to the end of the code */
		if (j->target == w->m.code_size && w->guarded)
			to = w->end;
		else if (!moved(w, j->target, &to))
			return -EINVAL;
		for (unsigned int k = 0; k < 4; k++)
			w->code.bytes[j->at + k] =
				(uint8_t)((to - j->from) >> 8 * k);
	}
	return 0;
}

/* Whether the method has a tail call. -EOPNOTSUPP: it has a jmp; -EINVAL. */
static int goes_on(const struct gn_il_method *m)
{
	bool tail = false;
	struct gn_il_op op;

	for (uint32_t at = 0; at < m->code_size; at += op.size) {
		if (!gn_il_next(m, at, &op))
			return -EINVAL;
		if (op.code == GN_IL_JMP)
			return -EOPNOTSUPP;
		tail |= op.code == GN_IL_PREFIXED(GN_IL2_TAIL);
	}
	return tail;
}

static int put_code(struct rewrite *w)
{
	uint32_t begin;
	struct gn_il_op op;
	int err = 0;

	gn_il_put_suspended(&w->code, w->hooks);
	put_enter(w);
	if (w->hooks->async && w->hooks->async->how != GN_IL_UNTAGS)
		gn_il_put_entered(&w->code, w->hooks);
	begin = (uint32_t)w->code.n;
	for (uint32_t at = 0; !err && at < w->m.code_size; at += op.size) {
		if (!gn_il_next(&w->m, at, &op))
			return -EINVAL;
		w->to[at] = (uint32_t)w->code.n;
		put_before(w, at);
		err = put_instruction(w, &op);
		put_after(w, at);
	}
	w->to[w->m.code_size] = (uint32_t)w->code.n;
	if (!err)
		err = put_clauses(w);
	if (w->guarded)
		put_end(w, begin);
	if (!err && w->clauses.n > CLAUSES_MAX)
		err = -EINVAL;
	err = err ? err : w->code.err ? w->code.err : w->clauses.err;
	return err ? err : settle_jumps(w);
}

static int put_map(const struct rewrite *w, struct gn_il_body *out)
{
	out->map = malloc(w->m.code_size * sizeof(*out->map));
	if (!out->map)
		return -ENOMEM;
	for (uint32_t i = 0; i < w->m.code_size; i++)
		if (w->to[i] != NOWHERE)
			out->map[out->nmap++] =
				(struct gn_il_map){i, w->to[i], 1};
	return 0;
}

/* Words on the evaluation stack. A hook takes three, on top of the result
 * before a ret, or of the value before a store. To make a place takes three. */
#define HOOK_STACK  4
#define VALUE_STACK (GN_ARGS_MAX + 2)

static int put_body(const struct rewrite *w, struct gn_il_body *out)
{
	bool between =
		!w->guarded || w->hooks->async || w->hooks->suspends.list;
	const struct gn_il_values *v = &w->hooks->values;
	uint32_t need =
		HOOK_STACK + (v->nargs || v->asks_result ? VALUE_STACK : 0u);
	uint32_t stack = w->m.max_stack + (between ? need : 0u);
	struct gn_il_text t = {0};

	stack = stack < need ? need : stack;
	gn_il_put(&t,
		  GN_IL_FAT | (w->m.flags & GN_IL_INIT_LOCALS) |
			  (w->nclauses ? GN_IL_MORE : 0) |
			  GN_IL_FAT_DWORDS << 12,
		  2);
	gn_il_put(&t, stack > 0xffff ? 0xffff : stack, 2);
	gn_il_put(&t, w->code.n, 4);
	gn_il_put(&t, w->hooks->locals, 4);
	gn_il_put_bytes(&t, w->code.bytes, w->code.n);
	if (w->nclauses) {
		while (t.n & 3)
			gn_il_put(&t, 0, 1);
		gn_il_put(&t, SECT_EH | SECT_FAT, 1);
		gn_il_put(&t, w->nclauses * EH_FAT_SIZE + 4, 3);
		gn_il_put_bytes(&t, w->clauses.bytes, w->clauses.n);
	}
	out->bytes = t.bytes;
	out->size = t.n;
	return t.err ? t.err : put_map(w, out);
}

int gn_il_rewrite(const uint8_t *body, size_t size,
		  const struct gn_il_hooks *hooks, struct gn_il_body *out)
{
	struct rewrite w = {.hooks = hooks};
	int err = gn_il_read(body, size, &w.m);
	int tail = err ? err : goes_on(&w.m);

	*out = (struct gn_il_body){0};
	if (tail < 0)
		return tail;
	if (hooks->result && hooks->async)
		return -EINVAL; /* no compiler makes such a machine */
	w.guarded = !tail && hooks->enter;
	w.to = malloc((w.m.code_size + 1) * sizeof(*w.to));
	if (!w.to)
		return -ENOMEM;
	memset(w.to, 0xff, (w.m.code_size + 1) * sizeof(*w.to));
	err = put_code(&w);
	if (!err)
		err = put_body(&w, out);
	if (err)
		gn_il_free(out);
	free(w.to);
	free(w.jumps);
	free(w.code.bytes);
	free(w.clauses.bytes);
	return err;
}

void gn_il_free(struct gn_il_body *body)
{
	free(body->bytes);
	free(body->map);
	*body = (struct gn_il_body){0};
}
