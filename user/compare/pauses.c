/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/pauses.h"

#include <stdlib.h>

#include "model/mem.h"

static int begin(void *ctx, const struct gn_seen *at,
		 enum gn_activity_kind what, uint32_t fn)
{
	struct gn_pauses *p = ctx;
	struct gn_pause *t;
	int err = gn_grow_to(&p->threads, &p->n, &p->cap, at->thread,
			     sizeof(*p->threads));

	(void)fn;
	if (err)
		return err;
	t = &p->threads[at->thread];
	if (!t->depth[what]++)
		t->start[what] = at->time;
	return 0;
}

static int end(void *ctx, const struct gn_seen *at, enum gn_activity_kind what)
{
	struct gn_pauses *p = ctx;
	struct gn_pause *t;

	if (at->thread >= p->n)
		return 0;
	t = &p->threads[at->thread];
	if (!t->depth[what] || --t->depth[what])
		return 0;
	if (at->time - t->start[what] > p->longest[what])
		p->longest[what] = at->time - t->start[what];
	return 0;
}

/* What else happens. */
static int function(void *ctx, const struct gn_seen_function *f)
{
	(void)ctx;
	(void)f;
	return 0;
}

static int thread(void *ctx, const struct gn_seen_thread *t)
{
	(void)ctx;
	(void)t;
	return 0;
}

static int stretch(void *ctx, uint32_t thread, uint64_t start, uint64_t end)
{
	(void)ctx;
	(void)thread;
	(void)start;
	(void)end;
	return 0;
}

static int enter(void *ctx, const struct gn_seen *at, uint32_t fn,
		 enum gn_frame_begin how)
{
	(void)ctx;
	(void)at;
	(void)fn;
	(void)how;
	return 0;
}

static int leave(void *ctx, const struct gn_seen *at, enum gn_frame_end how)
{
	(void)ctx;
	(void)at;
	(void)how;
	return 0;
}

static int slice(void *ctx, const struct gn_seen_slice *s)
{
	(void)ctx;
	(void)s;
	return 0;
}

void gn_pauses_init(struct gn_pauses *p)
{
	*p = (struct gn_pauses){
		.observer = {.ctx = p,
			     .function = function,
			     .thread = thread,
			     .thread_end = stretch,
			     .enter = enter,
			     .leave = leave,
			     .slice = slice,
			     .gap = stretch,
			     .begin = begin,
			     .end = end},
	};
}

void gn_pauses_free(struct gn_pauses *p)
{
	free(p->threads);
}

uint64_t gn_pauses_longest(const struct gn_pauses *p)
{
	return p->longest[GN_DOES_SUSPEND] ? p->longest[GN_DOES_SUSPEND]
					   : p->longest[GN_DOES_GC];
}
