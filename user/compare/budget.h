/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A budget: a JSON file of rules, each with limits. docs/ci.md describes it.
 *
 *   {"function": [{"name": "parse_*", "application_exclusive": "+5%",
 *                  "calls": "+0%", "elapsed_inclusive_per_call": "2ms"}],
 *    "total": {"jit": "1s", "gc_pause": "20ms", "lost": 0}}
 */
#ifndef GNOMON_COMPARE_BUDGET_H
#define GNOMON_COMPARE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compare/compare.h"
#include "compare/estimate.h"

enum gn_limit_kind {
	GN_LIMIT_AT_MOST,   /* ns, or a count */
	GN_LIMIT_SHARE,	    /* % of the total */
	GN_LIMIT_OVER_PCT,  /* % above the base */
	GN_LIMIT_OVER_BASE, /* ns, or a count, above the base */
};

struct gn_limit {
	int metric; /* enum gn_metric */
	enum gn_reading reading;
	enum gn_limit_kind kind;
	double value;
	const char *text; /* as in the file */
	const char *word; /* the metric, as in the file */
};

struct gn_budget_rule {
	enum gn_part part;
	const char *name;   /* a glob, "*" for the total */
	const char *module; /* a glob, NULL = any */
	bool sum;	    /* limits apply to the sum of all that match; else
			       to each */
	uint64_t at_least;  /* ns of elapsed exclusive time (of threads and
			       modules: inclusive) below which none is judged */
	struct gn_limit *limits;
	size_t nlimits;
};

struct gn_budget {
	struct gn_budget_rule *rules;
	size_t nrules;
	void *json; /* owns the texts */
};

/* 0; -EINVAL with one sentence in `why`; -ENOMEM. gn_budget_clear() in each
 * case. */
int gn_budget_read(struct gn_budget *b, const char *text, size_t size,
		   char *why, size_t whysize);
void gn_budget_clear(struct gn_budget *b);

/* Whether a limit compares with a base. */
bool gn_budget_compares(const struct gn_budget *b);

/* "+5%", "12%", "5ms", "+2ms", "100", "+10". 0 or -EINVAL. */
int gn_limit_parse(const char *text, bool is_time, struct gn_limit *l);

/* A duration with a unit ("5ms") in ns. */
int gn_limit_time(const char *text, double *ns);

#endif
