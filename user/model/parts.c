// SPDX-License-Identifier: BSD-2-Clause
/*
 * Stacks that a program cuts from one piece of memory lie side by side in one
 * mapping. An event further up ends the frames below it, but it is not known
 * whether those are gone or belong to another stack that is at rest. So they
 * are parked. If the leave of one of them comes, they were at rest: then the
 * mapping has a border between them and the frames above, and from then on an
 * event's key shows on which side it is.
 */
#include "model/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/walk.h"

/* Limits of a thread. Beyond them all parked frames are dropped. */
#define PARKED_FRAMES (1u << 16)
#define PARKED_MAX    (2 * GN_STACKS_MAX)
/* A new border lies above the outermost known frame of the lower stack: by at
 * most this margin, and this part of the distance to the frames above. */
#define MARGIN	    1024
#define MARGIN_PART 8

/* Finds the first group whose outermost frame is at `key` or above. */
static uint32_t find(const struct gn_stacks *st, uint64_t key)
{
	uint32_t a = 0, b = st->nparked;

	while (a < b) {
		uint32_t mid = a + (b - a) / 2;

		if (st->parked[mid].hi >= key)
			b = mid;
		else
			a = mid + 1;
	}
	return a;
}

static void remove_at(struct gn_stacks *st, struct gn_stage *s, uint32_t at)
{
	s->frames -= st->parked[at].n;
	st->parked_frames -= st->parked[at].n;
	free(st->parked[at].frames);
	st->nparked--;
	memmove(&st->parked[at], &st->parked[at + 1],
		(st->nparked - at) * sizeof(*st->parked));
}

void gn_parked_forget(struct gn_stacks *st, struct gn_stage *s)
{
	while (st->nparked)
		remove_at(st, s, st->nparked - 1);
}

static void insert(struct gn_stacks *st, struct gn_stage *s, uint32_t at,
		   const struct gn_frame *frames, uint32_t n, uint64_t clock)
{
	struct gn_parked p = {.clock = clock, .n = n};

	if (st->nparked >= PARKED_MAX ||
	    (s->most_frames && s->frames + n > s->most_frames))
		return;
	if (gn_grow(&st->parked, &st->parked_cap, (size_t)st->nparked + 1,
		    sizeof(*st->parked)))
		return;
	p.frames = malloc(n * sizeof(*p.frames));
	if (!p.frames)
		return;
	memcpy(p.frames, frames, n * sizeof(*p.frames));
	p.hi = frames[0].key;
	p.lo = frames[n - 1].key;
	memmove(&st->parked[at + 1], &st->parked[at],
		(st->nparked - at) * sizeof(*st->parked));
	st->parked[at] = p;
	st->nparked++;
	st->parked_frames += n;
	s->frames += n;
}

/* Frames above and below another group are two groups. Without room, frames are
 * dropped. */
static void park(struct gn_stacks *st, struct gn_stage *s,
		 const struct gn_frame *frames, uint32_t n, uint64_t clock)
{
	uint32_t at, run;

	if (n > PARKED_FRAMES)
		return;
	if (st->parked_frames + n > PARKED_FRAMES ||
	    st->nparked >= GN_STACKS_MAX)
		gn_parked_forget(st, s);
	for (; n; frames += run, n -= run) {
		at = find(st, frames[0].key);
		if (at < st->nparked && st->parked[at].lo <= frames[0].key)
			remove_at(st, s, at);
		for (run = 1; run < n; run++)
			if (at && frames[run].key <= st->parked[at - 1].hi)
				break;
		insert(st, s, at, frames, run, clock);
	}
}

void gn_stack_unwind(struct gn_stacks *st, struct gn_stage *s,
		     struct gn_stack *k, uint64_t key)
{
	uint32_t to = k->n;

	while (to && k->frames[to - 1].key < key)
		to--;
	if (to == k->n)
		return;
	if (k->hi)
		park(st, s, &k->frames[to], k->n - to, k->clock);
	while (k->n > to)
		gn_stack_pop(st, s, k, GN_END_UNWOUND);
}

/* Keeps the first `n` frames of a group. */
static void shorten(struct gn_stacks *st, struct gn_stage *s, uint32_t at,
		    uint32_t n)
{
	struct gn_parked *p = &st->parked[at];

	if (!n) {
		remove_at(st, s, at);
		return;
	}
	st->parked_frames -= p->n - n;
	s->frames -= p->n - n;
	p->n = n;
	p->lo = p->frames[n - 1].key;
}

/* Frames below may be on another stack than those above. */
void gn_parked_overwrite(struct gn_stacks *st, struct gn_stage *s, uint64_t key)
{
	uint32_t at = find(st, key), above, below;
	const struct gn_parked *p;

	if (at == st->nparked || st->parked[at].lo > key)
		return;
	p = &st->parked[at];
	for (below = p->n; below && p->frames[below - 1].key < key;)
		below--;
	for (above = below; above && p->frames[above - 1].key == key;)
		above--;
	if (below < p->n)
		insert(st, s, at, &p->frames[below], p->n - below, p->clock);
	/* if there was no room for the frames below, they are dropped, too */
	at = find(st, key);
	shorten(st, s, at, above);
}

