/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a model's JSON, shared by reports and the live view. Each part
 * appends its fields to an open object; the caller opens and closes it, and
 * checks gn_stream_status() when no part has returned it.
 */
#ifndef GNOMON_OUTPUT_JSON_H
#define GNOMON_OUTPUT_JSON_H

#include "output/emit.h"
#include "output/output.h"
#include "output/rows.h"
#include "output/waits.h"

struct gn_json;

/* What a caller can change in the arrays. Each may be NULL. */
struct gn_json_hooks {
	/* False: the row is left out, but not counted as hidden. */
	bool (*wanted)(const struct gn_json *j, enum gn_by by,
		       const struct gn_row *r);
	/* Adds fields to the row's object. */
	void (*more)(struct gn_json *j, enum gn_by by, const struct gn_row *r);
};

struct gn_json {
	struct gn_emit e;
	const struct gn_model *m;
	const struct gn_output_opts *o;
	const struct gn_json_hooks *hooks; /* NULL: none */
	void *ctx;			   /* for the hooks */
	struct gn_wait_groups waits;
	size_t hidden[GN_BY_COUNT]; /* rows left out by a limit */
};

/* Begins a model's JSON on `f`. 0, -EINVAL: o->sort is not a column; -ENOMEM,
 * -EBADMSG. Call gn_json_end() in each case. Neither writes anything. */
int gn_json_begin(struct gn_json *j, FILE *f, const struct gn_model *m,
		  const struct gn_output_opts *o);
void gn_json_end(struct gn_json *j);

/* "version" up to "probe_cost": what was traced, and the session's sums. 0,
 * -ENOMEM. */
int gn_json_head(struct gn_json *j);
/* "lost", with the number of lost records, "checks", "counters". */
void gn_json_counts(struct gn_json *j, uint64_t lost);
/* "functions", "modules", "processes", "threads". 0, -errno of the stream,
 * -ENOMEM. */
int gn_json_arrays(struct gn_json *j);
/* "waits" outside of any function. */
void gn_json_waits(struct gn_json *j);
/* "hidden": the number of rows that the limit left out so far. */
void gn_json_hidden(struct gn_json *j);

/* An object of times by class. */
void gn_json_classes(struct gn_emit *e, const char *key,
		     const uint64_t classes[GN_CLASS_COUNT]);

/* "name", "module" and "runtime" of a function of the model; -1 is outside of
 * any function, and is named (root). */
void gn_json_function(struct gn_emit *e, const struct gn_model *m,
		      int32_t function);

/* "syscall" and "syscall_name"; nothing for GN_NO_SYSCALL. */
void gn_json_syscall(struct gn_emit *e, uint16_t reason);

#endif
