/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --budget: which functions to mute so that probes slow the target down by no
 * more than so many per cent. Pure: a period's model in, a choice out.
 *
 * Slow-down is 100 x probe cost / time on CPUs without it, of all threads:
 *   probe cost   probe_cost + probe_cost_left; of a raw model, hits by what a
 *                hit of their class costs
 *   time on CPUs the session's classes app, jit, gc, syscall and fault, less
 *                what of the cost is in them
 *
 * A call costs a pair of hits: of a runtime's function two of GN_PROBE_MANAGED;
 * of a native one two of the native probes' mean, since the model does not tell
 * a function's own probe classes. Muting a function saves its calls in the
 * period times a pair.
 *
 * Functions that were muted have hits until it took effect, on a busy machine
 * for some periods, and not all of them are told as calls. So once functions
 * were muted, what remains is what the calls of all others cost, and no more:
 * else what is left would be muted for the cost of what is gone.
 *
 * When what remains is above the budget, functions are chosen, until
 * GN_TOP_BUDGET_GOAL per cent of it are reached or GN_TOP_BUDGET_MOST are:
 *   1. tiny ones, whose exclusive time a call, waits included, is at most
 *      GN_TOP_BUDGET_TINY pairs: their probes are most of what is seen of them
 *   2. others, when the tiny ones do not suffice
 * each group by what muting saves, the most first, then by name and module.
 * What saves less than one part in GN_TOP_BUDGET_LEAST of the period's whole
 * probe cost, that of muted functions in it, is let be: to lose it from sight
 * would buy next to nothing. This holds however little but probes ran: the goal
 * is out of reach then, and would have all that was called once muted for good.
 * A later period, in which others are muted, can still choose it. Where no
 * function saves that much, but all together do, the cost lies in many small
 * ones: then those are chosen from that save at least half of what the best
 * saves.
 *
 * Nothing is ever unmuted, and nothing is muted at or below the budget, so it
 * cannot swing: each period mutes more, or the choice has come to its end.
 */
#ifndef GNOMON_TOP_BUDGET_H
#define GNOMON_TOP_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

#define GN_TOP_BUDGET_GOAL 80
#define GN_TOP_BUDGET_MOST 32
#define GN_TOP_BUDGET_TINY 10
/* of the whole probe cost: one part in so many */
#define GN_TOP_BUDGET_LEAST 100

/* A slow-down of that or more, in percent, is told as that: where next to
 * nothing but probes ran, the quotient says no more. */
#define GN_TOP_SLOWDOWN_MOST 100000.0

/* What probes slow a period down by, in percent. -1: not known, since probes of
 * some class in use were not measured. */
double gn_top_slowdown(const struct gn_model *m);

struct gn_top_budget_opts {
	double budget; /* percent, above 0 */
	/* Functions were muted before in the session. Also without it where
	 * the model has calls of muted ones. */
	bool muted;
	/* True for what cannot be muted: it is never chosen. NULL: all can. */
	bool (*keep)(void *ctx, const struct gn_model_function *f);
	void *ctx;
};

struct gn_top_budget {
	double slowdown; /* gn_top_slowdown() */
	/* What is to be expected once the chosen, and those that were muted
	 * before, cost nothing any more; -1: not known. Above the budget: the
	 * next period will choose more, or there is no more to choose. */
	double expected;
	uint32_t n;
	uint32_t function[GN_TOP_BUDGET_MOST]; /* indexes in m->functions, in
						  the order of choice */
};

/* 0, -ENOMEM: nothing is chosen. A slow-down that is not known chooses nothing.
 */
int gn_top_budget_choose(const struct gn_model *m,
			 const struct gn_top_budget_opts *o,
			 struct gn_top_budget *out);

#endif
