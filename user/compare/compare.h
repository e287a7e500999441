/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two sets of captures, the base and the new ones, matched by names: the items
 * of both, with their values in each capture. The models are not kept. All
 * times are nanoseconds.
 */
#ifndef GNOMON_COMPARE_COMPARE_H
#define GNOMON_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

enum gn_side { GN_BASE, GN_NEW, GN_SIDE_COUNT };

enum gn_part {
	GN_PART_TOTAL,
	GN_PART_THREAD, /* all threads of one role: of one lasting name */
	GN_PART_MODULE,
	GN_PART_FUNCTION,
	GN_PART_COUNT
};

/* The values of an item in one capture. X(field, word in budgets and JSON,
 * unit, what 100 % of it is). The classes follow, with their own words; they
 * are exclusive, but for threads and the total they are all of the time. */
#define GN_METRIC_LIST(X)                                                 \
	X(calls, "calls", COUNT, NONE)                                    \
	X(elapsed_incl, "elapsed_inclusive", TIME, ELAPSED)               \
	X(elapsed_excl, "elapsed_exclusive", TIME, ELAPSED)               \
	X(app_incl, "application_inclusive", TIME, APP)                   \
	X(app_excl, "application_exclusive", TIME, APP)                   \
	X(longest, "longest", TIME, NONE)   /* call */                    \
	X(gc_pause, "gc_pause", TIME, NONE) /* the longest; total only */ \
	X(lost, "lost", COUNT, NONE)	    /* records; total only */

enum gn_metric {
#define GN_METRIC_ENUM(field, word, kind, whole) GN_METRIC_##field,
	GN_METRIC_LIST(GN_METRIC_ENUM)
#undef GN_METRIC_ENUM
		GN_METRIC_CLASS,
	GN_METRIC_COUNT = GN_METRIC_CLASS + GN_CLASS_COUNT,
};

/* By enum gn_metric. Zeros where the item was not seen. */
struct gn_measure {
	uint64_t value[GN_METRIC_COUNT];
	/* the part of a function's inclusive times that is in calls from others
	 * of its lasting name, which include it, too */
	uint64_t nested_elapsed, nested_app;
	/* by how much the inclusive and the exclusive times can be wrong
	 * because of the cost of probes */
	uint64_t error_incl, error_excl;
	bool seen;
	/* calls or times may be missing: records were lost while it was open,
	 * or its probes were removed or came late */
	bool doubtful;
	bool copied; /* a function that may have been inlined into callers */
};

struct gn_item {
	enum gn_part part;
	char *name;    /* "" for the total */
	char *shown;   /* the name for people; NULL: name */
	char *module;  /* file name, of functions; else "" */
	char *lasting; /* the second name for matching */
	bool in[GN_SIDE_COUNT];
	struct gn_measure runs[]; /* the base's, then the new ones */
};

struct gn_comparison {
	size_t runs[GN_SIDE_COUNT];   /* captures expected */
	size_t filled[GN_SIDE_COUNT]; /* captures added */
	/* the total first; by part, then by name and module */
	struct gn_item **items;
	size_t nitems;
	void *index; /* used while captures are added */
	/* one sentence: why differences in times may not come from the program;
	 * NULL: they do */
	const char *unlike;
	struct gn_paths_of_both *paths; /* paths.h; NULL: not wanted */
};

/* 0 or -ENOMEM. gn_comparison_clear() in each case. */
int gn_comparison_begin(struct gn_comparison *c, size_t base, size_t new);
void gn_comparison_clear(struct gn_comparison *c);

/* Keeps the call trees of the captures added after this. 0 or -ENOMEM. */
int gn_comparison_keep_paths(struct gn_comparison *c);

/* Adds the next capture of a side; `pause`: its longest pause for a collection.
 * 0, -ENOMEM, -E2BIG: more than expected. */
int gn_comparison_add(struct gn_comparison *c, enum gn_side side,
		      const struct gn_model *m, uint64_t pause);

/*
 * Call it after the last capture. Items without a counterpart of the same name
 * are matched by their lasting names: lambdas of one function whose numbers
 * differ become one item, so do a function of a module that is gone and one of
 * a new module, and so do these modules. 0 or -ENOMEM.
 */
int gn_comparison_end(struct gn_comparison *c);

/* The word of a metric, and back; -1: no metric. */
const char *gn_metric_word(int metric);
int gn_metric_find(const char *word);
bool gn_metric_is_time(int metric);
/* The metric of the total that is 100 % of this one; -1: it has no share. */
int gn_metric_whole(int metric);

/* Adds the values of `from` to those of `to`. */
void gn_item_sum(const struct gn_comparison *c, struct gn_item *to,
		 const struct gn_item *from);

/* The item's values in the captures of one side. */
static inline const struct gn_measure *
gn_item_runs(const struct gn_comparison *c, const struct gn_item *item,
	     enum gn_side side)
{
	return item->runs + (side == GN_NEW ? c->runs[GN_BASE] : 0);
}

#endif
