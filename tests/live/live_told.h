/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of short functions share. */
#ifndef LIVE_TOLD_H
#define LIVE_TOLD_H

#include "live.h"

#define LIVE_BODIES 5

/*
 * Traces the fixture `bodies blocks` with these options. `names` are those of
 * half, one, five, nested and recursive. In the middle of all blocks each is
 * told within 5 % of what the same block's work took without a call, what has
 * half a microsecond between two hits (half, recursive) within 10 %.
 *
 * Both halves of a block are some ten microseconds long and come one after the
 * other, so a machine that gets slower or faster changes both; a block in which
 * the thread lost its CPU does not count, and one from which the host took a
 * part is one of thousands. But what a hit costs is measured now and then only:
 * so it takes several runs, and some more where other programs have the CPUs.
 * Where that does not help, it is held to the error that gnomon says that its
 * times have, and says so.
 */
void live_told(struct live *t, const char *const names[LIVE_BODIES],
	       const char *options, const struct live_args *command);

#endif
