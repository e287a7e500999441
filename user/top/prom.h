/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Periods as Prometheus reads them (text exposition format 0.0.4, as the
 * textfile collector of node_exporter takes it). Metrics whose names end in
 * _total only grow, from 0 at the start of the session: they are summed here,
 * period by period. Seconds and bytes.
 *
 * The number of series is bounded, whatever is traced:
 *   - a thread's time is summed by process and thread name. The first
 *     GN_TOP_PROM_THREADS pairs that have any time get labels of their own and
 *     keep them; all others are {pid="(other)",comm="(other)"}.
 *   - a function gets labels of its own when its exclusive time reaches one
 *     per cent of a period's length, as long as fewer than
 *     GN_TOP_PROM_FUNCTIONS have some; of one period's, those with most time
 *     first. It keeps them. Its counters begin with that period; its time
 *     before, and all functions without labels, are {function="(other)",
 *     module="(other)"}. So the sums over all series are the sums over all
 *     periods.
 * Label values are UTF-8 whatever the names are: a byte that is none, and what
 * does not print, is the text \xNN or \u{N}.
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

/* Adds a period: each once, in their order, whether or not it is written.
 * Nothing of it is kept by reference. A name for which there is no memory is
 * one of the others. */
void gn_top_prom_add(struct gn_top_prom *t, const struct gn_top_period *p);

/* Writes all of a file and flushes it: the sums, and the values of the last
 * period. 0, -errno of the stream. That readers see it whole or not at all is
 * the caller's part. */
int gn_top_prom_write(const struct gn_top_prom *t, FILE *f);

#endif
