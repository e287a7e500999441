/* SPDX-License-Identifier: BSD-2-Clause */
#include "initial.h"

#include <errno.h>

/* Real constructors need some hundred bytes and steps. The second is for all of
 * a class. */
#define STORE_MAX (1u << 22)
#define STEPS_MAX (1u << 24)

/*
 * A state has a cell for each local, then for each slot of the stack: 1 if it
 * has the object that is not initialized yet, otherwise 0. The first one in the
 * store is the current one. Others are those at targets of branches, with their
 * depth before them.
 */
struct flow {
	struct gn_java_layout *l;
	struct gn_java_states *states;
	uint32_t locals, stack, cells;
	uint32_t depth; /* of the stack, in the current state */
	bool pending;
	int err;
};

static uint8_t *current(struct flow *f)
{
	return f->states->store.at;
}

static void fail(struct flow *f, int err)
{
	if (!f->err)
		f->err = err;
}

static void step(struct flow *f, uint32_t n)
{
	if (f->states->steps <= STEPS_MAX)
		f->states->steps += n;
	else
		fail(f, GN_JAVA_TOO_LARGE);
}

static void set_pending(struct flow *f, uint32_t at, uint8_t mark)
{
	f->l->mark[at] |= mark | GN_MARK_PENDING;
	f->pending = true;
}

/* Keeps the current state for a target that was not reached before. */
static void keep(struct flow *f, uint32_t at, uint32_t depth)
{
	struct gn_java_out *store = &f->states->store;
	uint8_t *p;

	if (store->n + sizeof(depth) + f->cells > STORE_MAX) {
		fail(f, GN_JAVA_TOO_LARGE);
		return;
	}
	f->states->of[at] = (uint32_t)store->n;
	p = gn_java_room(store, sizeof(depth) + f->cells);
	if (!p) {
		fail(f, -ENOMEM);
		return;
	}
	memcpy(p, &depth, sizeof(depth));
	memcpy(p + sizeof(depth), current(f), f->cells);
	set_pending(f, at, GN_MARK_RAW);
}

/* The current state, with this depth, comes to a target. What differs from the
 * states that came before is not known to be the object. */
static void reach_raw(struct flow *f, uint32_t at, uint32_t depth)
{
	uint8_t *p, *cell = current(f);
	bool changed = false;
	uint32_t before;

	step(f, 1 + f->cells / 16);
	if (f->l->mark[at] & GN_MARK_READY)
		fail(f, GN_JAVA_CONSTRUCTOR);
	if (f->err)
		return;
	if (!(f->l->mark[at] & GN_MARK_RAW)) {
		keep(f, at, depth);
		return;
	}
	p = f->states->store.at + f->states->of[at];
	memcpy(&before, p, sizeof(before));
	p += sizeof(before);
	if (before != depth) {
		fail(f, GN_JAVA_MALFORMED);
		return;
	}
	for (uint32_t i = 0; i < f->locals + depth; i++) {
		changed |= p[i] > cell[i];
		p[i] &= cell[i];
	}
	if (changed)
		set_pending(f, at, GN_MARK_RAW);
}

static void reach_ready(struct flow *f, uint32_t at)
{
	if (at >= f->l->old.len)
		fail(f, GN_JAVA_MALFORMED);
	else if (f->l->mark[at] & GN_MARK_RAW)
		fail(f, GN_JAVA_CONSTRUCTOR);
	else if (!(f->l->mark[at] & GN_MARK_READY))
		set_pending(f, at, GN_MARK_READY);
}

