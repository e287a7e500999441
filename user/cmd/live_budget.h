/* SPDX-License-Identifier: BSD-2-Clause */
/* --budget in a live capture: mutes what top/budget.h chooses. */
#ifndef GNOMON_CMD_LIVE_BUDGET_H
#define GNOMON_CMD_LIVE_BUDGET_H

#include "capture/session.h"
#include "model/pipeline.h"
#include "top/top.h"

/* Muted functions that are reported by name. More can be muted. */
#define GN_MUTING_NAMES 4096

/* Set `budget` and zero the rest. End with gn_muting_free(). */
struct gn_muting {
	double budget; /* 0 = none */
	double slowdown;
	/* These do not move, because shown periods point to them. */
	struct gn_top_muted muted[GN_MUTING_NAMES];
	size_t nmuted;
	/* functions that could not be muted */
	struct gn_top_muted kept[GN_MUTING_NAMES];
	size_t nkept;
};

/* Call after each period: computes the slow-down and mutes in `s` (NULL: the
 * session is over). 0, -ENOMEM. */
int gn_muting_apply(struct gn_muting *g, struct gn_pipeline *p,
		    const struct gn_model *m, struct gn_session *s);
void gn_muting_free(struct gn_muting *g);

#endif
