/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Async methods: sums by method and by await point, without following single
 * instances. The time of all instances is the sum of their ends less the sum of
 * their starts; at an await point, that of resumptions less that of
 * suspensions. Spans that are still open count as ended with their program.
 */
#ifndef GNOMON_MODEL_ASYNC_H
#define GNOMON_MODEL_ASYNC_H

#include <gnomon/event.h>
#include "model/model.h"
#include "model/names.h"
#include "model/table.h"

/* Sums of times wrap (modulo 2^64). */
struct gn_span_sum {
	uint64_t begun, ended;
	uint64_t begin_sum, end_sum;
};

struct gn_async_point {
	uint32_t method; /* index in methods */
	int32_t state;
	struct gn_span_sum waits;
	uint64_t older; /* resumptions of suspensions from before the session */
	/* what it waits for: index + 1 of the point where the method that it
	 * called was last suspended; 0: none */
	uint32_t inner;
};

struct gn_async_method {
	uint32_t fn;
	struct gn_span_sum lives;
	uint64_t faulted, most;
	uint64_t older; /* ends of instances that began before the session */
};

struct gn_async_program {
	uint64_t end; /* of the program or the session; 0: not known yet */
	bool lost;    /* records of its threads were lost */
};

/* All zeros: empty. */
struct gn_asyncs {
	struct gn_async_method *methods;
	uint32_t nmethods, methods_cap;
	struct gn_table by_fn; /* -> methods */
	struct gn_async_point *points;
	uint32_t npoints, points_cap;
	struct gn_table by_point; /* method << 32 | state -> points */
	struct gn_table lines;	  /* fn << 32 | state -> source line */
	struct gn_async_program *programs;
	uint32_t nprograms, programs_cap;
};

/*
 * Takes a record of a GN_KIND_IS_ASYNC kind. `suspended` belongs to the thread
 * and starts at 0: it is index + 1 of the point of the method that was just
 * suspended, which the caller's own suspension refers to. 0, -ENOMEM.
 */
int gn_async_take(struct gn_asyncs *a, const struct gn_rec *r, uint32_t fn,
		  uint32_t *suspended);
/* Sets the source line where a function is suspended in a state. 0, -ENOMEM. */
int gn_async_line(struct gn_asyncs *a, uint32_t fn, int32_t state,
		  uint32_t line);
void gn_async_free(struct gn_asyncs *a);

/* The program did not end before `time`. `lost`: some of its threads' records
 * were lost, so its sums may lack some. 0, -ENOMEM. */
int gn_async_lasts(struct gn_asyncs *a, uint32_t program, uint64_t time,
		   bool lost);

/* Builds the model's rows. `function_of`: index in names -> function. 0,
 * -ENOMEM. */
int gn_async_build(const struct gn_asyncs *a, const struct gn_fn *fns,
		   const uint32_t *function_of, struct gn_model *m);
/* Sorts them. Call it after the functions are sorted. */
void gn_async_order(struct gn_model *m);

#endif
