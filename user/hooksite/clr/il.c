// SPDX-License-Identifier: BSD-2-Clause
#include "il.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sig.h"

/* Longer bodies are no program's. */
#define CODE_MAX    (8u << 20)
#define LOCALS_MAX  0xfffdu
#define CLAUSES_MAX 0xfffff0u /* bytes, for a size of three */

/* ECMA-335, II.25.4 */
#define TINY		0x2
#define FAT		0x3
#define FAT_MORE	0x8
#define FAT_INIT_LOCALS 0x10
#define FAT_DWORDS	3
#define SECT_EH		0x1
#define SECT_FAT	0x40
#define SECT_MORE	0x80
#define EH_FILTER	0x1
#define EH_FAULT	0x4
#define EH_FAT_SIZE	24
#define EH_SMALL_SIZE	12

enum {
	OP_JMP = 0x27,
	OP_CALLI = 0x29,
	OP_RET = 0x2a,
	OP_BR_S = 0x2b,
	OP_BLT_UN_S = 0x37,
	OP_BR = 0x38,
	OP_BLT_UN = 0x44,
	OP_SWITCH = 0x45,
	OP_LDC_I4 = 0x20,
	OP_LDC_I8 = 0x21,
	OP_CONV_U = 0xe0,
	OP_ENDFINALLY = 0xdc,
	OP_LEAVE = 0xdd,
	OP_LEAVE_S = 0xde,
	OP_PREFIX = 0xfe,
	/* behind the prefix */
	OP2_LDLOC = 0x0c,
	OP2_LDLOCA = 0x0d,
	OP2_STLOC = 0x0e,
	OP2_TAIL = 0x14,
};

/* Where a jump's distance is, what it counts from and where it goes. */
struct jump {
	uint32_t at, from;
	uint32_t target; /* in the old code */
};

struct method {
	const uint8_t *body;
	size_t size;
	const uint8_t *code;
	uint32_t code_size;
	uint16_t flags, max_stack;
	gn_token locals;
	size_t sections; /* where they begin; 0: there are none */
};

struct text {
	uint8_t *bytes;
	size_t n, cap;
	int err;
};

struct rewrite {
	struct method m;
	const struct gn_il_hooks *hooks;
	struct text code, clauses;
	uint32_t nclauses;
	uint32_t *to; /* by an offset in the old code */
	struct jump *jumps;
	size_t njumps, jumps_cap;
	bool guarded;  /* the body is in a try block */
	bool has_left; /* the leave was before this tail call */
	uint32_t end;  /* what a ret jumps to */
};

#define NOWHERE UINT32_MAX

