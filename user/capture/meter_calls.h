/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls that the meter's thread was asked for, and the times of their
 * records. */
#ifndef GNOMON_CAPTURE_METER_CALLS_H
#define GNOMON_CAPTURE_METER_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>
#include "capture/meter.h"
#include "capture/meter_pairs.h"

struct gn_meter_calls {
	unsigned int pairs;
	unsigned int asked; /* calls of each pair; 0: none */
	unsigned int got;   /* records */
	uint64_t since;	    /* when the calls were asked for */
	bool disturbed[GN_METER_PAIRS][GN_METER_CALLS];
	struct gn_meter_call of[GN_METER_PAIRS][GN_METER_CALLS];
};

/* Asks for `n` calls of each pair, and drops what was asked for before. */
void gn_meter_calls_ask(struct gn_meter_calls *c, unsigned int pairs,
			unsigned int n, uint64_t now);

/* Takes a record of the meter's thread. Records of earlier requests do not
 * count; they arrive late when gnomon is behind. */
void gn_meter_calls_take(struct gn_meter_calls *c, const struct gn_rec *rec);

/* All records of the calls are there. */
bool gn_meter_calls_are_there(const struct gn_meter_calls *c);

/* Moves the undisturbed calls of a pair to the front, leaving out the first
 * `from` calls. Returns their number. */
unsigned int gn_meter_calls_pick(struct gn_meter_calls *c, unsigned int pair,
				 unsigned int from);

#endif
