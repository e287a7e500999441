/* SPDX-License-Identifier: BSD-2-Clause */
/* The input is hostile: reads are bounded by the end of each column, writes by
 * the room of the output. */
#include <string.h>

#include "trace/pack_state.h"

struct input {
	const unsigned char *at, *end;
	bool bad; /* it was too short */
};

static inline uint64_t get_bytes(struct input *in, size_t n)
{
	uint64_t v = 0;

	if ((size_t)(in->end - in->at) < n) {
		in->bad = true;
		return 0;
	}
	memcpy(&v, in->at, n);
	in->at += n;
	return v;
}

static inline uint8_t get8(struct input *in)
{
	return (uint8_t)get_bytes(in, 1);
}

static inline uint64_t get_number(struct input *in)
{
	uint64_t v = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		uint8_t b = get8(in);

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	in->bad = true;
	return 0;
}

static inline uint64_t get_key(struct input *in, uint64_t base)
{
	uint64_t v = get_number(in);

	return (base - (v >> 1 ^ -(v & 1))) & PACK_KEY_MASK;
}

static inline uint32_t get_func(struct input *in)
{
	uint32_t v = (uint32_t)get_number(in);

	return v >> 4 | v << 28;
}

struct cursor {
	struct gn_pack_state *s;
	struct input time[2], rest;
	uint8_t control;
	uint32_t os_ns;
};

static inline uint64_t get_time(struct cursor *c)
{
	uint64_t d;

	switch (c->control >> PACK_TIME & 3) {
	case 0:
		return get8(&c->time[0]);
	case 1:
		d = get8(&c->time[0]);
		return d | (uint64_t)get8(&c->time[1]) << 8;
	case 2:
		d = get8(&c->time[0]);
		d |= (uint64_t)get8(&c->time[1]) << 8;
		return d | (uint64_t)get8(&c->rest) << 16;
	default:
		return get_bytes(&c->rest, 8);
	}
}

/* Makes the record's thread the last one of the state. */
static inline void get_thread(struct cursor *c)
{
	struct gn_pack_state *s = c->s;

	switch (c->control >> PACK_THREAD & 3) {
	case PACK_SAME:
		return;
	case PACK_OTHER:
		pack_use(s, pack_find(s, s->other->tid));
		return;
	case PACK_TID:
		pack_use(s, pack_find(s, (uint32_t)get_number(&c->rest)));
		return;
	default:
		c->rest.bad = true;
	}
}

static inline void get_extension(struct cursor *c, struct gn_rec *h,
				 enum pack_counter counter)
{
	struct pack_thread_state *t = c->s->last;
	uint8_t bits = 0;

	c->os_ns = 0;
	h->flags = 0;
	if (c->control & PACK_EXTENDED) {
		bits = get8(&c->rest);
		counter = bits >> PACK_COUNTER & 3;
		if (bits & PACK_UNUSED || counter == PACK_COUNTERS) {
			c->rest.bad = true;
			return;
		}
	}
	if (bits & PACK_FLAGS)
		h->flags = get8(&c->rest);
	if (bits & PACK_OS_NS)
		c->os_ns = (uint32_t)get_number(&c->rest);
	if (bits & PACK_SEQ)
		h->seq = (uint32_t)get_bytes(&c->rest, 4);
	else
		h->seq = counter ? t->seq[counter] + 1 : 0;
	t->seq[counter] = h->seq;
}

static inline void unpack_enter(struct cursor *c, struct gn_rec_func *f,
				enum pack_op op)
{
	struct pack_thread_state *t = c->s->last;
	struct pack_guess g = pack_guess(c->s, t);
	uint64_t key;

	f->h.kind = GN_KIND_ENTER;
	f->func = op == PACK_ENTER_FUNC || op == PACK_ENTER_BOTH
			  ? get_func(&c->rest)
			  : *g.callee;
	key = op == PACK_ENTER_KEY || op == PACK_ENTER_BOTH
		      ? get_key(&c->rest, g.base)
		      : (g.base - *g.step) & PACK_KEY_MASK;
	f->h.key = key;
	f->os_ns = c->os_ns;
	pack_entered(t, &g, f->func, key);
}