static uint32_t get(const uint8_t *p, unsigned int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static void put(struct text *t, uint64_t v, unsigned int n)
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

static void put_bytes(struct text *t, const uint8_t *bytes, size_t n)
{
	while (n--)
		put(t, *bytes++, 1);
}

static int read_header(const uint8_t *body, size_t size, struct method *m)
{
	size_t header;

	*m = (struct method){.body = body, .size = size};
	if (!size)
		return -EINVAL;
	if ((body[0] & 0x3) == TINY) {
		header = 1;
		m->code_size = body[0] >> 2;
		m->max_stack = 8;
	} else {
		header = FAT_DWORDS * 4;
		if ((body[0] & 0x7) != FAT || size < header ||
		    body[1] >> 4 != FAT_DWORDS)
			return -EINVAL;
		m->flags = (uint16_t)(get(body, 2) & 0xfff);
		m->max_stack = (uint16_t)get(body + 2, 2);
		m->code_size = get(body + 4, 4);
		m->locals = get(body + 8, 4);
	}
	if (!m->code_size || m->code_size > CODE_MAX ||
	    m->code_size > size - header)
		return -EINVAL;
	m->code = body + header;
	if (m->flags & FAT_MORE)
		m->sections = header + m->code_size;
	return 0;
}

int gn_il_locals_token(const uint8_t *body, size_t size, gn_token *token)
{
	struct method m;
	int err = read_header(body, size, &m);

	*token = m.locals;
	return err;
}

int gn_il_locals(const struct gn_bytes *old, const struct gn_bytes *method,
		 struct gn_bytes *out, uint16_t *frame, bool *result)
{
	struct gn_bytes types = {NULL, 0}, type;
	struct text t = {0};
	uint32_t n = 0;

	if ((old->n && !gn_sig_locals(old, &n, &types)) ||
	    !gn_sig_result(method, &type))
		return -EINVAL;
	if (n > LOCALS_MAX)
		return -E2BIG;
	*frame = (uint16_t)n;
	*result = type.n > 0;
	n += 1 + *result;
	put(&t, GN_SIG_LOCALS, 1);
	if (n < 0x80) {
		put(&t, n, 1);
	} else if (n < 0x4000) {
		put(&t, 0x80 | n >> 8, 1);
		put(&t, n, 1);
	} else {
		put(&t, 0xc0, 2);
		put(&t, n >> 8, 1);
		put(&t, n, 1);
	}
	put_bytes(&t, types.at, types.n);
	put(&t, 0x19, 1); /* native unsigned int */
	put_bytes(&t, type.at, type.n);
	*out = (struct gn_bytes){t.bytes, t.n};
	if (t.err)
		free(t.bytes);
	return t.err;
}

/* Bytes of an instruction's operand (III.1.2, and each instruction); that of a
 * switch is one by itself. */
static unsigned int operand(unsigned int op)
{
	switch (op) {
	case 0x0e ... 0x13: /* ldarg.s .. stloc.s */
	case 0x1f:	    /* ldc.i4.s */
	case OP_BR_S ... OP_BLT_UN_S:
	case OP_LEAVE_S:
		return 1;
	case OP_LDC_I8:
	case 0x23: /* ldc.r8 */
		return 8;
	case OP_LDC_I4:
	case 0x22: /* ldc.r4 */
	case OP_JMP ... OP_CALLI:
	case OP_BR ... OP_BLT_UN:
	case OP_SWITCH:
	case 0x6f ... 0x75: /* callvirt .. isinst */
	case 0x79:	    /* unbox */
	case 0x7b ... 0x81: /* ldfld .. stobj */
	case 0x8c:
	case 0x8d:	    /* box, newarr */
	case 0x8f:	    /* ldelema */
	case 0xa3 ... 0xa5: /* ldelem .. unbox.any */
	case 0xc2:
	case 0xc6: /* refanyval, mkrefany */
	case 0xd0: /* ldtoken */
	case OP_LEAVE:
		return 4;
	default:
		return 0;
	}
}

static unsigned int operand2(unsigned int op)
{
	switch (op) {
	case 0x06:
	case 0x07: /* ldftn, ldvirtftn */
	case 0x15:
	case 0x16: /* initobj, constrained. */
	case 0x1c: /* sizeof */
		return 4;
	case 0x09 ... OP2_STLOC: /* ldarg .. stloc */
		return 2;
	case 0x12:
	case 0x19: /* unaligned., no. */
		return 1;
	default:
		return 0;
	}
}

/* One instruction of the old code. */
struct op {
	unsigned int code; /* 0x100 more: behind the prefix */
	uint32_t at, operand, size;
};

static bool next_op(const struct method *m, uint32_t at, struct op *op)
{
	uint32_t left = m->code_size - at, n;

	*op = (struct op){.at = at, .code = m->code[at], .operand = at + 1};
	n = operand(op->code);
	if (op->code == OP_PREFIX) {
		if (left < 2)
			return false;
		op->code = 0x100 | m->code[at + 1];
		op->operand++;
		n = operand2(op->code & 0xff);
	}
	op->size = op->operand - at + n;
	if (op->size > left)
		return false;
	if (op->code == OP_SWITCH) {
		n = get(m->code + op->operand, 4);
		if (n > (left - op->size) / 4)
			return false;
		op->size += 4 * n;
	}
	return true;
}

static void put_op2(struct text *t, unsigned int op, uint16_t local)
{
	put(t, OP_PREFIX, 1);
	put(t, op, 1);
	put(t, local, 2);
}

static void put_hook(struct rewrite *w, uint64_t hook)
{
	struct text *t = &w->code;

	put(t, OP_LDC_I4, 1);
	put(t, w->hooks->index, 4);
	put(t, OP_CONV_U, 1);
	put_op2(t, OP2_LDLOCA, w->hooks->frame);
	put(t, OP_CONV_U, 1);
	put(t, OP_LDC_I8, 1);
	put(t, hook, 8);
	put(t, OP_CONV_U, 1);
	put(t, OP_CALLI, 1);
	put(t, w->hooks->call, 4);
}

/* A distance of four bytes that is filled in when all is in its place. `from`:
 * what it counts from; 0: its own end. */
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
	put(&w->code, 0, 4);
	return 0;
}

