/* SPDX-License-Identifier: BSD-2-Clause */
#include "series.h"

#include <stdlib.h>
#include <string.h>

void series_add(struct series *s, double value)
{
	if (s->n < SERIES_MAX)
		s->value[s->n++] = value;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double series_at(const struct series *s, double part)
{
	double sorted[SERIES_MAX];
	double at;
	size_t below;

	if (!s->n)
		return 0;
	memcpy(sorted, s->value, s->n * sizeof(*sorted));
	qsort(sorted, s->n, sizeof(*sorted), by_value);
	at = part * (double)(s->n - 1);
	below = (size_t)at;
	if (below + 1 >= s->n)
		return sorted[s->n - 1];
	return sorted[below] +
	       (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double series_median(const struct series *s)
{
	return series_at(s, 0.5);
}
