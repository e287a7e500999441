/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Async methods: sums by method and by await point, of which no instance needs
 * to be followed. The time of all instances is the sum of their ends less the
 * sum of their starts, and that at a point the sum of resumptions less that of
 * suspensions. One that is still open ends, for the sums, with its program.
 */
#ifndef GNOMON_MODEL_ASYNC_H
#define GNOMON_MODEL_ASYNC_H

#include <gnomon/event.h>
#include "model/model.h"
#include "model/names.h"
#include "model/table.h"

/* Sums of times are modulo 2^64. */
struct gn_span_sum {
	uint64_t begun, ended;
	uint64_t begin_sum, end_sum;
};

struct gn_async_point {
	uint32_t method; /* index in methods */
	int32_t state;
	struct gn_span_sum waits;
	uint64_t older; /* resumed, suspended before the session */
	/* index + 1 of the point at which the method that it called was
	 * suspended last: what it waits for; 0: of none */
	uint32_t inner;
};

struct gn_async_method {
	uint32_t fn;
	struct gn_span_sum lives;
	uint64_t faulted, most;
	uint64_t older; /* ended, begun before the session */
};

struct gn_async_program {
	uint64_t end; /* of it, or of the session; 0: not known (yet) */
	bool lost;    /* records of its threads were lost */
};

/* All zeros is empty. */
struct gn_asyncs {
	struct gn_async_method *methods;
	uint32_t nmethods, methods_cap;
	struct gn_table by_fn; /* -> methods */
	struct gn_async_point *points;
	uint32_t npoints, points_cap;
	struct gn_table by_point; /* method << 32 | state -> points */
	struct gn_table lines;	  /* fn << 32 | state -> in its source */
	struct gn_async_program *programs;
	uint32_t nprograms, programs_cap;
};

/*
 * A record of kind GN_KIND_IS_ASYNC of function `fn`. `suspended`: the thread's
 * own, 0 at first: index + 1 of the point of the method that has just been
 * suspended, for the one that called it. 0, -ENOMEM.
 */
int gn_async_take(struct gn_asyncs *a, const struct gn_rec *r, uint32_t fn,
		  uint32_t *suspended);
/* Where a function is suspended in a state. 0, -ENOMEM. */
int gn_async_line(struct gn_asyncs *a, uint32_t fn, int32_t state,
		  uint32_t line);
void gn_async_free(struct gn_asyncs *a);

/* The program did not end before `time`; `lost`: begins, ends and waits of its
 * methods can be among lost records. 0, -ENOMEM. */
int gn_async_lasts(struct gn_asyncs *a, uint32_t program, uint64_t time,
		   bool lost);

/* Makes the model's rows; `function_of`: functions by fn. 0, -ENOMEM. */
int gn_async_build(const struct gn_asyncs *a, const struct gn_fn *fns,
		   const uint32_t *function_of, struct gn_model *m);
/* Puts them into their order, when functions are in theirs. */
void gn_async_order(struct gn_model *m);

#endif
