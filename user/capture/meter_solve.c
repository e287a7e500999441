/* SPDX-License-Identifier: BSD-2-Clause */
/* What hits cost, from the times of their records. */
#include "capture/meter.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* To drop a fixed share of the largest values would be biased: where the pace
 * changes they are not exceptions. */
double gn_meter_mean(uint64_t *ns, unsigned int n, uint32_t *spread)
{
	unsigned int most = 0;
	double sum = 0;

	qsort(ns, n, sizeof(*ns), compare);
	while (most < n && ns[most] <= 2 * ns[n / 2])
		sum += (double)ns[most++];
	if (spread)
		*spread = (uint32_t)((ns[n * 3 / 4] - ns[n / 4] + 1) / 2);
	return sum / most;
}

/* The mean time between record `i` of a call and the next, less the work. */
static double between(const struct gn_meter_call *calls, unsigned int n,
		      unsigned int i, double work, uint32_t *spread)
{
	uint64_t ns[GN_METER_CALLS];
	double rest;

	for (unsigned int k = 0; k < n; k++)
		ns[k] = calls[k].at[i + 1] - calls[k].at[i];
	rest = gn_meter_mean(ns, n, spread) - work;
	return rest > 0 ? rest : 0;
}

/* The same of records `i`, `i` + 2 and so on below `end`. */
static double each(const struct gn_meter_call *calls, unsigned int n,
		   unsigned int i, unsigned int end, double work)
{
	unsigned int count = 0;
	double sum = 0;

	for (; i < end; i += 2, count++)
		sum += between(calls, n, i, work, NULL);
	return sum / count;
}

static uint32_t whole(double ns)
{
	return ns > 0 ? (uint32_t)(ns + 0.5) : 0;
}

/*
 * Solves four sums. They leave open how much of the cost is before and how much
 * after a record. The clock reading before the first enter shows how much is
 * before it. The split matters only where an interval ends otherwise than by a
 * probe.
 */
bool gn_meter_solve(const struct gn_meter_call *calls, unsigned int n,
		    uint64_t clock, double work, struct gn_rec_cost *enter,
		    struct gn_rec_cost *leave)
{
	double ee, el, le, ll, before, turn;
	uint64_t first[GN_METER_CALLS];

	if (n > GN_METER_CALLS)
		n = GN_METER_CALLS;
	if (n < 4)
		return false;
	for (unsigned int k = 0; k < n; k++) {
		uint64_t ns = calls[k].at[0] - calls[k].before;

		first[k] = ns > clock ? ns - clock : 0;
	}
	before = gn_meter_mean(first, n, NULL);
	ee = between(calls, n, 0, work, &enter->spread_ns);
	el = each(calls, n, 1, GN_METER_RECORDS - 2, work);
	le = each(calls, n, 2, GN_METER_RECORDS - 2, work);
	ll = between(calls, n, GN_METER_RECORDS - 2, work, &leave->spread_ns);
	turn = (el + le - ee - ll) / 2;
	if (before > ee)
		before = ee;
	enter->before_ns = whole(before);
	enter->after_ns = whole(ee - before);
	leave->before_ns = whole(el - turn - (ee - before));
	leave->after_ns = whole(ll - leave->before_ns);
	enter->turn_ns = leave->turn_ns = (int32_t)turn;
	enter->samples = leave->samples = n;
	return true;
}
