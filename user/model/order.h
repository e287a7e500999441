/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Orders the records of one thread. Gaps in their sequence numbers show losses.
 * A slice that overtook a record of an earlier time waits for that. The output
 * is ordered by time; later stages do not know which stream a record came from.
 */
#ifndef GNOMON_MODEL_ORDER_H
#define GNOMON_MODEL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>

/* How many slices can wait for a record. A probe program is rarely switched out
 * even once. More slices are passed on at once. */
#define GN_HELD_MAX 16

struct gn_order {
	/* expected number of the next collect or note record */
	uint32_t next;
	uint32_t next_slice; /* expected number of the next slice */
	uint64_t time;	     /* of the last collect record */
	uint32_t nheld, held_cap;
	struct gn_rec_slice *held;
};

struct gn_order_seen {
	uint32_t lost; /* records missing before this one */
	bool reversed; /* its number or time went back */
	bool drop;     /* it is a duplicate */
	/* the record's time, or the last one if time went back */
	uint64_t time;
};

void gn_order_init(struct gn_order *o, uint64_t time);
void gn_order_free(struct gn_order *o);

/* Evaluates the number and time of a collect (note, slice) record. */
struct gn_order_seen gn_order_collect(struct gn_order *o,
				      const struct gn_rec *rec);
struct gn_order_seen gn_order_note(struct gn_order *o,
				   const struct gn_rec *rec);
struct gn_order_seen gn_order_slice(struct gn_order *o,
				    const struct gn_rec *rec);

/* Keeps a slice until the next collect record. Returns false if the slice does
 * not have to wait, or if there is no room: then pass it on at once. */
bool gn_order_hold(struct gn_order *o, const struct gn_rec_slice *s);

/* Removes the first held slice that starts before `time`. False: none. */
bool gn_order_release(struct gn_order *o, uint64_t time,
		      struct gn_rec_slice *out);

#endif
