/* SPDX-License-Identifier: BSD-2-Clause */
/* The state that predicts records, the same for packing and unpacking. */
#ifndef GNOMON_TRACE_PACK_STATE_H
#define GNOMON_TRACE_PACK_STATE_H

#include "trace/pack.h"

/* A control byte: the operation, the thread, and the length of the time. */
#define PACK_OP	      0x07
#define PACK_THREAD   3 /* shift of enum pack_thread */
#define PACK_TIME     5 /* shift: bytes of the time - 1; 3: eight */
#define PACK_EXTENDED 0x80

enum pack_op {
	PACK_ENTER,	 /* function and key as predicted */
	PACK_LEAVE,	 /* leaves the frame on top */
	PACK_ENTER_FUNC, /* key as predicted, function not */
	PACK_ENTER_KEY,	 /* function as predicted, key not */
	PACK_ENTER_BOTH, /* neither as predicted */
	PACK_FUNC,	 /* any other struct gn_rec_func */
	PACK_SLICE,
	PACK_ANY,
};

enum pack_thread {
	PACK_SAME,  /* the previous record's thread */
	PACK_OTHER, /* the last thread before that one */
	PACK_TID,   /* its tid follows */
	PACK_THREADS
};

/* The extension byte: which further fields follow. */
#define PACK_FLAGS   0x01
#define PACK_OS_NS   0x02
#define PACK_SEQ     0x04
#define PACK_COUNTER 3 /* shift of enum pack_counter */
#define PACK_UNUSED  0xe0

enum pack_counter {
	PACK_NO_COUNTER, /* predicted to be 0 */
	PACK_EVENTS,
	PACK_SLICES,
	PACK_COUNTERS
};

#define PACK_SLOTS   256u /* threads that are kept */
#define PACK_FRAMES  64u  /* frames kept per thread */
#define PACK_CALLEES 4096u
#define PACK_STEPS   1024u

struct pack_frame {
	uint64_t key;
	uint32_t func;
};

struct pack_thread_state {
	uint64_t chunk; /* the entry's chunk; if it is an older one, the entry
			   is empty */
	uint64_t time;
	uint32_t tid;
	uint32_t seq[PACK_COUNTERS];
	uint32_t left;	/* function left last; 0 after an enter */
	uint64_t key;	/* of the last record with a key */
	uint32_t top;	/* number of pushed frames, modulo 2^32 */
	uint32_t depth; /* how many of these are kept */
	struct pack_frame frame[PACK_FRAMES];
};

struct gn_pack_state {
	uint64_t chunk;
	uint64_t time; /* of the last record with a time */
	struct pack_thread_state *last, *other;
	uint32_t callee[PACK_CALLEES];
	uint64_t step[PACK_STEPS]; /* from the caller's key to the callee's */
	struct pack_thread_state thread[PACK_SLOTS];
};

static inline struct pack_frame *pack_top(struct pack_thread_state *t)
{
	return &t->frame[(t->top - 1) % PACK_FRAMES];
}

/* Returns the thread's state, which may be new. */
static inline struct pack_thread_state *pack_find(struct gn_pack_state *s,
						  uint32_t tid)
{
	struct pack_thread_state *t =
		&s->thread[tid * 2654435761u >> 16 & (PACK_SLOTS - 1)];

	if (t->chunk == s->chunk && t->tid == tid)
		return t;
	t->chunk = s->chunk;
	t->tid = tid;
	t->time = s->time;
	t->seq[PACK_NO_COUNTER] = t->seq[PACK_EVENTS] = t->seq[PACK_SLICES] = 0;
	t->left = 0;
	t->key = 0;
	t->top = t->depth = 0;
	return t;
}

/* Makes `t` the current record's thread. */
static inline void pack_use(struct gn_pack_state *s,
			    struct pack_thread_state *t)
{
	if (t == s->last)
		return;
	s->other = s->last;
	s->last = t;
}

/* Predicts the next function that the thread enters. */
struct pack_guess {
	uint32_t *callee;
	uint64_t *step;
	uint64_t base; /* the key is predicted as base - step */
};

static inline struct pack_guess pack_guess(struct gn_pack_state *s,
					   struct pack_thread_state *t)
{
	uint32_t caller = t->depth ? pack_top(t)->func : 0;
	uint32_t mix = caller * 2654435761u;

	return (struct pack_guess){
		.callee = &s->callee[((mix ^ t->left * 0x85ebca6bu) >> 16) %
				     PACK_CALLEES],
		.step = &s->step[(mix >> 16) % PACK_STEPS],
		.base = t->depth ? pack_top(t)->key : t->key,
	};
}

#define PACK_KEY_MASK (((uint64_t)1 << GN_KEY_BITS) - 1)

static inline void pack_entered(struct pack_thread_state *t,
				const struct pack_guess *g, uint32_t func,
				uint64_t key)
{
	struct pack_frame *f;

	*g->callee = func;
	*g->step = (g->base - key) & PACK_KEY_MASK;
	while (t->depth && pack_top(t)->key <= key) {
		t->top--;
		t->depth--;
	}
	t->top++;
	t->depth += t->depth < PACK_FRAMES;
	f = pack_top(t);
	f->func = func;
	f->key = key;
	t->key = key;
	t->left = 0;
}

static inline void pack_left(struct pack_thread_state *t, uint32_t func,
			     uint64_t key)
{
	while (t->depth && pack_top(t)->key < key) {
		t->top--;
		t->depth--;
	}
	if (t->depth && pack_top(t)->key == key) {
		t->top--;
		t->depth--;
	}
	t->key = key;
	t->left = func;
}

/* Updates the state after a struct gn_rec_func other than ENTER. */
static inline void pack_other(struct pack_thread_state *t, uint32_t kind,
			      uint32_t func, uint64_t key)
{
	if (kind == GN_KIND_LEAVE || kind == GN_KIND_TAILCALL ||
	    kind == GN_KIND_UNWIND_END)
		pack_left(t, func, key);
}

#endif
