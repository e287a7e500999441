/* SPDX-License-Identifier: BSD-2-Clause */
/* --budget in a live capture: what top/budget.h chooses is muted. */
#ifndef GNOMON_CMD_LIVE_BUDGET_H
#define GNOMON_CMD_LIVE_BUDGET_H

#include "capture/session.h"
#include "model/pipeline.h"
#include "top/top.h"

/* Functions that are named as muted; more are muted as well. */
#define GN_MUTING_NAMES 4096

/* Zeros but for the budget; gn_muting_free() at the end. */
struct gn_muting {
	double budget; /* 0 = none */
	double slowdown;
	/* Does not move: periods on show point to it. */
	struct gn_top_muted muted[GN_MUTING_NAMES];
	size_t nmuted;
	/* those that could not be */
	struct gn_top_muted kept[GN_MUTING_NAMES];
	size_t nkept;
};

/* After each period: learns its slow-down, and mutes in `s` (NULL: it is over).
 * 0, -ENOMEM. */
int gn_muting_apply(struct gn_muting *g, struct gn_pipeline *p,
		    const struct gn_model *m, struct gn_session *s);
void gn_muting_free(struct gn_muting *g);

#endif
