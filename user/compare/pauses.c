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

/* It is not known when the thread's activities ended. */
static int gap(void *ctx, uint32_t thread, uint64_t start, uint64_t end_time)
{
	struct gn_pauses *p = ctx;

	(void)start;
	(void)end_time;
	if (thread < p->n)
		p->threads[thread] = (struct gn_pause){.depth = {0}};
	return 0;
}

void gn_pauses_init(struct gn_pauses *p)
{
	*p = (struct gn_pauses){
		.observer = {.ctx = p, .gap = gap, .begin = begin, .end = end},
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