/* Handlers that cover an instruction get its locals, and one slot. */
static void reach_handlers(struct flow *f, uint32_t at, bool raw)
{
	const uint8_t *p = f->l->old.handler;

	step(f, f->l->old.nhandlers);
	for (uint32_t i = 0; i < f->l->old.nhandlers && !f->err; i++, p += 8) {
		uint32_t handler = gn_java_get_u2(p + 4);
		uint8_t kept;

		if (at < gn_java_get_u2(p) || at >= gn_java_get_u2(p + 2))
			continue;
		if (!raw) {
			reach_ready(f, handler);
			continue;
		}
		if (!f->stack) {
			fail(f, GN_JAVA_MALFORMED);
			return;
		}
		kept = current(f)[f->locals];
		current(f)[f->locals] = 0;
		reach_raw(f, handler, 1);
		current(f)[f->locals] = kept;
	}
}

static void push(struct flow *f, uint8_t cell)
{
	if (f->depth >= f->stack) {
		fail(f, GN_JAVA_MALFORMED);
		return;
	}
	current(f)[f->locals + f->depth++] = cell;
}

/* What an instruction is, also behind a `wide`. */
static uint8_t op_at(const uint8_t *code, uint32_t at)
{
	return code[at] == GN_OP_WIDE ? code[at + 1] : code[at];
}

/* dup to swap: which slots, counted from the top, replace those that are
 * needed. */
