// SPDX-License-Identifier: BSD-2-Clause
#include "model/starved.h"

#include <errno.h>
#include <stdlib.h>

#include "model/mem.h"
#include "model/threads.h"

/* A pool adds some workers at once, and then waits 25 ms or more before each:
 * those that come together are of one moment. */
#define APART_NS 20000000

/* A worker that was just woken, or is about to wait, does not wait. */
#define WORKING_ONE_IN 10

void gn_starved_free(struct gn_starved *s)
{
	free(s->moments);
	*s = (struct gn_starved){0};
}

int gn_starved_made(struct gn_pipeline *p, const struct gn_thread *creator,
		    uint64_t time)
{
	struct gn_starved *s = &p->starved;
	uint32_t last = s->n;

	if (creator->role != GN_ROLE_GATE || p->opts.live ||
	    s->n >= GN_MOMENTS_MAX)
		return 0;
	while (last && s->moments[last - 1].process != creator->process)
		last--;
	if (last && time < s->moments[last - 1].time + APART_NS)
		return 0;
	/* records of several threads can be somewhat out of order */
	if (s->n && time < s->moments[s->n - 1].time)
		return 0;
	if (gn_grow(&s->moments, &s->cap, (size_t)s->n + 1,
		    sizeof(*s->moments)))
		return -ENOMEM;
	s->moments[s->n++] = (struct gn_moment){
		.time = time,
		.process = creator->process,
	};
	return 0;
}

static bool is_wait(enum gn_class class)
{
	return class != GN_CLASS_RUNQUEUE && class != GN_CLASS_SUSPEND &&
	       class != GN_CLASS_UNCLASSIFIED && !gn_class_on_cpu(class);
}

uint64_t gn_starved_waited(struct gn_pipeline *p, const struct gn_thread *t,
			   enum gn_class class, uint64_t start, uint64_t end)
{
	struct gn_starved *s = &p->starved;
	uint64_t found = 0;

	if (t->role != GN_ROLE_WORKER || !is_wait(class))
		return 0;
	for (uint32_t i = s->n; i && s->moments[i - 1].time > start; i--) {
		struct gn_moment *m = &s->moments[i - 1];

		if (m->process != t->process || m->time >= end)
			continue;
		m->waiting++;
		found++;
	}
	return found;
}

void gn_starved_lived(struct gn_pipeline *p, const struct gn_thread *t)
{
	struct gn_starved *s = &p->starved;

	if (t->role != GN_ROLE_WORKER)
		return;
	for (uint32_t i = s->n; i && s->moments[i - 1].time > t->start; i--)
		if (s->moments[i - 1].process == t->process &&
		    s->moments[i - 1].time < t->end)
			s->moments[i - 1].workers++;
}

/* Whether nearly all workers waited. */
static bool starved(const struct gn_moment *m)
{
	uint32_t waiting = m->waiting < m->workers ? m->waiting : m->workers;

	return waiting && (m->workers - waiting) <= waiting / WORKING_ONE_IN;
}

void gn_starved_build(const struct gn_pipeline *p,
		      struct gn_model_starvation *out)
{
	const struct gn_starved *s = &p->starved;

	*out = (struct gn_model_starvation){.all = s->n};
	for (uint32_t i = 0; i < s->n; i++) {
		const struct gn_moment *m = &s->moments[i];

		if (!starved(m))
			continue;
		out->moments++;
		if (m->workers > out->workers)
			out->workers = m->workers;
	}
}
