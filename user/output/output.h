/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Outputs: one file a format over the finished model. outputs.c is the list.
 */
#ifndef GNOMON_OUTPUT_OUTPUT_H
#define GNOMON_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "model/model.h"

/* What a row of a report is. X(enumerator, text, meaning) */
#define GN_BY_LIST(X)                                                       \
	X(FUNCTION, "function", "one row a function")                       \
	X(MODULE, "module", "one row a module")                             \
	X(THREAD, "thread", "one row a thread, with its time classes")      \
	X(PROCESS, "process", "one row a process")                          \
	X(TREE, "tree", "the call tree")                                    \
	X(CALLERS, "callers", "each function with callers and callees")     \
	X(WAITS, "waits", "what each function waited for, and who woke it") \
	X(ASYNC, "async", "async methods, and where they were suspended")   \
	X(GC, "gc", "one row a garbage collection")                         \
	X(JIT, "jit", "one row a compilation")                              \
	X(EXCEPTIONS, "exceptions", "by class, thrown in and caught in")    \
	X(LOADS, "loads", "assemblies, modules and classes")                \
	X(ALLOCATIONS, "allocations", "by class and function")              \
	X(EVENTS, "events", "all events of runtimes, by time")              \
	X(SAMPLES, "samples", "what ran, by the samples of --snapshot")     \
	X(SYSCALLS, "syscalls", "system calls, of --os syscalls")           \
	X(THREAD_SYSCALLS, "thread-syscalls", "the same of each thread")
/* The same for rows that are written during the replay (timeline.h) */
#define GN_BY_WALK_LIST(X) X(CALLS, "calls", "each call, in the order of time")

enum gn_by {
#define GN_BY_ENUM(name, text, meaning) GN_BY_##name,
	GN_BY_LIST(GN_BY_ENUM) GN_BY_COUNT, /* of the model */
	GN_BY_WALK = GN_BY_COUNT - 1,
	GN_BY_WALK_LIST(GN_BY_ENUM)
#undef GN_BY_ENUM
		GN_BY_ALL_COUNT
};

/* The bases of percents in a table. X(enumerator, text) */
#define GN_OF_LIST(X)         \
	X(THREADS, "threads") \
	X(BUSY, "busy")       \
	X(WALL, "wall")

/* The elapsed time of all threads; of the threads that did not only wait; of
 * the capture. Percents of application time are of all application time, or of
 * the capture's time. */
enum gn_of {
#define GN_OF_ENUM(name, text) GN_OF_##name,
	GN_OF_LIST(GN_OF_ENUM)
#undef GN_OF_ENUM
		GN_OF_COUNT
};

/* Whether rows own all their time: threads and processes do. */
static inline bool gn_by_owns_all(enum gn_by by)
{
	return by == GN_BY_THREAD || by == GN_BY_PROCESS;
}

/* Whether the report has its own columns, and other rows below its rows. */
static inline bool gn_by_has_own_columns(enum gn_by by)
{
	return by == GN_BY_WAITS || by == GN_BY_ASYNC;
}

/* The progress of a format with many rows: rows written, and all rows as far as
 * known. */
struct gn_steps {
	uint64_t done, all;
};

struct gn_output_opts {
	enum gn_by by;
	/* tables and CSV: see gn_columns_check(); NULL = the default */
	const char *columns;
	const char *sort; /* a column's name, NULL = the default */
	size_t limit;	  /* rows, 0 = all */
	double min_pct;	  /* tree and callers: hide rows below it, default 0 */
	bool color;
	bool utf8; /* names may hold UTF-8; else only ASCII, the rest escaped */
	int width; /* of lines; 0 = no limit */
	enum gn_of of; /* tables: the base of percents */
	bool ns;       /* tables: exact nanoseconds, not 12.345 ms */
	bool verbose;  /* tables: more columns, whole module paths */
	bool bare;     /* tables: no header; losses are still reported */
	bool tree;     /* JSON: the call tree, too */
	/* ndjson: "name=value" each; names have at most GN_LABEL_KEY bytes */
	const char *const *labels;
	size_t nlabels;
	struct gn_steps *steps; /* NULL: progress is not needed */
};

/* Counts rows that were written, or that will be. */
static inline void gn_steps_done(struct gn_steps *s, uint64_t n)
{
	if (s)
		s->done += n;
}

static inline void gn_steps_more(struct gn_steps *s, uint64_t n)
{
	if (s)
		s->all += n;
}

/* What a user can choose in a format. */
enum gn_shape {
	GN_SHAPE_ROWS,	 /* rows and columns */
	GN_SHAPE_STACKS, /* call paths: columns that can be summed */
	GN_SHAPE_ALL,	 /* nothing: it has everything */
};

struct gn_output {
	const char *name;
	const char *help;
	enum gn_shape shape;
	bool binary;
	/* 0, or -errno from the stream. -EINVAL: opts->sort is not a column, or
	 * opts->columns is not a list of columns. The pointer is NULL if this
	 * gnomon was built without `needs`. */
	int (*write)(const struct gn_model *m, const struct gn_output_opts *o,
		     FILE *f);
	const char *needs;
	const char *ending; /* of a file's name, without a dot */
};

/* The most bytes of a label's name. */
#define GN_LABEL_KEY 63

/* NULL when there is no such format. */
const struct gn_output *gn_output_find(const char *name);
/* The i-th format, NULL past the last. */
const struct gn_output *gn_output_at(size_t i);

/* The JSON Schema of docs/json.md. */
extern const char gn_json_schema[];

/* 0 if `list` is a list of columns, else -EINVAL. Its words, separated by
 * commas: default, all, classes, classes+, and the names of columns.h. */
int gn_columns_check(const char *list);
/* The same for a format of stacks. */
int gn_paths_check(const char *list);
/* The i-th name that rows can be sorted by, NULL past the last. Names and ids
 * are sorted ascending, everything else descending. */
const char *gn_sort_choice(size_t i);
/* Whether rows of `by` can be sorted by that name. */
bool gn_sort_fits(const char *name, enum gn_by by);
/* The names that fit, without the long ones, for a message. */
#define GN_SORT_KEYS 256
void gn_sort_keys(char buf[GN_SORT_KEYS], enum gn_by by);

#endif
