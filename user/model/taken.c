// SPDX-License-Identifier: BSD-2-Clause
#include "model/taken.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/mem.h"
#include "model/threads.h"

#define SPANS	    4096
#define WIDTH_FIRST 10000000
/* The gate of .NET's pool looks twice a second whether work is taken. */
#define NOTICED_NS 500000000

/* Time of its workers in each span, ns. Idle ones that neither began nor ended
 * to be so in the span are parked: the pool keeps them back to find out whether
 * fewer do more, even if work is queued. */
struct gn_taken_pool {
	uint32_t process; /* index in processes */
	uint64_t lived[SPANS], waited[SPANS], idle[SPANS], parked[SPANS];
};

void gn_taken_free(struct gn_taken *k)
{
	free(k->pools);
	*k = (struct gn_taken){0};
}

static void halve(uint64_t *spans)
{
	for (int i = 0; i < SPANS / 2; i++)
		spans[i] = spans[2 * i] + spans[2 * i + 1];
	memset(spans + SPANS / 2, 0, SPANS / 2 * sizeof(*spans));
}

/* Makes spans wide enough to reach `end`. */
static void reach(struct gn_taken *k, uint64_t end)
{
	while ((end - k->origin) / k->width >= SPANS) {
		for (uint32_t i = 0; i < k->n; i++) {
			halve(k->pools[i].lived);
			halve(k->pools[i].waited);
			halve(k->pools[i].idle);
			halve(k->pools[i].parked);
		}
		k->width *= 2;
	}
}

/* Adds what fills a span to `full`, and other parts to `spans`. What was before
 * the first time is not seen. */
static void add(struct gn_taken *k, uint64_t *spans, uint64_t *full,
		uint64_t start, uint64_t end)
{
	uint64_t from = start < k->origin ? 0 : start - k->origin;
	uint64_t to = end < k->origin ? 0 : end - k->origin;

	while (from < to) {
		uint64_t i = from / k->width, next = (i + 1) * k->width;

		/* beyond the last span there can be no number */
		if (next > to || next < from)
			next = to;
		(next - from == k->width ? full : spans)[i] += next - from;
		from = next;
	}
}

/* The pool of the thread's process; *out is NULL if it is not watched. 0 or
 * -ENOMEM. */
static int find(struct gn_pipeline *p, const struct gn_thread *t, uint64_t end,
		struct gn_taken_pool **out)
{
	struct gn_taken *k = &p->taken;
	uint32_t i = 0;

	*out = NULL;
	if (t->role != GN_ROLE_WORKER || p->opts.live)
		return 0;
	if (!k->width) {
		k->width = WIDTH_FIRST;
		k->origin = t->start;
	}
	if (end < k->origin)
		return 0;
	reach(k, end);
	while (i < k->n && k->pools[i].process != t->process)
		i++;
	if (i == GN_POOLS_MAX)
		return 0;
	if (i == k->n) {
		if (gn_grow(&k->pools, &k->cap, (size_t)i + 1,
			    sizeof(*k->pools)))
			return -ENOMEM;
		memset(&k->pools[i], 0, sizeof(k->pools[i]));
		k->pools[i].process = t->process;
		k->n++;
	}
	*out = &k->pools[i];
	return 0;
}

/* The frames of the pool's own loop, of which the innermost is idle by its
 * role, are among the first ones. */
#define LOOP_FRAMES 16

/* Whether the thread's piece of work, the outermost call within the pool's
 * loop, began so late that the pool saw it taken: no loop that goes on. */
static bool is_short(const struct gn_pipeline *p, const struct gn_thread *t,
		     uint64_t now)
{
	const struct gn_stack *k = gn_stacks_current(&t->stacks);
	uint64_t since = t->account.since;
	uint32_t work = 0;

	for (uint32_t i = 0; i < k->n && i < LOOP_FRAMES; i++) {
		uint32_t fn = p->stage.tree.nodes[k->frames[i].node].fn;

		if (p->stage.names.fns[fn].role == GN_ROLE_IDLE)
			work = i + 1;
	}
	/* the stack's clock is that of the last record */
	return work < k->n && k->clock - k->frames[work].start +
					      (now > since ? now - since : 0) <
				      NOTICED_NS;
}

int gn_taken_waited(struct gn_pipeline *p, const struct gn_thread *t,
		    enum gn_class class, bool idle, uint64_t start,
		    uint64_t end, uint64_t *ns)
{
	struct gn_taken_pool *pool;
	int err;

	*ns = 0;
	if (!gn_class_waits(class) || class == GN_CLASS_SUSPEND)
		return 0;
	err = find(p, t, end, &pool);
	if (err || !pool)
		return err;
	if (idle || !gn_stacks_current(&t->stacks)->n) {
		add(&p->taken, pool->idle, pool->parked, start, end);
	} else if (end - start < NOTICED_NS && is_short(p, t, end)) {
		add(&p->taken, pool->waited, pool->waited, start, end);
		*ns = end - start;
	}
	return 0;
}

int gn_taken_lived(struct gn_pipeline *p, const struct gn_thread *t)
{
	struct gn_taken_pool *pool;
	int err = find(p, t, t->end, &pool);

	if (pool)
		add(&p->taken, pool->lived, pool->lived, t->start, t->end);
	return err;
}

/* The time of the span's workers that are not parked. */
static uint64_t worked(const struct gn_taken_pool *pool, int i)
{
	return pool->lived[i] - pool->parked[i];
}

/* Whether the pool had two workers or more in the span, and all were taken. */
static bool taken(const struct gn_taken_pool *pool, int i, uint64_t width)
{
	return pool->lived[i] >= pool->parked[i] + 2 * width &&
	       !pool->idle[i] && pool->waited[i] >= worked(pool, i) / 2;
}

void gn_taken_build(const struct gn_pipeline *p,
		    struct gn_model_starvation *out)
{
	const struct gn_taken *k = &p->taken;

	for (uint32_t n = 0; n < k->n; n++) {
		const struct gn_taken_pool *pool = &k->pools[n];
		uint64_t ns = 0, workers = 0;

		for (int i = 0; i < SPANS; i++) {
			if (!taken(pool, i, k->width))
				continue;
			ns += k->width;
			if (worked(pool, i) / k->width > workers)
				workers = worked(pool, i) / k->width;
		}
		if (ns <= out->taken_ns)
			continue;
		out->taken_ns = ns;
		out->taken_workers = workers;
	}
}
