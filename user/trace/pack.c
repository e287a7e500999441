/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace/pack.h"

#include <stdlib.h>
#include <string.h>

#include "trace/pack_state.h"
#include "trace/rec.h"

struct gn_pack_state *gn_pack_state_new(void)
{
	struct gn_pack_state *s = calloc(1, sizeof(*s));

	if (s)
		gn_pack_reset(s);
	return s;
}

void gn_pack_state_free(struct gn_pack_state *s)
{
	free(s);
}

void gn_pack_reset(struct gn_pack_state *s)
{
	s->chunk++;
	s->time = 0;
	memset(s->callee, 0, sizeof(s->callee));
	memset(s->step, 0, sizeof(s->step));
	s->last = s->other = pack_find(s, 0);
}

static inline void put8(struct gn_packer *p, uint8_t v)
{
	*p->at[GN_PACK_REST]++ = v;
}

static inline void put32(struct gn_packer *p, uint32_t v)
{
	memcpy(p->at[GN_PACK_REST], &v, sizeof(v));
	p->at[GN_PACK_REST] += sizeof(v);
}

static inline void put64(struct gn_packer *p, uint64_t v)
{
	memcpy(p->at[GN_PACK_REST], &v, sizeof(v));
	p->at[GN_PACK_REST] += sizeof(v);
}

/* Seven bits per byte, the low ones first. */
static inline void put_number(struct gn_packer *p, uint64_t v)
{
	while (v >= 0x80) {
		put8(p, (uint8_t)(v | 0x80));
		v >>= 7;
	}
	put8(p, (uint8_t)v);
}

/* Writes a key as its distance, in either direction, from a nearby one. */
static inline void put_key(struct gn_packer *p, uint64_t base, uint64_t key)
{
	int64_t d = (int64_t)((base - key) << (64 - GN_KEY_BITS));

	d >>= 64 - GN_KEY_BITS;
	put_number(p, (uint64_t)d << 1 ^ (uint64_t)(d >> 63));
}

/* The runtime goes to the low bits, so that small indexes stay short. */
static inline void put_func(struct gn_packer *p, uint32_t func)
{
	put_number(p, func << 4 | func >> 28);
}

/* Writes the time; returns the control byte's bits for its length. */
static inline uint8_t put_time(struct gn_packer *p, uint64_t d)
{
	if (d < 0x10000) {
		*p->at[GN_PACK_TIME_0]++ = (uint8_t)d;
		if (d < 0x100)
			return 0 << PACK_TIME;
		*p->at[GN_PACK_TIME_1]++ = (uint8_t)(d >> 8);
		return 1 << PACK_TIME;
	}
	if (d < 0x1000000) {
		*p->at[GN_PACK_TIME_0]++ = (uint8_t)d;
		*p->at[GN_PACK_TIME_1]++ = (uint8_t)(d >> 8);
		put8(p, (uint8_t)(d >> 16));
		return 2 << PACK_TIME;
	}
	put64(p, d);
	return 3 << PACK_TIME;
}

static inline uint8_t put_thread(struct gn_packer *p, uint32_t tid)
{
	struct gn_pack_state *s = p->state;
	uint8_t how = PACK_TID;

	if (s->last->tid == tid)
		return PACK_SAME << PACK_THREAD;
	if (s->other->tid == tid)
		how = PACK_OTHER;
	else
		put_number(p, tid);
	pack_use(s, pack_find(s, tid));
	return (uint8_t)(how << PACK_THREAD);
}

struct extension {
	uint8_t bits, flags;
	uint32_t os_ns, seq;
};

static inline struct extension extension(struct pack_thread_state *t,
					 const struct gn_rec *rec,
					 enum pack_counter counter,
					 uint32_t os_ns)
{
	struct extension e = {
		.flags = (uint8_t)rec->flags, .os_ns = os_ns, .seq = rec->seq};
	uint32_t foretold = counter ? t->seq[counter] + 1 : 0;

	e.bits = (uint8_t)((e.flags ? PACK_FLAGS : 0) |
			   (os_ns ? PACK_OS_NS : 0) |
			   (e.seq != foretold ? PACK_SEQ : 0));
	t->seq[counter] = e.seq;
	return e;
}

