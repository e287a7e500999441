/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The changes from the base to the new captures, ordered by their effect on the
 * total. All values are medians; the noise is the width of the middle half, or
 * what the cost of probes leaves open if that is more. With half that width, a
 * quarter of all rows would seem to have changed from five captures of a
 * program to five others of it; with the width, it is one in twenty.
 */
#ifndef GNOMON_COMPARE_DIFF_H
#define GNOMON_COMPARE_DIFF_H

#include <stdio.h>

#include "compare/compare.h"
#include "compare/estimate.h"

enum gn_diff_kind {
	GN_DIFF_TOTAL,
	GN_DIFF_CLASS, /* of the total */
	GN_DIFF_THREAD,
	GN_DIFF_MODULE,
	GN_DIFF_FUNCTION,
	GN_DIFF_KIND_COUNT
};

struct gn_diff_opts {
	int metric;   /* the sort metric; enum gn_metric */
	size_t limit; /* rows of each kind, 0 = all */
	bool utf8;
};

struct gn_diff_row {
	enum gn_diff_kind kind;
	const struct gn_item *item; /* for a class, the total */
	const char *name;
	int metric; /* the metric that it is sorted by */
	struct gn_estimate of[GN_SIDE_COUNT], calls[GN_SIDE_COUNT];
};

/* The name for people. */
static inline const char *gn_diff_shown(const struct gn_diff_row *r)
{
	if (!r->name[0])
		return "(unnamed)";
	return r->kind == GN_DIFF_FUNCTION && r->item->shown ? r->item->shown
							     : r->name;
}

struct gn_diff {
	const struct gn_comparison *c;
	struct gn_diff_opts opts;
	/* by kind, then by the size of the change, then by name; rows that are
	 * 0 on both sides are left out */
	struct gn_diff_row *rows;
	size_t nrows;
	size_t hidden[GN_DIFF_KIND_COUNT]; /* by the limit */
};

/* 0 or -ENOMEM. gn_diff_clear() in each case. */
int gn_diff_make(const struct gn_comparison *c, const struct gn_diff_opts *o,
		 struct gn_diff *d);
void gn_diff_clear(struct gn_diff *d);

/* Whether both sides have several captures. */
bool gn_diff_knows_noise(const struct gn_diff *d);
/* The noise of one side. */
double gn_diff_noise(const struct gn_estimate *of);
/* Whether the change is no more than the noise of both sides; false if the
 * noise is not known. */
bool gn_diff_within_noise(const struct gn_diff *d,
			  const struct gn_diff_row *row);

/* Whether calls of it are missing in some capture, or may be. */
bool gn_diff_incomplete(const struct gn_diff *d, const struct gn_diff_row *row);

/* 0 or -errno. */
int gn_diff_table(const struct gn_diff *d, FILE *f);
int gn_diff_markdown(const struct gn_diff *d, FILE *f);
int gn_diff_json(const struct gn_diff *d, FILE *f);
/* For a comparison that kept paths. */
int gn_diff_html(const struct gn_diff *d, FILE *f);

#endif
