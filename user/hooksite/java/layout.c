/* SPDX-License-Identifier: BSD-2-Clause */
#include "layout.h"

/* A longer method is not compiled by HotSpot (-XX:-DontCompileHugeMethods). */
#define COMPILED_MAX 8000
/* Of widening branches: real code needs two. */
#define ROUNDS_MAX 16

static int mark_ops(struct gn_java_layout *l)
{
	const struct gn_java_code *old = &l->old;

	memset(l->mark, 0, old->len);
	l->returns = 0;
	for (uint32_t at = 0, n; at < old->len; at += n) {
		n = gn_java_op_len(old->code, old->len, at);
		if (!n)
			return GN_JAVA_MALFORMED;
		l->mark[at] = GN_MARK_OP;
		l->returns += gn_java_returns(old->code[at]);
	}
	return 0;
}

static int mark_targets(struct gn_java_layout *l)
{
	const uint8_t *code = l->old.code;
	int64_t target;

	for (uint32_t at = 0; at < l->old.len; at++) {
		if (!(l->mark[at] & GN_MARK_OP))
			continue;
		for (uint32_t i = 0; gn_java_target(code, at, i, &target);
		     i++) {
			if (target < 0 || target >= l->old.len ||
			    !(l->mark[target] & GN_MARK_OP))
				return GN_JAVA_MALFORMED;
			l->mark[target] |= GN_MARK_TARGET;
		}
	}
	return 0;
}

/* The handlers of the method's own cover instructions, and begin at one. */
static int mark_handlers(struct gn_java_layout *l)
{
	const uint8_t *p = l->old.handler;

	for (uint32_t i = 0; i < l->old.nhandlers; i++, p += 8) {
		uint32_t begin = gn_java_get_u2(p);
		uint32_t end = gn_java_get_u2(p + 2);
		uint32_t handler = gn_java_get_u2(p + 4);

		if (!gn_java_is_op(l, begin) || end <= begin ||
		    (end != l->old.len && !gn_java_is_op(l, end)) ||
		    !gn_java_is_op(l, handler))
			return GN_JAVA_MALFORMED;
		l->mark[handler] |= GN_MARK_TARGET;
	}
	return 0;
}

int gn_java_scan(struct gn_java_layout *l)
{
	int err = mark_ops(l);

	if (!err)
		err = mark_targets(l);
	return err ? err : mark_handlers(l);
}

/* The length in the new code at `to`, without what is put before it. */
static uint32_t new_len(const struct gn_java_layout *l, uint32_t at,
			uint32_t len, uint32_t to)
{
	if (gn_java_switches(l->old.code[at]))
		return len - (3 - (at & 3)) + (3 - (to & 3));
	return len + (l->mark[at] & GN_MARK_WIDE ? 2 : 0);
}

static void map_ops(struct gn_java_layout *l)
{
	const struct gn_java_code *old = &l->old;
	uint32_t hook = l->call.npush + GN_JAVA_INVOKE_LEN;
	uint32_t to = l->constructor ? 0 : hook;

	for (uint32_t at = 0, n; at < old->len; at += n) {
		n = gn_java_op_len(old->code, old->len, at);
		for (uint32_t i = 0; i < n; i++)
			l->map[at + i] = to;
		if (gn_java_returns(old->code[at]))
			to += hook;
		to += new_len(l, at, n, to);
		if (l->mark[at] & GN_MARK_INIT)
			to += hook;
	}
	l->map[old->len] = to;
}

/* Widens branches that do not reach their targets any more. Returns how many,
 * or -1: one that cannot be widened, because a new instruction would be a
 * target whose types only a verifier knows. */
static int widen(struct gn_java_layout *l)
{
	const uint8_t *code = l->old.code;
	int n = 0;

	for (uint32_t at = 0; at < l->old.len; at++) {
		int64_t target, offset;

		if (!(l->mark[at] & GN_MARK_OP) || l->mark[at] & GN_MARK_WIDE ||
		    !gn_java_branches(code[at]))
			continue;
		gn_java_target(code, at, 0, &target);
		offset = (int64_t)l->map[target] - l->map[at];
		if (offset >= INT16_MIN && offset <= INT16_MAX)
			continue;
		if (code[at] != GN_OP_GOTO && code[at] != GN_OP_JSR)
			return -1;
		l->mark[at] |= GN_MARK_WIDE;
		n++;
	}
	return n;
}

