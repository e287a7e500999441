/* SPDX-License-Identifier: BSD-2-Clause */
/* The probes on gnomon's own functions that the meter measures. */
#ifndef GNOMON_CAPTURE_METER_PAIRS_H
#define GNOMON_CAPTURE_METER_PAIRS_H

#include <stdbool.h>

#include <gnomon/event.h>
#include "capture/calibrate.h"

struct gn_session;
struct gn_links;

/* An enter and a leave that are measured together. */
struct gn_meter_pair {
	enum gn_probe_class enter, leave;
	enum gn_cal_pair calls;
	bool again;	  /* measured again while the capture runs */
	double inner;	  /* ns from enter to leave, without work between */
	uint32_t differs; /* ns by which work changes that */
};

#define GN_METER_PAIRS 4

/* Attaches a pair for each class of probe that the capture has, then one for
 * each class that it may get later. Returns the number of pairs; `*now` becomes
 * the number of those that the capture has. */
unsigned int gn_meter_pairs(struct gn_session *s, struct gn_links *links,
			    struct gn_meter_pair pairs[GN_METER_PAIRS],
			    unsigned int *now);

/* Links GN_CAL_FIRST in all processes, if some function needs the kernel's
 * page. False: none needs it, or linking failed. */
bool gn_meter_link_first(struct gn_session *s, struct gn_links *links);

#endif
