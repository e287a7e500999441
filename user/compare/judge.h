/* SPDX-License-Identifier: BSD-2-Clause */
/* Judges a comparison by a budget. */
#ifndef GNOMON_COMPARE_JUDGE_H
#define GNOMON_COMPARE_JUDGE_H

#include <stdio.h>

#include "compare/budget.h"

enum gn_judged {
	GN_JUDGED_OK,
	GN_JUDGED_UNKNOWN, /* the records are not enough */
	GN_JUDGED_BREACHED,
	GN_JUDGED_COUNT
};

struct gn_verdict {
	enum gn_judged judged;
	const struct gn_budget_rule *rule;
	const struct gn_limit *limit;
	const char *name, *module; /* the judged item; for a sum the glob */
	const char *shown;	   /* the name as in reports */
	struct gn_estimate of[GN_SIDE_COUNT];
	double most;	 /* the largest value that the limit allows */
	const char *why; /* UNKNOWN: one sentence, static */
};

struct gn_verdicts {
	struct gn_verdict *at; /* breached ones first, then unknown ones */
	size_t n;
	size_t count[GN_JUDGED_COUNT];
};

/* `unsound`: why the captures' times and counts cannot be trusted; NULL: they
 * can. 0 or -ENOMEM; gn_verdicts_clear() in each case. The verdicts point into
 * the budget and the comparison. */
int gn_judge(const struct gn_budget *b, const struct gn_comparison *c,
	     const char *unsound, struct gn_verdicts *out);
void gn_verdicts_clear(struct gn_verdicts *v);

/* Verdicts as texts. Names are hostile, and escaped for each. 0 or -errno. */
int gn_verdicts_table(const struct gn_verdicts *v, FILE *f);
int gn_verdicts_markdown(const struct gn_verdicts *v, FILE *f);
/* Workflow commands of GitHub Actions: a line for each limit that is not
 * kept. */
int gn_verdicts_github(const struct gn_verdicts *v, FILE *f);
int gn_verdicts_junit(const struct gn_verdicts *v, FILE *f);

/* "application_exclusive of hot is 12.3 ms, allowed are 11.0 ms (+5 % of
 * 10.5 ms)"; freed by the caller, NULL: no memory. Not escaped. */
char *gn_verdict_text(const struct gn_verdict *v);
/* "hot application_exclusive +5%"; likewise. */
char *gn_verdict_name(const struct gn_verdict *v);

#endif
