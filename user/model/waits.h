/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What functions waited for, and who woke them: slices, summed by owner, class,
 * reason and waker. The slices of an open interval are a short list, for it is
 * its end that says whom they belong to and whether they can be true.
 */
#ifndef GNOMON_MODEL_WAITS_H
#define GNOMON_MODEL_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/time_class.h>
#include "model/model.h"
#include "model/table.h"

/* Rows that tell wakers; and rows in all that tell reasons. What comes beyond
 * is merged into rows that do not. */
#define GN_WAITS_MAX   65536
#define GN_REASONS_MAX (2 * GN_WAITS_MAX)
#define GN_WAIT_OPEN_MAX                                     \
	64 /* of an interval; beyond, rows of the class only \
	    */

struct gn_wait {
	uint32_t fn;	   /* index in names, GN_NONE = outside of any */
	uint32_t waker;	   /* tid, 0 = unknown */
	uint32_t waker_fn; /* index in names, GN_NONE = not known */
	uint16_t reason;
	uint8_t class;
	uint8_t polled, end;	/* POLL: enum gn_polled, enum gn_wait_end */
	bool idle;		/* a worker that has nothing to do */
	const char *waker_name; /* interned; NULL: not traced */
	uint64_t ns, count, longest;
};

struct gn_waits {
	struct gn_wait *rows;
	uint32_t n, cap;
	struct gn_table by_hash;
};

void gn_waits_free(struct gn_waits *w);

/* Adds the row to the one of its kind. 0 or -ENOMEM. */
int gn_waits_add(struct gn_waits *w, const struct gn_wait *row);

/* The slices of one open interval. All zeros: none. */
struct gn_wait_list {
	struct gn_wait *rows;
	uint32_t n, cap;
};

/* One slice; its owner is not looked at. 0 or -ENOMEM. */
int gn_wait_list_add(struct gn_wait_list *l, const struct gn_wait *row);

/* Adds them all, owned by fn, and empties the list. 0 or -ENOMEM. */
int gn_wait_list_flush(struct gn_wait_list *l, struct gn_waits *w, uint32_t fn);

void gn_wait_list_free(struct gn_wait_list *l);

/* The model's rows, in no order yet: `function_of` is by index in names.
 * 0 or -ENOMEM. */
int gn_waits_build(const struct gn_waits *w, const uint32_t *function_of,
		   struct gn_model *m);

/* Once the functions have their places: rows of the same functions are one,
 * and all are in the model's order. */
void gn_waits_order(struct gn_model *m);

#endif