static int put_switch(struct rewrite *w, const struct op *op)
{
	const uint8_t *p = w->m.code + op->operand;
	uint32_t n = get(p, 4), from;
	int err = 0;

	put(&w->code, OP_SWITCH, 1);
	put(&w->code, n, 4);
	from = (uint32_t)w->code.n + 4 * n;
	for (uint32_t i = 0; !err && i < n; i++)
		err = put_jump(w, op->at + op->size + get(p + 4 + 4 * i, 4),
			       from);
	return err;
}

static int put_ret(struct rewrite *w)
{
	if (w->guarded) {
		if (w->hooks->result)
			put_op2(&w->code, OP2_STLOC, w->hooks->frame + 1);
		put(&w->code, OP_LEAVE, 1);
		return put_jump(w, w->m.code_size, 0);
	}
	if (!w->has_left)
		put_hook(w, w->hooks->leave);
	w->has_left = false;
	put(&w->code, OP_RET, 1);
	return 0;
}

static int put_instruction(struct rewrite *w, const struct op *op)
{
	const uint8_t *p = w->m.code + op->operand;
	uint32_t next = op->at + op->size;

	switch (op->code) {
	case OP_RET:
		return put_ret(w);
	case OP_SWITCH:
		return put_switch(w, op);
	case OP_BR_S ... OP_BLT_UN_S:
		put(&w->code, op->code + (OP_BR - OP_BR_S), 1);
		return put_jump(w, next + (uint32_t)(int8_t)*p, 0);
	case OP_LEAVE_S:
		put(&w->code, OP_LEAVE, 1);
		return put_jump(w, next + (uint32_t)(int8_t)*p, 0);
	case OP_BR ... OP_BLT_UN:
	case OP_LEAVE:
		put(&w->code, op->code, 1);
		return put_jump(w, next + get(p, 4), 0);
	case 0x100 | OP2_TAIL:
		put_hook(w, w->hooks->leave);
		w->has_left = true;
		break;
	default:
		break;
	}
	put_bytes(&w->code, w->m.code + op->at, op->size);
	return 0;
}

/* Behind the try block: what an exception runs, and what a ret jumps to. */
static void put_end(struct rewrite *w, uint32_t begin)
{
	struct text *t = &w->clauses;
	uint32_t handler = (uint32_t)w->code.n;

	put_hook(w, w->hooks->unwound);
	put(&w->code, OP_ENDFINALLY, 1);
	w->end = (uint32_t)w->code.n;
	put_hook(w, w->hooks->leave);
	if (w->hooks->result)
		put_op2(&w->code, OP2_LDLOC, w->hooks->frame + 1);
	put(&w->code, OP_RET, 1);
	put(t, EH_FAULT, 4);
	put(t, begin, 4);
	put(t, handler - begin, 4);
	put(t, handler, 4);
	put(t, w->end - handler, 4);
	put(t, 0, 4);
	w->nclauses++;
}

/* Where an offset of the old code went; the end of a block can be its end. */
static bool moved(const struct rewrite *w, uint32_t from, uint32_t *to)
{
	*to = from <= w->m.code_size ? w->to[from] : NOWHERE;
	return *to != NOWHERE;
}

