/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of short functions share. */
#ifndef LIVE_TOLD_H
#define LIVE_TOLD_H

#include "live.h"

/* Traces the fixture with these options: how it ended and the report. */
typedef void (*live_play_fn)(struct live *t, const char *options,
			     struct live_end *end, json_t **report);

/*
 * Plays some rounds. What is told of each of `bodies` (up to 8 names, then
 * NULL) is right within the error that is told with it and a tenth of the
 * truth, in most of them. How near it is in fact on a machine that does nothing
 * else, tools/bench/bodies shows; a machine with other work does not hold that.
 */
void live_told(struct live *t, const char *const *bodies, live_play_fn play,
	       const char *options);

#endif
