/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What functions waited for, and who woke them: slices, summed by owner, class,
 * reason and waker. The slices of an open interval stay in a short list: only
 * its end shows their owner, and whether they are plausible.
 */
#ifndef GNOMON_MODEL_WAITS_H
#define GNOMON_MODEL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/time_class.h>
#include "model/model.h"
#include "model/table.h"

/* Limits of rows with wakers, and of all rows with reasons. Beyond them, slices
 * go to rows without these. */
#define GN_WAITS_MAX   65536
#define GN_REASONS_MAX (2 * GN_WAITS_MAX)
#define GN_WAIT_OPEN_MAX \
	64 /* slices of an interval; beyond, rows have a class only */

struct gn_wait {
	uint32_t fn;	   /* index in names; GN_NONE: outside of any */
	uint32_t waker;	   /* tid; 0: unknown */
	uint32_t waker_fn; /* index in names; GN_NONE: not known */
	uint16_t reason;
	uint8_t class;
	uint8_t polled, end;	/* POLL: enum gn_polled, enum gn_wait_end */
	bool idle;		/* a worker waited for work */
	uint8_t halt;		/* OTHER: enum gn_halt */
	bool interpreter;	/* LOCK: its interpreter's lock */
	const char *waker_name; /* interned; NULL: not traced */
	uint64_t ns, count, longest;
	/* the part that an async method ended by completing */
	uint64_t task_ns, tasks;
	/* the part that began while gnomon attached; the longest without it */
	uint64_t attach_ns, attaches, later_longest;
	/* in how many moments of starvation (starved.h) a worker waited so */
	uint64_t starved;
	uint64_t taken_ns; /* the part of workers (taken.h) */
};

struct gn_waits {
	struct gn_wait *rows;
	uint32_t n, cap;
	struct gn_table by_hash;
};

void gn_waits_free(struct gn_waits *w);

/* Adds to the equal row, or adds the row. 0 or -ENOMEM. */
int gn_waits_add(struct gn_waits *w, const struct gn_wait *row);

/* The slices of one open interval. All zeros: none. */
struct gn_wait_list {
	struct gn_wait *rows;
	uint32_t n, cap;
};

/* Adds a slice. Its owner is ignored. 0 or -ENOMEM. */
int gn_wait_list_add(struct gn_wait_list *l, const struct gn_wait *row);

/* Adds all, owned by fn, to `w`, and empties the list. 0 or -ENOMEM. */
int gn_wait_list_flush(struct gn_wait_list *l, struct gn_waits *w, uint32_t fn);

void gn_wait_list_free(struct gn_wait_list *l);

/* All rows so far began while gnomon attached. */
void gn_wait_rows_attach(struct gn_wait *rows, uint32_t n);

/* Makes the model's rows, unsorted. `function_of`: index in names -> function.
 * 0 or -ENOMEM. */
int gn_waits_build(const struct gn_waits *w, const uint32_t *function_of,
		   struct gn_model *m);

/* Merges rows of equal functions and sorts all in the model's order. Call it
 * after the functions are sorted. */
void gn_waits_order(struct gn_model *m);

#endif
