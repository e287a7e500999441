/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The columns: one table for reports, CSV, JSON, sorting and the live view.
 * Each class has two columns: its word is the exclusive time, the word with a
 * plus sign the inclusive time. Threads and processes own all their time, so
 * there the two are the same.
 */
#ifndef GNOMON_OUTPUT_COLUMNS_H
#define GNOMON_OUTPUT_COLUMNS_H

#include "output/classes.h"
#include "output/grid.h"
#include "output/text.h"

/*
 * X(enumerator, name, long name, title's two lines, title in the live view, how
 * it is shown, what 100 % is, least cells in the live view, value of the row
 * `r` of the model `m`). A percent directly follows its time. Columns before
 * NAME can be chosen for a report. The key in CSV and JSON is the long name
 * with its unit. Text may be NULL.
 */
/* clang-format off */
#define GN_COLUMN_LIST(X) \
	X(CALLS,       "calls",   "calls",                 "", "calls", "calls/s", COUNT, NONE, 7, r->v->calls)                                            \
	X(UNWOUND,     "unwound", "unwound",               "", "unwound", "unwound", COUNT, NONE, 7, r->v->unwound)                                        \
	X(EI,          "ei",      "elapsed-inclusive",     "Elapsed", "Inclusive", "ei", TIME, NONE, 7, r->v->elapsed_incl)                                \
	X(EI_PCT,      "ei%",     "elapsed-inclusive%",    "", "%", "ei%", PCT, ELAPSED, 5, r->v->elapsed_incl)                                            \
	X(EE,          "ee",      "elapsed-exclusive",     "Elapsed", "Exclusive", "ee", TIME, NONE, 7, r->v->elapsed_excl)                                \
	X(EE_PCT,      "ee%",     "elapsed-exclusive%",    "", "%", "ee%", PCT, ELAPSED, 5, r->v->elapsed_excl)                                            \
	X(AI,          "ai",      "application-inclusive", "Application", "Inclusive", "ai", TIME, NONE, 7, r->v->app_incl)                                \
	X(AI_PCT,      "ai%",     "application-inclusive%","", "%", "ai%", PCT, APP, 5, r->v->app_incl)                                                    \
	X(AE,          "ae",      "application-exclusive", "Application", "Exclusive", "ae", TIME, NONE, 7, r->v->app_excl)                                \
	X(AE_PCT,      "ae%",     "application-exclusive%","", "%", "ae%", PCT, APP, 5, r->v->app_excl)                                                    \
	X(MIN,         "min",     "min",                   "one call", "min", "min", TIME, NONE, 7, r->v->min)                                             \
	X(AVG,         "avg",     "avg",                   "", "avg", "avg", TIME, NONE, 7, gn_row_avg(r))                                                 \
	X(MAX,         "max",     "max",                   "", "max", "max", TIME, NONE, 7, r->v->max)                                                     \
	X(FINISHED,    "finished","finished",              "", "finished", "finished", COUNT, NONE, 7, r->v->finished)                                     \
	X(ERROR_INCL,  "error+",  "error-inclusive",       "Error", "Inclusive", "error+", TIME, NONE, 7, r->v->error_incl)                                \
	X(ERROR,       "error",   "error-exclusive",       "Error", "Exclusive", "error", TIME, NONE, 7, r->v->error_excl)                                 \
	X(NAME,        "name",    "name",                  "", "name", "NAME", TEXT, NONE, 20, r->name)                                                    \
	X(MODULE,      "module",  "module",                "", "module", "MODULE", TEXT, NONE, 12, r->module)                                              \
	X(RUNTIME,     "runtime", "runtime",               "", "runtime", "RUNTIME", TEXT, NONE, 7, r->runtime)                                            \
	X(PID,         "pid",     "pid",                   "", "pid", "PID", ID, NONE, 7, r->pid)                                                          \
	X(TID,         "tid",     "tid",                   "", "tid", "TID", ID, NONE, 7, r->tid)                                                          \
	X(THREADS,     "threads", "threads",               "", "threads", "THREADS", COUNT, NONE, 7, r->threads)                                           \
	X(GAPS,        "gaps",    "gaps",                  "", "gaps", "GAPS", COUNT, NONE, 5, r->gaps)                                                    \
	X(WAIT_TIME,   "time",    "wait-time",             "", "time", "time", TIME, NONE, 7, r->wait.ns)                                                  \
	X(WAIT_PCT,    "time%",   "wait-time%",            "", "%", "time%", PCT, ELAPSED, 5, r->wait.ns)                                                  \
	X(WAIT_COUNT,  "count",   "wait-count",            "", "count", "count", COUNT, NONE, 7, r->wait.count)                                            \
	X(WAIT_LONGEST,"longest", "wait-longest",          "", "longest", "longest", TIME, NONE, 7, r->wait.longest)                                       \
	X(ASYNC_TIME,  "time",    "async-time",            "", "time", "time", TIME, NONE, 7, r->async.ns)                                                 \
	X(ASYNC_MEAN,  "mean",    "async-mean",            "", "mean", "mean", TIME, NONE, 7, r->async.mean)                                               \
	X(ASYNC_RUNS,  "running", "running",               "", "running", "running", TIME, NONE, 7, r->async.running)                                      \
	X(ASYNC_COUNT, "count",   "async-count",           "", "count", "count", COUNT, NONE, 7, r->async.count)                                           \
	X(ASYNC_FAULTED,"faulted","faulted",               "", "faulted", "faulted", COUNT, NONE, 7, r->async.faulted)                                     \
	X(ASYNC_OPEN,  "open",    "in-flight",             "in", "flight", "open", COUNT, NONE, 7, r->async.open)                                           \
	X(ASYNC_MOST,  "at-most", "most-in-flight",        "at", "most", "at most", COUNT, NONE, 7, r->async.most)                                         \
	X(STATE,       "state",   "state",                 "", "state", "STATE", TEXT, NONE, 5, gn_now_state(r->thread))                                   \
	X(DOING,       "doing",   "doing",                 "", "doing", "DOING", TEXT, NONE, 5, gn_now_doing(r->thread))                                   \
	X(BAR,         "bar",     "bar",                   "", "classes", "CLASSES", TEXT, NONE, 10, "")                                                   \
	X(LENGTH,      "seconds", "elapsed",               "", "elapsed", "SECONDS", TIME, NONE, 9, gn_row_own(r))                                         \
	X(ON_CPU,      "cpu",     "on-cpu",                "", "on a CPU", "cpu%", TIME, NONE, 5, gn_class_cpu_ns(r->classes))                             \
	X(NOW,         "now",     "runs-now",              "", "runs now", "RUNS NOW", TEXT, NONE, 16, gn_now_function(m, gn_now_top(r->thread)))          \
	X(MOST,        "most",    "most-time-in",          "", "most time in", "MOST TIME IN", TEXT, NONE, 16, gn_now_function(m, gn_now_most(r->thread)))
