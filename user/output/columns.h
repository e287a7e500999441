/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The columns of numbers that a table or a CSV file can have, and the choice
 * among them (--columns). A class has two: its word is the exclusive time, the
 * word and a plus sign the inclusive one. A thread or a process owns all its
 * time, so the two are one there.
 */
#ifndef GNOMON_OUTPUT_COLUMNS_H
#define GNOMON_OUTPUT_COLUMNS_H

#include "output/grid.h"
#include "output/text.h"

/* X(enumerator, name, long name, title's two lines, CSV title, how it is shown,
 * what 100 % is, value of `r`). A percent stands right behind its time. */
#define GN_COLUMN_LIST(X)                                                      \
	X(CALLS, "calls", "calls", "", "calls", "calls", COUNT, NONE,          \
	  r->v->calls)                                                         \
	X(UNWOUND, "unwound", "unwound", "", "unwound", "unwound", COUNT,      \
	  NONE, r->v->unwound)                                                 \
	X(EI, "ei", "elapsed-inclusive", "Elapsed", "Inclusive",               \
	  "elapsed_inclusive_ns", TIME, NONE, r->v->elapsed_incl)              \
	X(EI_PCT, "ei%", "elapsed-inclusive%", "", "%",                        \
	  "elapsed_inclusive_pct", PCT, ELAPSED, r->v->elapsed_incl)           \
	X(EE, "ee", "elapsed-exclusive", "Elapsed", "Exclusive",               \
	  "elapsed_exclusive_ns", TIME, NONE, r->v->elapsed_excl)              \
	X(EE_PCT, "ee%", "elapsed-exclusive%", "", "%",                        \
	  "elapsed_exclusive_pct", PCT, ELAPSED, r->v->elapsed_excl)           \
	X(AI, "ai", "application-inclusive", "Application", "Inclusive",       \
	  "application_inclusive_ns", TIME, NONE, r->v->app_incl)              \
	X(AI_PCT, "ai%", "application-inclusive%", "", "%",                    \
	  "application_inclusive_pct", PCT, APP, r->v->app_incl)               \
	X(AE, "ae", "application-exclusive", "Application", "Exclusive",       \
	  "application_exclusive_ns", TIME, NONE, r->v->app_excl)              \
	X(AE_PCT, "ae%", "application-exclusive%", "", "%",                    \
	  "application_exclusive_pct", PCT, APP, r->v->app_excl)               \
	X(MIN, "min", "min", "one call", "min", "min_ns", TIME, NONE,          \
	  r->v->min)                                                           \
	X(AVG, "avg", "avg", "", "avg", "avg_ns", TIME, NONE, gn_row_avg(r))   \
	X(MAX, "max", "max", "", "max", "max_ns", TIME, NONE, r->v->max)       \
	X(FINISHED, "finished", "finished", "", "finished", "finished", COUNT, \
	  NONE, r->v->finished)                                                \
	X(ERROR_INCL, "error+", "error-inclusive", "Error", "Inclusive",       \
	  "error_inclusive_ns", TIME, NONE, r->v->error_incl)                  \
	X(ERROR, "error", "error-exclusive", "Error", "Exclusive",             \
	  "error_exclusive_ns", TIME, NONE, r->v->error_excl)

enum gn_column_id {
#define GN_COLUMN_ENUM(id, name, alias, top, title, csv, show, whole, value) \
	GN_COLUMN_##id,
	GN_COLUMN_LIST(GN_COLUMN_ENUM)
#undef GN_COLUMN_ENUM
	/* the classes follow, exclusive, then inclusive */
	GN_COLUMN_CLASS,
	GN_COLUMN_CLASS_INCL = GN_COLUMN_CLASS + GN_CLASS_COUNT,
	GN_COLUMN_COUNT = GN_COLUMN_CLASS_INCL + GN_CLASS_COUNT,
};

enum gn_whole {
	GN_WHOLE_NONE = 0,
	GN_WHOLE_ELAPSED,
	GN_WHOLE_APP,
};

/* How a column came to be chosen; a later one is the stronger. */
enum gn_picked {
	GN_PICKED_FITS = 0, /* by default, when there is room */
	GN_PICKED_GROUP,    /* by a word for many; not when all of it is 0 */
	GN_PICKED_NAMED,
};

struct gn_pick {
	int column; /* enum gn_column_id */
	enum gn_picked how;
};

struct gn_picks {
	struct gn_pick pick[GN_COLUMN_COUNT]; /* none twice, in their order */
	int n;
};

/*
 * Reads a list of columns, separated by commas. `usual` is what the word
 * "default" stands for, a list itself without that word; a `list` of NULL is
 * that word. `fits`: the classes that `usual` asks for may be left out where
 * there is no room. 0, or -EINVAL when a word is none.
 */
int gn_picks_parse(const char *list, const char *usual, bool fits,
		   enum gn_by by, struct gn_picks *out);

/* The value of a column; the part of a percent. Fits gn_column.get. */
uint64_t gn_column_value(const struct gn_row *r, int column);

/* True when the value can be wrong by more than a tenth of it. */
bool gn_column_uncertain(const struct gn_row *r, int column);

/* How it is shown, and what 100 % of it is. */
enum gn_show gn_column_show(int column);
uint64_t gn_column_whole(const struct gn_model *m, int column);

/* The class of a column, -1 when it is none of a class. */
int gn_column_class(int column);

/* The word of --columns. */
const char *gn_column_name(int column);

/* Titles of a table: two lines. */
void gn_column_titles(int column, enum gn_by by, const char **top,
		      const char **title);

/* The title in a CSV file. */
void gn_column_csv(char buf[GN_CELL], int column, enum gn_by by);

#endif