static bool put_clause(struct rewrite *w, const uint8_t *p, bool fat)
{
	uint32_t flags = get(p, fat ? 4 : 2);
	uint32_t try = get(p + (fat ? 4 : 2), fat ? 4 : 2);
	uint32_t try_size = get(p + (fat ? 8 : 4), fat ? 4 : 1);
	uint32_t handler = get(p + (fat ? 12 : 5), fat ? 4 : 2);
	uint32_t handler_size = get(p + (fat ? 16 : 7), fat ? 4 : 1);
	uint32_t last = get(p + (fat ? 20 : 8), 4);
	uint32_t at[4];
	struct text *t = &w->clauses;

	if (try_size > CODE_MAX || handler_size > CODE_MAX ||
	    !moved(w, try, &at[0]) || !moved(w, try + try_size, &at[1]) ||
	    !moved(w, handler, &at[2]) ||
	    !moved(w, handler + handler_size, &at[3]) ||
	    (flags & EH_FILTER && !moved(w, last, &last)))
		return false;
	put(t, flags, 4);
	put(t, at[0], 4);
	put(t, at[1] - at[0], 4);
	put(t, at[2], 4);
	put(t, at[3] - at[2], 4);
	put(t, last, 4);
	w->nclauses++;
	return true;
}

static int put_clauses(struct rewrite *w)
{
	const struct method *m = &w->m;
	size_t at = m->sections;
	bool more = at;

	while (more) {
		uint32_t n, each;
		const uint8_t *p;
		bool fat;

		at = (at + 3) & ~(size_t)3;
		if (at > m->size || m->size - at < 4)
			return -EINVAL;
		p = m->body + at;
		fat = *p & SECT_FAT;
		more = *p & SECT_MORE;
		each = fat ? EH_FAT_SIZE : EH_SMALL_SIZE;
		n = get(p + 1, fat ? 3 : 1);
		if (n < 4 || n > m->size - at)
			return -EINVAL;
		if ((*p & 0x3f) == SECT_EH)
			for (uint32_t i = 0; i < (n - 4) / each; i++)
				if (!put_clause(w, p + 4 + i * each, fat))
					return -EINVAL;
		at += n;
	}
	return 0;
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

/* Whether the method ends by going on in another; -EOPNOTSUPP, -EINVAL. */
static int goes_on(const struct method *m)
{
	bool tail = false;
	struct op op;

	for (uint32_t at = 0; at < m->code_size; at += op.size) {
		if (!next_op(m, at, &op))
			return -EINVAL;
		if (op.code == OP_JMP)
			return -EOPNOTSUPP;
		tail |= op.code == (0x100 | OP2_TAIL);
	}
	return tail;
}

static int put_code(struct rewrite *w)
{
	uint32_t begin;
	struct op op;
	int err = 0;

	put_hook(w, w->hooks->enter);
	begin = (uint32_t)w->code.n;
	for (uint32_t at = 0; !err && at < w->m.code_size; at += op.size) {
		if (!next_op(&w->m, at, &op))
			return -EINVAL;
		w->to[at] = (uint32_t)w->code.n;
		err = put_instruction(w, &op);
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

/* A hook takes three words; a ret that it comes before has the result, too. */
#define HOOK_STACK 4

static int put_body(const struct rewrite *w, struct gn_il_body *out)
{
	uint32_t stack = w->m.max_stack + (w->guarded ? 0u : HOOK_STACK);
	struct text t = {0};

	stack = stack < HOOK_STACK ? HOOK_STACK : stack;
	put(&t,
	    FAT | (w->m.flags & FAT_INIT_LOCALS) |
		    (w->nclauses ? FAT_MORE : 0) | FAT_DWORDS << 12,
	    2);
	put(&t, stack > 0xffff ? 0xffff : stack, 2);
	put(&t, w->code.n, 4);
	put(&t, w->hooks->locals, 4);
	put_bytes(&t, w->code.bytes, w->code.n);
	if (w->nclauses) {
		while (t.n & 3)
			put(&t, 0, 1);
		put(&t, SECT_EH | SECT_FAT, 1);
		put(&t, w->nclauses * EH_FAT_SIZE + 4, 3);
		put_bytes(&t, w->clauses.bytes, w->clauses.n);
	}
	out->bytes = t.bytes;
	out->size = t.n;
	return t.err ? t.err : put_map(w, out);
}

int gn_il_rewrite(const uint8_t *body, size_t size,
		  const struct gn_il_hooks *hooks, struct gn_il_body *out)
{
	struct rewrite w = {.hooks = hooks};
	int err = read_header(body, size, &w.m);
	int tail = err ? err : goes_on(&w.m);

	*out = (struct gn_il_body){0};
	if (tail < 0)
		return tail;
	w.guarded = !tail;
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
