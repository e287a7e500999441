/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Periods in the text exposition format 0.0.4 of Prometheus, as for the
 * textfile collector of node_exporter. Metrics whose names end in _total only
 * grow, from 0 at the start of the session: they are summed here, period by
 * period. Units are seconds and bytes.
 *
 * The number of series is bounded, whatever is traced:
 *   - a thread's time is summed by process and thread name. The first
 *     GN_TOP_PROM_THREADS pairs with any time get labels of their own and keep
 *     them; all others are {pid="(other)",comm="(other)"}.
 *   - a function gets labels of its own, and keeps them, when its exclusive
 *     time reaches one per cent of a period's length and fewer than
 *     GN_TOP_PROM_FUNCTIONS have some; in one period those with the most time
 *     come first. Its counters begin with that period; its time before, and
 *     all functions without labels, are {function="(other)",
 *     module="(other)"}. So the sums over all series are the sums over all
 *     periods.
 * Label values are always UTF-8: a byte that is not part of a character, and a
 * character that does not print, become the text \xNN or \u{N}.
 */
#ifndef GNOMON_TOP_PROM_H
#define GNOMON_TOP_PROM_H

#include <stdio.h>

#include "top/top.h"

#define GN_TOP_PROM_THREADS   200
#define GN_TOP_PROM_FUNCTIONS 100

struct gn_top_prom;

/* NULL: no memory. */
struct gn_top_prom *gn_top_prom_new(void);
void gn_top_prom_free(struct gn_top_prom *t);

/* Adds a period: call it once for each, in order, whether or not it is written.
 * It keeps no references to the period. A name for which there is no memory
 * counts as one of the others. */
void gn_top_prom_add(struct gn_top_prom *t, const struct gn_top_period *p);

/* Writes a whole file and flushes it: the sums, and the values of the last
 * period. 0, -errno of the stream. The caller makes sure that readers never see
 * a part of it. */
int gn_top_prom_write(const struct gn_top_prom *t, FILE *f);

#endif
