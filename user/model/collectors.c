// SPDX-License-Identifier: BSD-2-Clause
#include "model/collectors.h"

#include "model/mem.h"
#include "model/threads.h"

static uint32_t last_of(const struct gn_collectors_sum *sum)
{
	return sum->marks ? sum->marks - 1 : GN_NONE;
}

int gn_collectors_mark(struct gn_pipeline *p, const struct gn_thread *t,
		       uint64_t time, uint32_t *mark)
{
	struct gn_collectors_sum *sum = &p->processes[t->process].collectors;
	struct gn_collectors *c = &p->events.collectors;
	int err =
		gn_grow(&c->mark, &c->cap, (size_t)c->n + 1, sizeof(*c->mark));

	if (err)
		return err;
	*mark = c->n++;
	c->mark[*mark] = (struct gn_collectors_mark){.time = time,
						     .cpu = sum->cpu,
						     .epoch = sum->losses + 1,
						     .before = last_of(sum)};
	sum->marks = c->n;
	return 0;
}

/* Returns mark *i if it is later than `time`, and moves *i to the one before
 * it. */
static struct gn_collectors_mark *step_back(struct gn_pipeline *p, uint32_t *i,
					    uint64_t time)
{
	struct gn_collectors_mark *m;

	if (*i == GN_NONE)
		return NULL;
	m = &p->events.collectors.mark[*i];
	*i = m->before;
	return m->time > time ? m : NULL;
}

void gn_collectors_ran(struct gn_pipeline *p, const struct gn_thread *t,
		       uint64_t from, uint64_t to)
{
	struct gn_collectors_sum *sum = &p->processes[t->process].collectors;
	struct gn_collectors_mark *m;
	uint32_t i = last_of(sum);

	if (from >= to)
		return;
	sum->cpu += to - from;
	while ((m = step_back(p, &i, from)))
		m->cpu += (m->time < to ? m->time : to) - from;
}

void gn_collectors_lost(struct gn_pipeline *p, const struct gn_thread *t,
			uint64_t from)
{
	struct gn_collectors_sum *sum = &p->processes[t->process].collectors;
	struct gn_collectors_mark *m;
	uint32_t i = last_of(sum);

	sum->losses++;
	while ((m = step_back(p, &i, from)))
		m->epoch = 0;
}

bool gn_collectors_between(const struct gn_collectors *c, uint32_t from,
			   uint32_t to, uint64_t *cpu)
{
	const struct gn_collectors_mark *a = &c->mark[from];
	const struct gn_collectors_mark *b = &c->mark[to];

	*cpu = b->cpu - a->cpu;
	return a->epoch && a->epoch == b->epoch && b->cpu >= a->cpu;
}
