/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Truths of a stream, worked out by hand:
 *   function NAME | module NAME | process PID | thread TID | session
 *   edge CALLER CALLEE        CALLER - is a thread's root
 *   node PROCESS/FUNCTION/... a call path by names
 *   checks                    the fields of gn_checks, and lost
 *   count functions|threads|processes|modules|nodes|edges|waits=N
 *   none function NAME
 *   wait FUNCTION CLASS REASON WAKER WAKER-FUNCTION ns count longest
 *                             - is none: outside, no system call, unknown
 *   cost PROBE hits|samples|before|after|spread
 *   probes raw|cost|left
 * with calls, unwound, ei, ee, ai, ae (elapsed and application, inclusive and
 * exclusive), min, max, finished, gap, incl.CLASS, excl.CLASS; of a thread
 * also start, end, elapsed, gaps, records, probe-cost, kernel-cpu,
 * kernel-delay, cpu, delay, kernel-known, irq, stolen, switches, switching,
 * delay-switching, rest, delay-rest.
 */
#ifndef GNOMON_TESTS_EXPECT_H
#define GNOMON_TESTS_EXPECT_H

#include <stdio.h>

#include "model/model.h"

#define EXPECT_WORDS 24
#define EXPECT_RAW   (GN_CLASSIFY_INTERVAL + 1)

struct expect {
	size_t line;
	int classify; /* enum gn_classify, EXPECT_RAW, -1 = any but raw */
	const char *words[EXPECT_WORDS];
	size_t nwords;
};

/* True if the model, which was made as `how` says, agrees; otherwise writes the
 * difference to `out`. */
bool expect_holds(const struct expect *e, const struct gn_model *m, int how,
		  FILE *out);

#endif
