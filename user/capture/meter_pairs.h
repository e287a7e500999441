/* SPDX-License-Identifier: BSD-2-Clause */
/* The probes on gnomon's own functions whose cost is measured. */
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
	bool again;   /* measured again while the capture runs */
	double inner; /* ns from enter to leave, one at once after the other */
	uint32_t differs; /* from that with work between */
};

#define GN_METER_PAIRS 4

/* Attaches a pair of each class of probe that the capture has, and then one of
 * each class that it may get later. Returns the number of all; `*now`: of those
 * that it has. */
unsigned int gn_meter_pairs(struct gn_session *s, struct gn_links *links,
			    struct gn_meter_pair pairs[GN_METER_PAIRS],
			    unsigned int *now);

/* Links GN_CAL_FIRST in all processes, if functions need the kernel's page.
 * false: none does, or it could not be. */
bool gn_meter_link_first(struct gn_session *s, struct gn_links *links);

#endif
