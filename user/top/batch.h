/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batch mode: a period as plain rows for scripts. No word of it has blanks in
 * it, so that awk and its like can split it; all depends on values only.
 *
 *   # period number=3 time=2026-05-01T12:34:56.789Z length=1.000 session=3.002
 *   # target state=running threads=2 ... command=./app\x20-v
 *   ...
 *       PID     TID NAME STATE DOING ... CPU APP ... CALLS/S NOW MOST
 *       100     101 main running app ... 99.9 99.9 ... 12345.0 leaf work
 *   (an empty line)
 *
 * Lines that begin with "# " tell of the whole period: a subject, then
 * key=value. Keys always stand there, but causes of loss, which are told when
 * there are any; "-" is a value that is not known or not set. Then comes the
 * line of titles and a row a thread. An empty line ends the period. The columns
 * and their order never change:
 *   PID TID NAME RUNTIME STATE DOING
 *   SECONDS   time of the thread in the period, without what probes cost
 *   CPU       percent of it on a CPU: the sum of its classes that are
 *   a class   percent of it, one column a class
 *   CALLS/S   calls of traced functions
 *   NOW MOST  functions: on top of its stack, and with most time of its own
 * Times are seconds, sizes bytes. Words are those of gn_top_word().
 */
#ifndef GNOMON_TOP_BATCH_H
#define GNOMON_TOP_BATCH_H

#include <stdio.h>

#include "top/top.h"

struct gn_top_batch_opts {
	/* one of gn_top_batch_column(); NULL: cpu. Text and ids upwards,
	 * everything else downwards; then by name, TID and PID. */
	const char *sort;
	size_t limit; /* threads, 0 = all; shown= tells how many there are */
	bool utf8;    /* words may hold what is not ASCII */
};

/* The i-th column, by which can be sorted; NULL past the last. The titles in
 * small letters, "calls" for calls a second. */
const char *gn_top_batch_column(size_t i);

/* Writes and flushes a period. 0; -errno of the stream (-EPIPE: its reader went
 * away), -EINVAL: o->sort is no column, -ENOMEM. */
int gn_top_batch(const struct gn_top_period *p,
		 const struct gn_top_batch_opts *o, FILE *f);

#endif