int gn_java_lay_out(struct gn_java_layout *l)
{
	uint32_t handler = l->call.npush + GN_JAVA_INVOKE_LEN + 1;
	int widened;

	/* each round widens one at least */
	for (int round = 0;; round++) {
		map_ops(l);
		if (l->map[l->old.len] + handler > UINT16_MAX ||
		    round == ROUNDS_MAX)
			return GN_JAVA_TOO_LARGE;
		widened = l->map[l->old.len] > INT16_MAX ? widen(l) : 0;
		if (widened < 0)
			return GN_JAVA_TOO_LARGE;
		if (!widened)
			break;
	}
	l->handler = l->map[l->old.len];
	l->len = l->handler + handler;
	if (l->len > COMPILED_MAX && l->old.len <= COMPILED_MAX)
		return GN_JAVA_NOT_COMPILED;
	return 0;
}

static void put_call(const struct gn_java_layout *l, uint16_t method,
		     struct gn_java_out *out)
{
	gn_java_put(out, l->call.push, l->call.npush);
	gn_java_put_u1(out, GN_OP_INVOKESTATIC);
	gn_java_put_u2(out, method);
}

static uint32_t new_offset(const struct gn_java_layout *l, uint32_t at,
			   const uint8_t *offset)
{
	uint32_t target = at + gn_java_get_u4(offset);

	return l->map[target] - l->map[at];
}

static void put_switch(const struct gn_java_layout *l, uint32_t at,
		       uint32_t len, struct gn_java_out *out)
{
	const uint8_t *p = l->old.code + at + 1 + (3 - (at & 3));
	const uint8_t *end = l->old.code + at + len;
	bool table = l->old.code[at] == GN_OP_TABLESWITCH;

	gn_java_put_u1(out, l->old.code[at]);
	gn_java_put(out, "\0\0", 3 - (l->map[at] & 3));
	gn_java_put_u4(out, new_offset(l, at, p));
	/* the bounds, or the number of cases */
	gn_java_put(out, p + 4, table ? 8 : 4);
	p += table ? 12 : 8;
	while (p < end) {
		if (!table) {
			gn_java_put(out, p, 4);
			p += 4;
		}
		gn_java_put_u4(out, new_offset(l, at, p));
		p += 4;
	}
}

static void put_branch(const struct gn_java_layout *l, uint32_t at,
		       struct gn_java_out *out)
{
	uint8_t op = l->old.code[at];
	int64_t target = 0;
	uint32_t offset;

	gn_java_target(l->old.code, at, 0, &target);
	offset = l->map[target] - l->map[at];
	if (l->mark[at] & GN_MARK_WIDE || gn_java_branches_far(op)) {
		if (op == GN_OP_GOTO)
			op = GN_OP_GOTO_W;
		if (op == GN_OP_JSR)
			op = GN_OP_JSR_W;
		gn_java_put_u1(out, op);
		gn_java_put_u4(out, offset);
	} else {
		gn_java_put_u1(out, op);
		gn_java_put_u2(out, offset);
	}
}

void gn_java_put_code(const struct gn_java_layout *l,
		      const struct gn_java_refs *refs, struct gn_java_out *out)
{
	const struct gn_java_code *old = &l->old;

	if (!l->constructor)
		put_call(l, refs->enter, out);
	for (uint32_t at = 0, n; at < old->len; at += n) {
		uint8_t op = old->code[at];

		n = gn_java_op_len(old->code, old->len, at);
		if (gn_java_returns(op))
			put_call(l, refs->leave, out);
		if (gn_java_switches(op))
			put_switch(l, at, n, out);
		else if (gn_java_branches(op) || gn_java_branches_far(op))
			put_branch(l, at, out);
		else
			gn_java_put(out, old->code + at, n);
		if (l->mark[at] & GN_MARK_INIT)
			put_call(l, refs->enter, out);
	}
	/* the handler */
	put_call(l, refs->unwound, out);
	gn_java_put_u1(out, GN_OP_ATHROW);
}