static void move_slots(struct flow *f, uint8_t op)
{
	static const char need[] = "1232342";
	static const char *const made[] = {"00",    "010",    "0210", "1010",
					   "10210", "103210", "01"};
	uint32_t n = (uint32_t)(need[op - GN_OP_DUP] - '0');
	uint8_t top[4];

	if (f->depth < n) {
		fail(f, GN_JAVA_MALFORMED);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		top[i] = current(f)[f->locals + f->depth - 1 - i];
	f->depth -= n;
	for (const char *p = made[op - GN_OP_DUP]; *p; p++)
		push(f, top[*p - '0']);
}

/* The local that an instruction loads or stores. */
static uint32_t local_of(const uint8_t *code, uint32_t at)
{
	uint8_t op = code[at];

	if (op == GN_OP_WIDE)
		return gn_java_get_u2(code + at + 2);
	if (op >= GN_OP_ISTORE_0)
		return (op - GN_OP_ISTORE_0) & 3;
	if (op >= GN_OP_ISTORE)
		return code[at + 1];
	return op >= GN_OP_ALOAD_0 ? op - GN_OP_ALOAD_0 : code[at + 1];
}

/* One of the object's copies may be loaded. */
static void load(struct flow *f, uint32_t local)
{
	if (local >= f->locals)
		fail(f, GN_JAVA_MALFORMED);
	else
		push(f, current(f)[local]);
}

static void store(struct flow *f, uint32_t local, bool two, uint8_t cell)
{
	if (local + two >= f->locals) {
		fail(f, GN_JAVA_MALFORMED);
		return;
	}
	current(f)[local] = cell;
	if (two)
		current(f)[local + 1] = 0;
}

/* What an instruction does to the state. Returns whether it initializes the
 * object. */
static bool apply(struct flow *f, uint32_t at)
{
	const uint8_t *code = f->l->old.code;
	uint8_t op = op_at(code, at);
	uint32_t take, add;
	uint8_t cell = 0;

	if (op >= GN_OP_DUP && op <= GN_OP_SWAP) {
		move_slots(f, op);
		return false;
	}
	if (op == GN_OP_ALOAD || (op >= GN_OP_ALOAD_0 && op <= GN_OP_ALOAD_3)) {
		load(f, local_of(code, at));
		return false;
	}
	if (!gn_java_op_slots(f->l->class, code, at, &take, &add) ||
	    take > f->depth) {
		fail(f, GN_JAVA_MALFORMED);
		return false;
	}
	f->depth -= take;
	/* the deepest of those that are taken */
	if (take)
		cell = current(f)[f->locals + f->depth];
	if (op >= GN_OP_ISTORE && op <= GN_OP_ASTORE_3)
		store(f, local_of(code, at), take == 2, cell);
	while (add--)
		push(f, 0);
	return cell && gn_java_initializes(f->l->class, code, at);
}

/* Follows an instruction's branches. Returns whether the next one follows. */
static bool branch(struct flow *f, uint32_t at, bool raw)
{
	const uint8_t *code = f->l->old.code;
	int64_t target;

	for (uint32_t i = 0; gn_java_target(code, at, i, &target) && !f->err;
	     i++) {
		step(f, 1);
		if (raw)
			reach_raw(f, (uint32_t)target, f->depth);
		else
			reach_ready(f, (uint32_t)target);
	}
	return !gn_java_ends_flow(op_at(code, at));
}

static bool is_subroutine(const uint8_t *code, uint32_t at)
{
	uint8_t op = op_at(code, at);

	return op == GN_OP_JSR || op == GN_OP_JSR_W || op == GN_OP_RET;
}

/* One instruction. Returns whether the next one follows it. */
static bool run_op(struct flow *f, uint32_t at, uint32_t n)
{
	step(f, 1);
	if (f->l->mark[at] & GN_MARK_READY || is_subroutine(f->l->old.code, at))
		fail(f, GN_JAVA_CONSTRUCTOR);
	f->l->mark[at] |= GN_MARK_RAW;
	if (!f->err)
		reach_handlers(f, at, true);
	if (f->err)
		return false;
	if (apply(f, at)) {
		f->l->mark[at] |= GN_MARK_INIT;
		reach_ready(f, at + n);
		return false;
	}
	return !f->err && branch(f, at, true);
}

static void run_raw(struct flow *f, uint32_t at)
{
	const struct gn_java_code *old = &f->l->old;
	uint8_t *p = f->states->store.at + f->states->of[at];
	uint32_t n;

	memcpy(&f->depth, p, sizeof(f->depth));
	memcpy(current(f), p + sizeof(f->depth), f->cells);
	do {
		n = gn_java_op_len(old->code, old->len, at);
		if (!run_op(f, at, n))
			return;
		at += n;
		if (at >= old->len) {
			fail(f, GN_JAVA_MALFORMED);
			return;
		}
	} while (!(f->l->mark[at] & GN_MARK_TARGET));
	reach_raw(f, at, f->depth);
}

static void run_ready(struct flow *f, uint32_t at)
{
	const struct gn_java_code *old = &f->l->old;

	for (;;) {
		reach_handlers(f, at, false);
		if (!branch(f, at, false) || f->err)
			return;
		at += gn_java_op_len(old->code, old->len, at);
		reach_ready(f, at);
		if (f->err || !(f->l->mark[at] & GN_MARK_PENDING))
			return;
		f->l->mark[at] &= (uint8_t)~GN_MARK_PENDING;
	}
}

static void run(struct flow *f)
{
	uint8_t *mark = f->l->mark;

	do {
		f->pending = false;
		for (uint32_t at = 0; at < f->l->old.len && !f->err; at++) {
			if (!(mark[at] & GN_MARK_PENDING))
				continue;
			mark[at] &= (uint8_t)~GN_MARK_PENDING;
			if (mark[at] & GN_MARK_READY)
				run_ready(f, at);
			else
				run_raw(f, at);
		}
		step(f, f->l->old.len / 16);
	} while (f->pending && !f->err);
}

int gn_java_find_raw(struct gn_java_layout *l, struct gn_java_states *states)
{
	struct flow f = {.l = l,
			 .states = states,
			 .locals = l->old.max_locals,
			 .stack = l->old.max_stack};
	uint8_t *p;

	if (!f.locals)
		return GN_JAVA_MALFORMED;
	f.cells = f.locals + f.stack;
	states->store.n = 0;
	p = gn_java_room(&states->store, f.cells);
	if (!p)
		return -ENOMEM;
	memset(p, 0, f.cells);
	p[0] = 1;
	l->mark[0] |= GN_MARK_TARGET;
	reach_raw(&f, 0, 0);
	run(&f);
	return f.err;
}
