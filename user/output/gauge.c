// SPDX-License-Identifier: BSD-2-Clause
#include "output/gauge.h"

#include <errno.h>
#include <stdlib.h>

#include "model/mem.h"

#define FIRST_LENGTH 1024

/* Merges each pair of spans. An edge in the first affects all of the second. */
static void fold(struct gn_gauge *g)
{
	int i;

	for (i = 0; i < GN_GAUGE_SPANS / 2; i++) {
		int a = 2 * i, b = a + 1;

		g->part[i] = g->part[a] + g->part[b] +
			     (double)g->step[a] * (double)g->length;
		g->step[i] = g->step[a] + g->step[b];
	}
	for (; i < GN_GAUGE_SPANS; i++) {
		g->part[i] = 0;
		g->step[i] = 0;
	}
	g->length *= 2;
}

static uint64_t since_origin(const struct gn_gauge *g, uint64_t time)
{
	return time > g->origin ? time - g->origin : 0;
}

static void put(struct gn_gauge *g, const struct gn_gauge_edges *e)
{
	uint64_t at;

	if (!g->length) {
		g->origin = e->time;
		g->length = FIRST_LENGTH;
	}
	at = since_origin(g, e->time);
	while (at / g->length >= GN_GAUGE_SPANS)
		fold(g);
	g->step[at / g->length] += e->step;
	g->part[at / g->length] +=
		(double)e->step * (double)(g->length - at % g->length) -
		e->moment;
}

static void edge(struct gn_gauge *g, uint64_t time, int by)
{
	put(g, &(struct gn_gauge_edges){.time = time, .step = by});
}

int gn_gauges_begin(struct gn_gauges *g, uint32_t thread, uint64_t time)
{
	edge(&g->running, time, 0);
	edge(&g->runnable, time, 0);
	return gn_grow_to(&g->threads, &g->nthreads, &g->threads_cap, thread,
			  sizeof(*g->threads));
}

void gn_gauges_thread(struct gn_gauges *g, uint32_t thread, uint64_t start,
		      uint64_t end)
{
	struct gn_gauge_thread *t = &g->threads[thread];

	edge(&g->running, start, 1);
	edge(&g->running, end, -1);
	free(t->edges);
	*t = (struct gn_gauge_thread){0};
}

/* Keeps an edge of a thread, in case a gap follows. Edges in one span are
 * merged. */
static int keep(const struct gn_gauge *g, struct gn_gauge_thread *t,
		uint64_t time, int by)
{
	struct gn_gauge_edges *e = t->n ? &t->edges[t->n - 1] : NULL;

	if (e && time >= e->time &&
	    since_origin(g, e->time) / g->length ==
		    since_origin(g, time) / g->length) {
		e->step += by;
		e->moment += by * (double)(time - e->time);
		return 0;
	}
	if (gn_grow(&t->edges, &t->cap, (size_t)t->n + 1, sizeof(*t->edges)))
		return -ENOMEM;
	t->edges[t->n++] = (struct gn_gauge_edges){.time = time, .step = by};
	return 0;
}

void gn_gauges_interval(struct gn_gauges *g, uint32_t thread)
{
	g->threads[thread].n = 0;
}

void gn_gauges_gap(struct gn_gauges *g, uint32_t thread, uint64_t start,
		   uint64_t end)
{
	struct gn_gauge_thread *t = &g->threads[thread];

	edge(&g->running, start, -1);
	edge(&g->running, end, 1);
	for (uint32_t i = 0; i < t->n; i++)
		if (t->edges[i].time >= start)
			put(&g->running, &t->edges[i]);
	t->n = 0;
	t->gap = end;
}

static int see_known(struct gn_gauges *g, const struct gn_seen_slice *s,
		     bool on_cpu)
{
	struct gn_gauge_thread *t = &g->threads[s->thread];
	uint64_t from = s->start > t->gap ? s->start : t->gap;
	uint64_t to = s->end > from ? s->end : from;
	int err;

	if (!on_cpu) {
		edge(&g->running, from, -1);
		edge(&g->running, to, 1);
	} else if (s->start < t->gap) {
		edge(&g->running, s->start, 1);
		edge(&g->running, s->end < t->gap ? s->end : t->gap, -1);
	}
	err = keep(&g->running, t, from, 1);
	return err ? err : keep(&g->running, t, to, -1);
}

int gn_gauges_slice(struct gn_gauges *g, const struct gn_seen_slice *s)
{
	enum gn_class class = (enum gn_class)s->class;

	if (gn_class_where(class) == GN_RUNNABLE) {
		edge(&g->runnable, s->start, 1);
		edge(&g->runnable, s->end, -1);
	}
	return see_known(g, s, gn_class_on_cpu(class));
}

void gn_gauges_free(struct gn_gauges *g)
{
	for (uint32_t i = 0; i < g->nthreads; i++)
		free(g->threads[i].edges);
	free(g->threads);
}

static int each(const struct gn_gauge *g, const char *name,
		int (*put)(void *ctx, const char *name, uint64_t time,
			   double value),
		void *ctx)
{
	double value, last = 0;
	int64_t level = 0;
	int i, err = 0;

	for (i = 0; g->length && i < GN_GAUGE_SPANS && !err; i++) {
		value = (double)level + g->part[i] / (double)g->length;
		if (value != last)
			err = put(ctx, name,
				  g->origin + (uint64_t)i * g->length, value);
		last = value;
		level += g->step[i];
	}
	return err;
}

int gn_gauges_each(const struct gn_gauges *g,
		   int (*put)(void *ctx, const char *name, uint64_t time,
			      double value),
		   void *ctx)
{
	int err = each(&g->running, "threads on a CPU", put, ctx);

	return err ? err
		   : each(&g->runnable, "threads waiting for a CPU", put, ctx);
}
