/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of a table or CSV file, in order. They point into the model.
 */
#ifndef GNOMON_OUTPUT_ROWS_H
#define GNOMON_OUTPUT_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "model/model.h"
#include "output/output.h"

enum gn_row_kind {
	GN_ROW_PLAIN = 0,
	GN_ROW_CALLER, /* a caller of the plain row that follows */
	GN_ROW_CALLEE, /* a callee of the plain row before */
	GN_ROW_REASON, /* a reason why the plain row before waited */
};

struct gn_row {
	const struct gn_values *v;
	const uint64_t *classes; /* what the row's class columns show */
	const char *name;	 /* never NULL */
	const char *shown;	 /* what people read; NULL: name */
	const char *module;	 /* never NULL; "" if unknown or not
				  * applicable */
	const char *runtime;	 /* NULL when it has none */
	uint32_t id;		 /* its index in its array of the model */
	int32_t parent;		 /* tree: id of its parent, -1 = none */
	uint32_t depth;		 /* tree: 0 = the session */
	uint32_t pid, tid;
	uint64_t threads;			/* processes */
	const struct gn_model_process *process; /* processes; else NULL */
	const struct gn_model_thread *thread;	/* threads; else NULL */
	uint64_t gaps;				/* threads */
	enum gn_row_kind kind;
	/* waits: a function's sums, or those of one of its reasons */
	struct {
		uint64_t ns, count, longest;
		const struct gn_model_wait *of; /* NULL: of more than one */
	} wait;
	/* async: a method's sums, or those of one of its await points */
	struct {
		uint64_t ns, mean, running, count, faulted, open, most;
		const struct gn_model_async *of;
		const struct gn_model_await *at; /* NULL: of the method */
	} async;
	char *own; /* owned text that `name` points to, or NULL */
};

struct gn_rows {
	struct gn_row *row;
	size_t n;
	size_t limited; /* rows that opts->limit left out */
	size_t below;	/* rows that opts->min_pct left out */
};

/* 0, -EINVAL if opts->sort is not a column, -ENOMEM, -EBADMSG if the model's
 * tree is malformed. Free with gn_rows_clear() in each case. */
int gn_rows_make(const struct gn_model *m, const struct gn_output_opts *o,
		 struct gn_rows *out);
void gn_rows_clear(struct gn_rows *rows);

static inline const char *gn_row_shown(const struct gn_row *r)
{
	return r->shown ? r->shown : r->name;
}

/* The mean elapsed time of a finished call; 0 if none finished. */
static inline uint64_t gn_row_avg(const struct gn_row *r)
{
	return r->v->finished ? r->v->spent / r->v->finished : 0;
}

/* The row's own time: all time of a thread, the exclusive time of a
 * function. */
static inline uint64_t gn_row_own(const struct gn_row *r)
{
	return r->thread ? r->thread->elapsed : r->v->elapsed_excl;
}

/* Fills the row of the i-th function, module, thread or process. */
void gn_row_make(struct gn_row *row, const struct gn_model *m, enum gn_by by,
		 uint32_t i);

/* Shared by rows.c and the files beside it: the rows of one table each. */
int gn_rows_flat(const struct gn_model *m, const struct gn_output_opts *o,
		 struct gn_rows *out);
int gn_rows_tree(const struct gn_model *m, const struct gn_output_opts *o,
		 struct gn_rows *out);
int gn_rows_callers(const struct gn_model *m, const struct gn_output_opts *o,
		    struct gn_rows *out);
int gn_rows_async(const struct gn_model *m, const struct gn_output_opts *o,
		  struct gn_rows *out);
int gn_rows_waits(const struct gn_model *m, const struct gn_output_opts *o,
		  struct gn_rows *out);
void gn_row_function(struct gn_row *row, const struct gn_model *m,
		     int32_t function, const struct gn_values *v);
/* Adds a row of zeros. *room: the allocated rows. NULL: no memory. */
struct gn_row *gn_rows_add(struct gn_rows *rows, size_t *room);

/* Sorts rows by a column; NULL keeps the model's order. -EINVAL: not a
 * column. */
int gn_rows_sort(struct gn_row *row, size_t n, const char *column,
		 enum gn_by by);
/* Sorts rows by o->sort, and keeps at most o->limit of them. */
int gn_rows_order(struct gn_rows *rows, const struct gn_output_opts *o);

#endif
