/* SPDX-License-Identifier: BSD-2-Clause */
/* Helper that the tests of short functions share. */
#ifndef LIVE_TOLD_H
#define LIVE_TOLD_H

#include "live.h"

#define LIVE_BODIES 5

/*
 * Traces the fixture `bodies blocks` with these options. `names` are the
 * functions half, one, five, nested and recursive. The median over all blocks
 * must be within 5 % of the time that the same block's work took without a
 * call; within 10 % for those with half a microsecond between two hits (half,
 * recursive).
 *
 * Both halves of a block take some ten microseconds and run one after the
 * other, so a machine that gets slower or faster changes both. A block in which
 * the thread lost its CPU does not count, and a block from which the host took
 * a part is one of thousands. But gnomon measures the cost of a hit only now
 * and then. So it takes several runs, and more if other programs use the CPUs.
 * If that does not help, the bound is the error that gnomon reports for its
 * times, and the test prints that.
 */
void live_told(struct live *t, const char *const names[LIVE_BODIES],
	       const char *options, const struct live_args *command);

#endif
