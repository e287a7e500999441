/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batch mode: a period as plain rows for scripts. Words contain no blanks, so
 * that awk and the like can split a row. The output depends on values only.
 *
 *   # period number=3 time=2026-05-01T12:34:56.789Z length=1.000 session=3.002
 *   # target state=running threads=2 ... command=./app\x20-v
 *   ...
 *       PID     TID NAME STATE DOING ... CPU APP ... CALLS/S NOW MOST
 *       100     101 main running app ... 99.9 99.9 ... 12345.0 leaf work
 *   (an empty line)
 *
 * Lines that begin with "# " are about the whole period: a subject, then
 * key=value. All keys are always there, except causes of loss, which appear
 * only with a loss; "-" is a value that is not known or not set. Then come a
 * line of titles and one row per thread. An empty line ends the period. The
 * columns and their order never change:
 *   PID TID NAME RUNTIME STATE DOING
 *   SECONDS   time of the thread in the period, without probe cost
 *   CPU       percent of it on a CPU: the sum of the classes on a CPU
 *   a class   percent of it, one column per class
 *   CALLS/S   calls of traced functions
 *   NOW MOST  functions: on top of its stack, and with most exclusive time
 * Times are seconds, sizes bytes. Words are those of gn_top_word().
 */
#ifndef GNOMON_TOP_BATCH_H
#define GNOMON_TOP_BATCH_H

#include <stdio.h>

#include "top/top.h"

struct gn_top_batch_opts {
	/* one of gn_top_batch_column(); NULL: cpu. Text and ids ascend,
	 * everything else descends; then by name, TID and PID. */
	const char *sort;
	size_t limit; /* threads, 0 = all; shown= has how many are shown */
	bool utf8;    /* words may have characters that are not ASCII */
};

/* The name of the i-th column, as for `sort`; NULL past the last. It is the
 * title in small letters, and "calls" for calls a second. */
const char *gn_top_batch_column(size_t i);

/* Writes and flushes a period. 0; -errno of the stream (-EPIPE: its reader is
 * gone), -EINVAL: o->sort is no column, -ENOMEM. */
int gn_top_batch(const struct gn_top_period *p,
		 const struct gn_top_batch_opts *o, FILE *f);

#endif
