/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each call, as it was: a timeline whose rows are calls. calls.c follows them
 * over the walk and chooses; a writer shows what was chosen.
 */
#ifndef GNOMON_OUTPUT_CALLS_H
#define GNOMON_OUTPUT_CALLS_H

#include "output/text.h"
#include "output/timeline.h"

struct gn_calls_thread {
	uint32_t pid, tid;
	char *name, *process_name;
	uint64_t start; /* of the session, as far as it is known */
	bool shown;	/* --thread takes it */
	bool told;	/* the writer's: a line of it was written */
};

struct gn_calls_function {
	char *name, *module; /* as they are, and hostile */
	char *shown;	     /* the name that people read */
	char *file;	     /* of its source, hostile; NULL: not known */
	uint32_t line;
	char *text; /* the writer's: the name as it is shown */
	enum gn_runtime_id runtime;
	bool matches; /* --only takes it */
};

/* Sums of intervals, as of struct gn_values. */
struct gn_calls_sums {
	uint64_t elapsed, app;
	uint64_t classes[GN_CLASS_COUNT];
};

/* An argument or a result, as of struct gn_seen_value. */
struct gn_call_value {
	uint64_t number;
	uint8_t which, type, flags;
	char text[GN_SEEN_TEXT + 1];
};

struct gn_call {
	struct gn_calls_thread *thread;
	struct gn_calls_function *function;
	uint64_t id, parent; /* from 1 on; parent 0: none that is shown */
	uint32_t level;	     /* 1: the outermost that is shown */
	enum gn_frame_begin begin;
	uint64_t start;
	const struct gn_call_value *values;
	size_t nvalues;
	/* of one that ended */
	uint64_t end;
	enum gn_frame_end how;
	struct gn_calls_sums own; /* of it and what it called */
};

/* Each returns 0 or -errno. */
struct gn_calls_writer {
	/* A function's name is known; sets `text`, if it has use for it. */
	int (*name)(void *ctx, struct gn_calls_function *f);
	/* The call goes on, and calls inside it follow. */
	int (*open)(void *ctx, const struct gn_call *c);
	/* It ended; `opened`: open() was called for it. */
	int (*close)(void *ctx, const struct gn_call *c, bool opened);
	int (*lost)(void *ctx, struct gn_calls_thread *t, uint64_t start,
		    uint64_t end);
	/* So many calls were shown, of all of them. */
	int (*finish)(void *ctx, const struct gn_model *m, uint64_t shown,
		      uint64_t all);
};

/* A value that is no text, as people read it. */
void gn_call_number(char buf[GN_CELL], const struct gn_call_value *v);

struct gn_calls_out {
	FILE *f;
	const struct gn_timeline_opts *opts;
};

extern const struct gn_calls_writer gn_calls_table, gn_calls_ndjson;

/* The timeline of calls in the format of that name; NULL: there is none. */
const struct gn_timeline *gn_calls_timeline(const char *format);

#endif