static inline void put_extension(struct gn_packer *p, const struct extension *e,
				 enum pack_counter counter)
{
	put8(p, (uint8_t)(e->bits | counter << PACK_COUNTER));
	if (e->bits & PACK_FLAGS)
		put8(p, e->flags);
	if (e->bits & PACK_OS_NS)
		put_number(p, e->os_ns);
	if (e->bits & PACK_SEQ)
		put32(p, e->seq);
}

static inline enum pack_op pack_func(struct gn_packer *p,
				     struct pack_thread_state *t,
				     const struct gn_rec_func *f)
{
	static const enum pack_op enters[2][2] = {
		{PACK_ENTER_BOTH, PACK_ENTER_FUNC},
		{PACK_ENTER_KEY, PACK_ENTER}};
	struct pack_guess g;
	uint64_t key = f->h.key;
	bool func_hit, key_hit;

	if (f->h.kind == GN_KIND_LEAVE && t->depth && pack_top(t)->key == key &&
	    pack_top(t)->func == f->func) {
		pack_left(t, f->func, key);
		return PACK_LEAVE;
	}
	if (f->h.kind != GN_KIND_ENTER) {
		put8(p, (uint8_t)f->h.kind);
		put_func(p, f->func);
		put_key(p, t->key, key);
		pack_other(t, f->h.kind, f->func, key);
		return PACK_FUNC;
	}
	g = pack_guess(p->state, t);
	func_hit = *g.callee == f->func;
	key_hit = ((g.base - *g.step) & PACK_KEY_MASK) == key;
	if (!func_hit)
		put_func(p, f->func);
	if (!key_hit)
		put_key(p, g.base, key);
	pack_entered(t, &g, f->func, key);
	return enters[func_hit][key_hit];
}

static inline bool plain_slice(const struct gn_rec_slice *r)
{
	return !r->detail && !r->h.key;
}

static void pack_slice(struct gn_packer *p, const struct gn_rec_slice *r)
{
	put_number(p, r->h.time - r->start);
	put_number(p, r->waker);
	put_number(p, (uint16_t)(r->reason + 1));
	put8(p, r->class);
}

static void pack_any(struct gn_packer *p, const struct gn_rec *rec, size_t size)
{
	put8(p, (uint8_t)rec->kind);
	put_number(p, size / 8);
	put_number(p, rec->key);
	memcpy(p->at[GN_PACK_REST], rec + 1, size - sizeof(*rec));
	p->at[GN_PACK_REST] += size - sizeof(*rec);
}

static enum pack_counter counter_of(uint8_t kind)
{
	switch (gn_kind_info(kind)->stream) {
	case GN_STREAM_COLLECT:
	case GN_STREAM_NOTE:
		return PACK_EVENTS;
	case GN_STREAM_SLICE:
		return PACK_SLICES;
	default:
		return PACK_NO_COUNTER;
	}
}

static inline bool is_func(const struct gn_rec *rec)
{
	return rec->kind == GN_KIND_ENTER || rec->kind == GN_KIND_LEAVE ||
	       (gn_kind_info(rec->kind)->stream == GN_STREAM_COLLECT &&
		gn_kind_info(rec->kind)->size == sizeof(struct gn_rec_func));
}

void gn_pack(struct gn_packer *p, const struct gn_rec *rec, size_t size)
{
	unsigned char *control = p->at[GN_PACK_CONTROL]++;
	const struct gn_rec_func *f = (const void *)rec;
	const struct gn_rec_slice *slice = (const void *)rec;
	bool func = is_func(rec);
	bool sliced = rec->kind == GN_KIND_SLICE && plain_slice(slice);
	enum pack_counter counter =
		func ? PACK_EVENTS : counter_of((uint8_t)rec->kind);
	uint8_t bits = put_thread(p, rec->tid);
	struct pack_thread_state *t = p->state->last;
	struct extension e;

	bits |= put_time(p, rec->time - t->time);
	t->time = rec->time;
	if (rec->time)
		p->state->time = rec->time;
	e = extension(t, rec, counter, func ? f->os_ns : 0);
	if (e.bits || !(func || sliced)) {
		put_extension(p, &e, counter);
		bits |= PACK_EXTENDED;
	}
	if (func) {
		*control = (uint8_t)(bits | pack_func(p, t, f));
	} else if (sliced) {
		*control = (uint8_t)(bits | PACK_SLICE);
		pack_slice(p, slice);
	} else {
		*control = (uint8_t)(bits | PACK_ANY);
		pack_any(p, rec, size);
	}
}