static inline void unpack_leave(struct cursor *c, struct gn_rec_func *f)
{
	struct pack_thread_state *t = c->s->last;

	if (!t->depth) {
		c->rest.bad = true;
		return;
	}
	f->h.kind = GN_KIND_LEAVE;
	f->func = pack_top(t)->func;
	f->h.key = pack_top(t)->key;
	f->os_ns = c->os_ns;
	pack_left(t, f->func, f->h.key);
}

static void unpack_func(struct cursor *c, struct gn_rec_func *f)
{
	struct pack_thread_state *t = c->s->last;

	f->h.kind = get8(&c->rest);
	f->func = get_func(&c->rest);
	f->h.key = get_key(&c->rest, t->key);
	f->os_ns = c->os_ns;
	pack_other(t, f->h.kind, f->func, f->h.key);
}

static void unpack_slice(struct cursor *c, struct gn_rec_slice *r)
{
	r->h.kind = GN_KIND_SLICE;
	r->h.key = 0;
	r->start = r->h.time - get_number(&c->rest);
	r->waker = (uint32_t)get_number(&c->rest);
	r->reason = (uint16_t)(get_number(&c->rest) - 1);
	r->class = get8(&c->rest);
	r->detail = 0;
}

/* Returns the record's size; 0: it does not fit. */
static size_t unpack_any(struct cursor *c, struct gn_rec *h, size_t room)
{
	uint64_t words;
	size_t size;

	h->kind = get8(&c->rest);
	words = get_number(&c->rest);
	h->key = get_number(&c->rest) & PACK_KEY_MASK;
	if (words > room / 8 || words < sizeof(*h) / 8)
		return 0;
	size = (size_t)words * 8;
	if (size - sizeof(*h) > (size_t)(c->rest.end - c->rest.at))
		return 0;
	memcpy(h + 1, c->rest.at, size - sizeof(*h));
	c->rest.at += size - sizeof(*h);
	return size;
}

static inline size_t unpack_one(struct cursor *c, struct gn_rec *h, size_t room)
{
	enum pack_op op = c->control & PACK_OP;
	struct pack_thread_state *t;

	if (room < sizeof(*h))
		return 0;
	get_thread(c);
	t = c->s->last;
	h->tid = t->tid;
	h->time = t->time + get_time(c);
	t->time = h->time;
	if (h->time)
		c->s->time = h->time;
	get_extension(c, h, op == PACK_SLICE ? PACK_SLICES : PACK_EVENTS);
	if (op == PACK_ANY)
		return unpack_any(c, h, room);
	if (room < sizeof(struct gn_rec_func) ||
	    (op == PACK_SLICE && room < sizeof(struct gn_rec_slice)))
		return 0;
	if (op == PACK_SLICE) {
		unpack_slice(c, (struct gn_rec_slice *)h);
		return sizeof(struct gn_rec_slice);
	}
	if (op == PACK_LEAVE)
		unpack_leave(c, (struct gn_rec_func *)h);
	else if (op == PACK_FUNC)
		unpack_func(c, (struct gn_rec_func *)h);
	else
		unpack_enter(c, (struct gn_rec_func *)h, op);
	return sizeof(struct gn_rec_func);
}

bool gn_unpack(struct gn_unpacker *u, void *out, size_t room, size_t *size)
{
	struct cursor c = {
		.s = u->state,
		.time = {{u->at[GN_PACK_TIME_0], u->end[GN_PACK_TIME_0], false},
			 {u->at[GN_PACK_TIME_1], u->end[GN_PACK_TIME_1],
			  false}},
		.rest = {u->at[GN_PACK_REST], u->end[GN_PACK_REST], false},
	};
	const unsigned char *control = u->at[GN_PACK_CONTROL];
	size_t at = 0, n;

	gn_pack_reset(c.s);
	for (; control < u->end[GN_PACK_CONTROL]; at += n) {
		c.control = *control++;
		n = unpack_one(&c, (void *)((char *)out + at), room - at);
		if (!n || c.rest.bad || c.time[0].bad || c.time[1].bad)
			return false;
	}
	*size = at;
	return c.time[0].at == c.time[0].end && c.time[1].at == c.time[1].end &&
	       c.rest.at == c.rest.end;
}
