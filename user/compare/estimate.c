/* SPDX-License-Identifier: BSD-2-Clause */
#include "compare/estimate.h"

#include <errno.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct gn_estimate gn_estimate_least(double *values, size_t n)
{
	struct gn_estimate e = {.n = n};

	if (!n)
		return e;
	qsort(values, n, sizeof(*values), by_value);
	e.value = values[0];
	e.noise = n > 1 ? values[1] - values[0] : 0;
	return e;
}

/* The value at a part of the sorted values, interpolated between two of
 * them. */
static double quantile(const double *values, size_t n, double part)
{
	double place = part * (double)(n - 1);
	size_t below = (size_t)place;

	if (below + 1 >= n)
		return values[n - 1];
	return values[below] +
	       (place - (double)below) * (values[below + 1] - values[below]);
}

struct gn_estimate gn_estimate_median(double *values, size_t n)
{
	struct gn_estimate e = {.n = n};

	if (!n)
		return e;
	qsort(values, n, sizeof(*values), by_value);
	e.value = quantile(values, n, 0.5);
	e.noise = (quantile(values, n, 0.75) - quantile(values, n, 0.25)) / 2;
	return e;
}

static bool least_is_best(int metric)
{
	int class = metric - GN_METRIC_CLASS;

	switch (metric) {
	case GN_METRIC_elapsed_incl:
	case GN_METRIC_elapsed_excl:
	case GN_METRIC_app_incl:
	case GN_METRIC_app_excl:
	case GN_METRIC_CLASS + GN_CLASS_SLEEP:
		return true;
	default:
		return class >= 0 && gn_class_on_cpu((enum gn_class) class);
	}
}

static double read_as(double value, const struct gn_measure *m,
		      const struct gn_measure *all, int metric,
		      enum gn_reading reading)
{
	uint64_t whole;

	switch (reading) {
	case GN_READ_PER_CALL:
		whole = m->value[GN_METRIC_calls];
		return whole ? value / (double)whole : 0;
	case GN_READ_SHARE:
		if (gn_metric_whole(metric) < 0)
			return 0;
		whole = all->value[gn_metric_whole(metric)];
		return whole ? 100 * value / (double)whole : 0;
	default:
		return value;
	}
}

/* By how much the cost of probes can make the value wrong. It is subtracted
 * from application time only. */
static uint64_t error_of(const struct gn_measure *m, enum gn_part part,
			 int metric)
{
	switch (metric) {
	case GN_METRIC_elapsed_excl:
	case GN_METRIC_app_excl:
		return m->error_excl;
	case GN_METRIC_elapsed_incl:
	case GN_METRIC_app_incl:
		return m->error_incl;
	case GN_METRIC_CLASS + GN_CLASS_APP:
		return part == GN_PART_FUNCTION || part == GN_PART_MODULE
			       ? m->error_excl
			       : m->error_incl;
	default:
		return 0;
	}
}

/* Whether a capture counts. If the item did not run, 0 is not its time, and
 * would be the least of all. For a median such a capture is like others in
 * which the value is 0. */
static bool says_it(const struct gn_measure *m, enum gn_reading reading,
		    bool least)
{
	if (reading == GN_READ_PER_CALL)
		return m->value[GN_METRIC_calls];
	return m->seen || !least;
}

int gn_estimate(const struct gn_comparison *c, const struct gn_item *item,
		enum gn_side side, int metric, enum gn_reading reading,
		bool median, struct gn_estimate *out)
{
	const struct gn_measure *runs = gn_item_runs(c, item, side);
	const struct gn_measure *all = gn_item_runs(c, c->items[0], side);
	/* a share goes up when its whole goes down */
	bool least =
		!median && reading != GN_READ_SHARE && least_is_best(metric);
	size_t n = c->runs[side], said = 0;
	/* the values, and then their errors */
	double *values = calloc(n ? 2 * n : 1, sizeof(*values));
	double *errors = values + n;

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t error = error_of(&runs[i], item->part, metric);

		if (!says_it(&runs[i], reading, least))
			continue;
		values[said] = read_as((double)runs[i].value[metric], &runs[i],
				       &all[i], metric, reading);
		errors[said++] = read_as((double)error, &runs[i], &all[i],
					 metric, reading);
	}
	/* an item in no capture is 0 in all of them */
	if (said)
		n = said;
	*out = least ? gn_estimate_least(values, n)
		     : gn_estimate_median(values, n);
	out->error = gn_estimate_median(errors, n).value;
	if (out->error <= out->value / 10)
		out->error = 0;
	free(values);
	return 0;
}
