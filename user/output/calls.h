/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A timeline whose rows are single calls. calls.c follows the calls of the
 * replay and selects among them; a writer prints those.
 */
#ifndef GNOMON_OUTPUT_CALLS_H
#define GNOMON_OUTPUT_CALLS_H

#include "output/text.h"
#include "output/timeline.h"

struct gn_calls_thread {
	uint32_t pid, tid;
	char *name, *process_name;
	uint64_t start; /* of the session; of the thread if not known */
	bool shown;	/* --thread takes it */
	bool told;	/* for the writer: the thread's line is written */
};

struct gn_calls_function {
	char *name, *module; /* not escaped, hostile */
	char *shown;	     /* the name that people read */
	char *file;	     /* its source, hostile; NULL: not known */
	uint32_t line;
	char *text; /* for the writer: the escaped name */
	enum gn_runtime_id runtime;
	bool matches; /* --only takes it */
};

/* Sums of intervals, as in struct gn_values. */
struct gn_calls_sums {
	uint64_t elapsed, app;
	uint64_t classes[GN_CLASS_COUNT];
};

/* An argument or a result, as in struct gn_seen_value. */
struct gn_call_value {
	uint64_t number;
	uint8_t which, type, flags;
	uint32_t class_fn;
	size_t len;
	char text[GN_SEEN_TEXT + 1]; /* `len` bytes of any value, and a NUL */
};

struct gn_call {
	struct gn_calls_thread *thread;
	struct gn_calls_function *function;
	uint64_t id, parent; /* from 1 on; parent 0: none is shown */
	uint32_t level;	     /* 1: the outermost shown call */
	enum gn_frame_begin begin;
	uint64_t start;
	const struct gn_call_value *values;
	size_t nvalues;
	/* only if the call has ended */
	uint64_t end;
	enum gn_frame_end how;
	struct gn_calls_sums own; /* of the call and its callees */
};

/* Each returns 0 or -errno. All but close() and lost() may be NULL. */
struct gn_calls_writer {
	/* Called before all others. */
	int (*begin)(void *ctx);
	/* Called when a function's name is known. May set `text`. */
	int (*name)(void *ctx, struct gn_calls_function *f);
	/* The call has begun, and calls inside it follow. */
	int (*open)(void *ctx, const struct gn_call *c);
	/* The call ended; `opened`: open() was called for it. */
	int (*close)(void *ctx, const struct gn_call *c, bool opened);
	int (*lost)(void *ctx, struct gn_calls_thread *t, uint64_t start,
		    uint64_t end);
	/* Called at the end, with the number of shown calls and of all
	 * calls. */
	int (*finish)(void *ctx, const struct gn_model *m, uint64_t shown,
		      uint64_t all);
};

/* Whether the value is floating-point. If so, sets *value. */
bool gn_call_float(const struct gn_call_value *v, double *value);

/* Formats a value that is not text for people. */
void gn_call_number(char buf[GN_CELL], const struct gn_call_value *v);

struct gn_calls_out {
	FILE *f;
	const struct gn_timeline_opts *opts;
	const struct gn_calls_function *functions; /* by fn */
};

/* The entry that names the object's class. NULL: not known. */
const struct gn_calls_function *gn_call_class(const struct gn_calls_out *out,
					      const struct gn_call_value *v);

extern const struct gn_calls_writer gn_calls_table, gn_calls_ndjson;

/* The timeline of calls in that format. NULL: there is none. */
const struct gn_timeline *gn_calls_timeline(const char *format);

#endif
