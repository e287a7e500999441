/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings: what matters in a finished model, as sentences with numbers and the
 * next command to type. rules.c has the list of rules.
 */
#ifndef GNOMON_EXPLAIN_EXPLAIN_H
#define GNOMON_EXPLAIN_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "model/model.h"

/* The most findings in a report. */
#define GN_FINDINGS_USUAL 5

/* X(enumerator, text). Worse ones come later. */
#define GN_SEVERITY_LIST(X)   \
	X(NOTE, "note")       \
	X(WARNING, "warning") \
	X(ERROR, "error")

enum gn_severity {
#define GN_SEVERITY_ENUM(name, text) GN_SEVERITY_##name,
	GN_SEVERITY_LIST(GN_SEVERITY_ENUM)
#undef GN_SEVERITY_ENUM
};

/* Which command the words of a finding's next step belong to. */
enum gn_next {
	GN_NEXT_REPORT,	 /* another report of the same capture */
	GN_NEXT_AGAIN,	 /* the same capture once more, with these options */
	GN_NEXT_SAMPLES, /* the same, with samples instead of functions */
	GN_NEXT_EVENTS,	 /* the same, with these events, and no view of them */
	GN_NEXT_WHOLE,	 /* gnomon with these words, and the same command */
	GN_NEXT_OTHER,	 /* a complete command of gnomon */
};

struct gn_insight {
	const char *rule; /* static */
	enum gn_severity severity;
	/* the share that the sentence is about, 0 to 1 */
	double share;
	double rank; /* how much it matters compared to others, 0 to 1 */
	char *text;  /* a sentence or two. Names in it are not escaped. */
	char *next;  /* words, quoted for a shell, not escaped; "" = none */
	enum gn_next what;
};

struct gn_findings {
	struct gn_insight *finding; /* the worst first */
	size_t n;
	size_t more; /* left out because of `most` */
};

/* Finds the rules that hold for the model, at most `most` (0: all). If records
 * were lost or a self-check failed, that is the only finding. 0, -ENOMEM. Call
 * gn_findings_clear() in each case. */
int gn_explain(const struct gn_model *m, size_t most, struct gn_findings *out);
void gn_findings_clear(struct gn_findings *f);

/* The word of a severity. */
const char *gn_severity_text(enum gn_severity s);

/* The name of the i-th rule. NULL past the last. */
const char *gn_rule_name(size_t i);

/* How to print findings. */
struct gn_explain_opts {
	const char *input;  /* the trace file; NULL = not written */
	const char *prefix; /* of each line */
	int width;	    /* of lines; 0 = 100 */
	bool color, utf8;
};

/* Prints numbered sentences with their commands, or one line if there are none.
 * 0, -errno of the stream, -ENOMEM. */
int gn_findings_print(const struct gn_model *m, const struct gn_findings *f,
		      const struct gn_explain_opts *o, FILE *out);

/* Writes one JSON object. The same errors. */
int gn_findings_json(const struct gn_model *m, const struct gn_findings *f,
		     const char *input, FILE *out);

#endif
