/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --budget: chooses the functions to mute, so that probes slow the target down
 * by no more than a given percentage. Pure: a period's model in, a choice out.
 *
 * Slow-down is 100 x probe cost / time on CPUs without it, of all threads:
 *   probe cost   probe_cost + probe_cost_left; for a raw model, the hits times
 *                the cost of a hit of their class
 *   time on CPUs the session's classes app, jit, gc, syscall and fault, without
 *                the probe cost in them
 *
 * A call costs a pair of hits: for a runtime's function two of
 * GN_PROBE_MANAGED; for a native one two of the mean of native probes, since
 * the model does not have a function's own probe classes. Muting a function
 * saves its calls in the period times a pair.
 *
 * A muted function has hits until the muting takes effect, which can take some
 * periods on a busy machine, and not all of these hits are counted as calls. So
 * once functions were muted, the expected cost is that of the calls of all
 * others, and no more: otherwise other functions would be muted for the cost of
 * muted ones.
 *
 * When the expected cost is above the budget, functions are chosen until it
 * falls to GN_TOP_BUDGET_GOAL per cent of the budget, or until
 * GN_TOP_BUDGET_MOST are chosen:
 *   1. tiny ones, whose exclusive time per call, waits included, is at most
 *      GN_TOP_BUDGET_TINY pairs: most of their measured time is probe cost
 *   2. others, when the tiny ones do not suffice
 * each group by the cost that muting saves, the most first, then by name and
 * module. A function that saves less than one part in GN_TOP_BUDGET_LEAST of
 * the period's whole probe cost, with that of muted functions, is not muted: a
 * user would lose it from sight for almost no gain. This matters if little but
 * probes ran: the goal is then out of reach, and every called function would be
 * muted for good. A later period, in which others are muted, can still choose
 * it. If no function saves that much, but all together do, the cost lies in
 * many small ones: then those are chosen that save at least half of what the
 * best one saves.
 *
 * Nothing is ever unmuted, and nothing is muted at or below the budget, so it
 * cannot oscillate: each period mutes more, or the choice is final.
 */
#ifndef GNOMON_TOP_BUDGET_H
#define GNOMON_TOP_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

#define GN_TOP_BUDGET_GOAL 80
#define GN_TOP_BUDGET_MOST 32
#define GN_TOP_BUDGET_TINY 10
/* functions below one part in this many of the whole probe cost are not
 * muted */
#define GN_TOP_BUDGET_LEAST 100

/* A larger slow-down, in percent, is reported as this one: if almost nothing
 * but probes ran, the quotient says no more. */
#define GN_TOP_SLOWDOWN_MOST 100000.0

/* How much probes slow a period down, in percent. -1: not known, because a
 * probe class with hits was not measured. */
double gn_top_slowdown(const struct gn_model *m);

struct gn_top_budget_opts {
	double budget; /* percent, above 0 */
	/* Functions were muted before in the session. Calls of muted functions
	 * in the model mean the same. */
	bool muted;
	/* True for a function that cannot be muted; it is never chosen. NULL:
	 * all can. */
	bool (*keep)(void *ctx, const struct gn_model_function *f);
	void *ctx;
};

struct gn_top_budget {
	double slowdown; /* gn_top_slowdown() */
	/* The slow-down expected once the chosen functions and those muted
	 * before cost nothing any more; -1: not known. If it is above the
	 * budget, the next period chooses more, or there is nothing left to
	 * choose. */
	double expected;
	uint32_t n;
	uint32_t function[GN_TOP_BUDGET_MOST]; /* indexes in m->functions, in
						  the order of choice */
};

/* 0; -ENOMEM: nothing is chosen. Nothing is chosen either if the slow-down is
 * not known. */
int gn_top_budget_choose(const struct gn_model *m,
			 const struct gn_top_budget_opts *o,
			 struct gn_top_budget *out);

#endif
