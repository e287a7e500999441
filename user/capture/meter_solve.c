/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes what hits cost from the times of their records. */
#include "capture/meter.h"

#include <math.h>
#include <stdlib.h>

/* Longer pauses, such as those of a virtual machine, are too rare for an
 * average. */
#define INTERRUPT_MOST 16

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Dropping a fixed share of the largest values would add a bias: where the pace
 * changes, large values are no exceptions. */
unsigned int gn_meter_undisturbed(const uint64_t *ns, unsigned int n)
{
	unsigned int i = 0;

	while (i < n && ns[i] <= 2 * ns[n / 2])
		i++;
	return i;
}

double gn_meter_mean(uint64_t *ns, unsigned int n, uint32_t *spread)
{
	unsigned int most;
	double sum = 0;

	qsort(ns, n, sizeof(*ns), compare);
	most = gn_meter_undisturbed(ns, n);
	for (unsigned int i = 0; i < most; i++)
		sum += (double)ns[i];
	if (spread)
		*spread = (uint32_t)((ns[n * 3 / 4] - ns[n / 4] + 1) / 2);
	return sum / most;
}

struct solver {
	const struct gn_meter_call *calls;
	unsigned int n;
	double work;
	struct gn_meter_interrupts *interrupts;
};

/* Adds the time by which outliers exceed the mean. `ns` is sorted. */
static void add_interrupts(struct gn_meter_interrupts *to, const uint64_t *ns,
			   unsigned int n, double mean)
{
	for (unsigned int i = 0; i < n; i++) {
		bool longer = ns[i] > 2 * ns[n / 2];

		if (ns[i] > INTERRUPT_MOST * ns[n / 2])
			return;
		to->n += longer;
		to->taken += longer ? (double)ns[i] - mean : 0;
		to->of += mean;
	}
}

/* The mean time between record `i` of a call and the next, less the work. */
static double between(const struct solver *s, unsigned int i, uint32_t *spread)
{
	uint64_t ns[GN_METER_CALLS];
	double mean;

	for (unsigned int k = 0; k < s->n; k++)
		ns[k] = s->calls[k].at[i + 1] - s->calls[k].at[i];
	mean = gn_meter_mean(ns, s->n, spread);
	add_interrupts(s->interrupts, ns, s->n, mean);
	return mean > s->work ? mean - s->work : 0;
}

/* The mean of between() for records `i`, `i` + 2 and so on below `end`. */
static double each(const struct solver *s, unsigned int i, unsigned int end)
{
	unsigned int count = 0;
	double sum = 0;

	for (; i < end; i += 2, count++)
		sum += between(s, i, NULL);
	return sum / count;
}

double gn_meter_inner(const struct gn_meter_call *calls, unsigned int n,
		      double work)
{
	struct gn_meter_interrupts ignored = {0};
	struct solver s = {calls, n, work, &ignored};

	return each(&s, 1, GN_METER_RECORDS - 2);
}

static uint32_t whole(double ns)
{
	return ns > 0 ? (uint32_t)(ns + 0.5) : 0;
}

static void add_share(struct gn_rec_cost *c,
		      const struct gn_meter_interrupts *i)
{
	double share = i->n ? i->taken / i->of : 0;
	double ns = share * ((double)c->before_ns + c->after_ns);

	c->before_ns = whole(c->before_ns * (1 + share));
	c->after_ns = whole(c->after_ns * (1 + share));
	/* a count of n random interrupts has an error of sqrt(n) */
	if (i->n)
		c->spread_ns += whole(ns / sqrt(i->n));
}

static uint32_t part(uint32_t one, uint32_t other, uint32_t less)
{
	return whole((double)one + other - less);
}

void gn_meter_join(const struct gn_rec_cost *stepped,
		   const struct gn_rec_cost *call,
		   const struct gn_rec_cost *neither, struct gn_rec_cost *both)
{
	*both = *stepped;
	both->before_ns =
		part(stepped->before_ns, call->before_ns, neither->before_ns);
	both->after_ns =
		part(stepped->after_ns, call->after_ns, neither->after_ns);
	both->spread_ns = stepped->spread_ns + call->spread_ns;
}

/*
 * Solves four sums, one for each order of enter and leave. They do not show how
 * much of the cost is before a record and how much after it. The clock reading
 * before the first enter shows the part before it. The split matters only where
 * an interval does not end at a probe.
 */
bool gn_meter_solve(const struct gn_meter_call *calls, unsigned int n,
		    uint64_t clock, double work,
		    struct gn_meter_interrupts *interrupts,
		    struct gn_rec_cost *enter, struct gn_rec_cost *leave)
{
	struct solver s = {calls, n, work, interrupts};
	double ee, el, le, ll, before, turn;
	uint64_t first[GN_METER_CALLS];

	if (n < 4 || n > GN_METER_CALLS)
		return false;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t ns = calls[k].at[0] - calls[k].before;

		if (calls[k].at[0] < calls[k].before)
			return false;
		first[k] = ns > clock ? ns - clock : 0;
	}
	before = gn_meter_mean(first, n, NULL);
	ee = between(&s, 0, &enter->spread_ns);
	el = each(&s, 1, GN_METER_RECORDS - 2);
	le = each(&s, 2, GN_METER_RECORDS - 2);
	ll = between(&s, GN_METER_RECORDS - 2, &leave->spread_ns);
	turn = (el + le - ee - ll) / 2;
	if (before > ee)
		before = ee;
	enter->before_ns = whole(before);
	enter->after_ns = whole(ee - before);
	leave->before_ns = whole(el - turn - (ee - before));
	leave->after_ns = whole(ll - leave->before_ns);
	enter->turn_ns = leave->turn_ns = (int32_t)turn;
	enter->samples = leave->samples = n;
	add_share(enter, interrupts);
	add_share(leave, interrupts);
	return true;
}
