// SPDX-License-Identifier: BSD-2-Clause
#include "output/gauge.h"

#define FIRST_LENGTH 1024

/* Merges each two spans into one. An edge in the first affects the whole of the
 * second. */
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

static void edge(struct gn_gauge *g, uint64_t time, int by)
{
	uint64_t at;

	if (!g->length) {
		g->origin = time;
		g->length = FIRST_LENGTH;
	}
	at = time > g->origin ? time - g->origin : 0;
	while (at / g->length >= GN_GAUGE_SPANS)
		fold(g);
	g->step[at / g->length] += by;
	g->part[at / g->length] += by * (double)(g->length - at % g->length);
}

void gn_gauges_begin(struct gn_gauges *g, uint64_t time)
{
	edge(&g->running, time, 0);
	edge(&g->runnable, time, 0);
}

void gn_gauges_thread(struct gn_gauges *g, uint64_t start, uint64_t end)
{
	edge(&g->running, start, 1);
	edge(&g->running, end, -1);
}

void gn_gauges_slice(struct gn_gauges *g, const struct gn_seen_slice *s)
{
	if (gn_class_on_cpu((enum gn_class)s->class))
		return;
	edge(&g->running, s->start, -1);
	edge(&g->running, s->end, 1);
	if (gn_class_where((enum gn_class)s->class) != GN_RUNNABLE)
		return;
	edge(&g->runnable, s->start, 1);
	edge(&g->runnable, s->end, -1);
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