struct gn_stack *gn_stacks_parts(struct gn_stacks *st, uint64_t lo, uint64_t hi)
{
	uint32_t i, from = gn_stacks_find(st, lo), to = from;
	struct gn_stack *last = NULL;
	bool parts = false;

	for (; to < st->nmapped && st->mapped[to]->lo < hi; to++)
		parts |= st->mapped[to]->part;
	if (!parts)
		return NULL;
	st->mapped[from]->lo = lo;
	st->mapped[to - 1]->hi = hi;
	for (i = from; i < to; i++) {
		struct gn_stack *k = st->mapped[i];

		k->end = hi;
		k->part = true;
		if (!last || k->used > last->used)
			last = k;
	}
	return last;
}

/* Whether a leave has a frame on the stack, or a pending one. */
static bool has_frame(const struct gn_stack *k, uint64_t key, uint32_t func)
{
	uint32_t i = k->n;

	while (i && k->frames[i - 1].key < key)
		i--;
	if (i && k->frames[i - 1].key == key && k->frames[i - 1].func == func)
		return true;
	return gn_pending_has(k, key, func);
}

/* Puts the first `n` frames of a parked group back on a stack without frames.
 * They keep their age, and no frame is below them. */
static int resume(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		  const struct gn_parked *p, uint32_t n)
{
	uint32_t node = st->root;
	int err = gn_stack_grow(s, k, n);

	while (!err && k->n < n) {
		struct gn_frame *f = &k->frames[k->n];
		struct gn_node *old;

		*f = p->frames[k->n];
		err = gn_tree_child(&s->tree, node, s->tree.nodes[f->node].fn,
				    &node);
		if (err)
			break;
		if (!(f->flags & GN_FRAME_INHERITED)) {
			old = &s->tree.nodes[f->node];
			old->unwound--;
			old->calls--;
			s->tree.nodes[node].calls++;
			s->checks.unwound_frames--;
			st->unwound--;
		}
		f->start += k->clock - p->clock;
		f->node = node;
		k->n++;
		gn_walk_enter(s, k, s->tree.nodes[node].fn, GN_BEGIN_AGAIN);
	}
	return err;
}

/* Splits the stack between `top`, where the outermost resting frame is, and
 * `above`, where the innermost frame above is. Returns the new lower part. */
static struct gn_stack *make_part(struct gn_stacks *st, struct gn_stack *k,
				  uint64_t top, uint64_t above)
{
	uint64_t gap = (above - top) / MARGIN_PART, lo = k->lo, end = k->end;
	uint64_t border = top + (gap < MARGIN ? gap : MARGIN);
	struct gn_stack *below;

	if (border <= lo || border >= k->hi || st->nmapped >= GN_STACKS_MAX)
		return NULL;
	k->lo = border;
	k->part = true;
	below = gn_stacks_add(st, lo, border);
	if (!below) {
		k->lo = lo;
		return NULL;
	}
	below->end = end;
	below->part = true;
	below->used = ++st->switches;
	return below;
}

/* Resumes the first `n` frames of a parked group. The frames that they called
 * stay parked: they may be on another stack. */
static int wake(struct gn_stacks *st, struct gn_stage *s, struct gn_stack *k,
		const struct gn_parked *p, uint32_t n)
{
	uint64_t above;
	uint32_t at;
	int err;

	gn_stack_unwind(st, s, k, p->hi + 1);
	if (k->n) {
		above = k->frames[k->n - 1].key;
		at = find(st, p->hi);
		if (at < st->nparked && st->parked[at].lo < above)
			above = st->parked[at].lo;
		k = make_part(st, k, p->hi, above);
	}
	if (!k)
		return 0;
	s->checks.late_stacks++;
	err = resume(st, s, k, p, n);
	st->next = k;
	park(st, s, &p->frames[n], p->n - n, p->clock);
	return err;
}

/* If a leave's frame is parked, resumes its stack. */
static int take_parked(struct gn_stacks *st, struct gn_stage *s,
		       struct gn_stack *k, uint64_t key, uint32_t func)
{
	uint32_t n, at = find(st, key);
	struct gn_parked p;
	int err;

	if (at == st->nparked || st->parked[at].lo > key)
		return 0;
	p = st->parked[at];
	for (n = p.n; n && p.frames[n - 1].key < key;)
		n--;
	if (!n || p.frames[n - 1].key != key || p.frames[n - 1].func != func)
		return 0;
	st->parked[at].frames = NULL;
	remove_at(st, s, at);
	err = wake(st, s, k, &p, n);
	free(p.frames);
	return err;
}

int gn_stacks_place(struct gn_stacks *st, struct gn_stage *s, uint64_t key,
		    uint32_t func)
{
	struct gn_stack *k = st->next;
	uint32_t at;

	if (gn_stack_is_outside(k, key)) {
		at = gn_stacks_find(st, key - 1);
		if (at < st->nmapped && st->mapped[at]->part &&
		    st->mapped[at]->end == k->end)
			k = st->next = st->mapped[at];
	}
	if (!st->nparked || !func || !k->hi || has_frame(k, key, func))
		return 0;
	return take_parked(st, s, k, key, func);
}
