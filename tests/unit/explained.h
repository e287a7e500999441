/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of findings share. Include after cmocka.h. */
#ifndef GNOMON_TESTS_EXPLAINED_H
#define GNOMON_TESTS_EXPLAINED_H

#include <string.h>

#include "explain/explain.h"

#define SECOND 1000000000ull

/* A thread that works for a second. */
static struct gn_model_thread busy = {.tid = 1,
				      .name = "main",
				      .elapsed = SECOND,
				      .classes = {[GN_CLASS_APP] = SECOND}};

/* In a model: this thread is all that ran, and was on a CPU for a second. */
#define ONE_BUSY(of)                                          \
	.session = {.elapsed_incl = SECOND,                   \
		    .class_incl = {[GN_CLASS_APP] = SECOND}}, \
	.threads = (of), .nthreads = 1
#define ONE_BUSY_THREAD ONE_BUSY(&busy)

/* What the rule found; fails if it does not hold. */
static inline struct gn_insight finding(const struct gn_model *m,
					const char *rule, struct gn_findings *f)
{
	assert_int_equal(gn_explain(m, 0, f), 0);
	for (size_t i = 0; i < f->n; i++)
		if (!strcmp(f->finding[i].rule, rule))
			return f->finding[i];
	fail_msg("no finding of %s", rule);
	return (struct gn_insight){0};
}

/* Whether the rule finds anything. */
static inline bool holds(const struct gn_model *m, const char *rule)
{
	struct gn_findings f;
	bool found = false;

	assert_int_equal(gn_explain(m, 0, &f), 0);
	for (size_t i = 0; i < f.n; i++)
		found |= !strcmp(f.finding[i].rule, rule);
	gn_findings_clear(&f);
	return found;
}

#endif