/* clang-format on */

enum gn_column_id {
#define GN_COLUMN_ENUM(id, ...) GN_COLUMN_##id,
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

/* How a column was chosen. Later values win. */
enum gn_picked {
	GN_PICKED_FITS = 0, /* by default, when there is room */
	GN_PICKED_GROUP,    /* by a word for many; hidden if all 0 */
	GN_PICKED_NAMED,
};

struct gn_pick {
	int column; /* enum gn_column_id */
	enum gn_picked how;
};

struct gn_picks {
	struct gn_pick pick[GN_COLUMN_COUNT]; /* in order, without duplicates */
	int n;
};

/*
 * Parses a list of columns, separated by commas. `usual` is the list that the
 * word "default" stands for; it must not contain that word. A NULL `list` means
 * "default". `fits`: columns of `usual` may be left out where there is no room.
 * 0, or -EINVAL for an unknown word.
 */
int gn_picks_parse(const char *list, const char *usual, bool fits,
		   enum gn_by by, struct gn_picks *out);

/* The value of a column that is not text; for a percent, the part. Has the type
 * of gn_column.get. */
uint64_t gn_column_value(const struct gn_row *r, int column);

/* The text of a text column; "" if the row has none. NULL if the column is a
 * number. */
const char *gn_column_text(const struct gn_model *m, const struct gn_row *r,
			   int column);

/* Whether the row has no such value: the shortest call if none finished, or,
 * for an await point, a value that only its method has. */
bool gn_column_empty(const struct gn_row *r, int column);
/* Whether the column is 0 in every row. False if there are no rows. */
bool gn_column_zero(const struct gn_rows *rows, int column);
/* Whether the ends of more than a tenth of a function's calls are unknown. Such
 * a call was taken to end at the next known event. */
bool gn_ends_unknown(const struct gn_values *v);
/* Whether the value can be wrong by more than a tenth of it, too many ends are
 * unknown, or calls moved to other threads or stacks. */
bool gn_column_uncertain(const struct gn_row *r, int column);

/* How the column is shown, and the value that is 100 % if `all` are the values
 * of the whole. */
enum gn_show gn_column_show(int column);
uint64_t gn_column_whole(const struct gn_values *all, int column);

/* Whether the column is a percent of elapsed time. */
bool gn_column_elapsed(int column);

/* The class of a column; -1: not a class column. */
int gn_column_class(int column);

/* Whether the first `len` bytes of `word` are the column's short or long
 * name. */
bool gn_column_is(int column, const char *word, size_t len);

/* The short and the long name; the title and least width in the live view. */
const char *gn_column_name(int column);
const char *gn_column_long(int column);
const char *gn_column_brief(int column);
int gn_column_width(int column);

/* The two lines of the column's title in a table. */
void gn_column_titles(int column, enum gn_by by, const char **top,
		      const char **title);

/* The key in CSV and JSON: elapsed_inclusive_ns. */
void gn_column_key(char buf[GN_CELL], int column, enum gn_by by);

#endif
