/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of one thread's records: their sequences say what was lost, and
 * slices that overtook a record of an earlier time wait for it. Whatever comes
 * out is in the order of time; nothing after this stage knows from which
 * stream a record came.
 */
#ifndef GNOMON_MODEL_ORDER_H
#define GNOMON_MODEL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/event.h>

/* Slices that may wait for a record: a probe program is rarely switched out
 * even once. More of them go on at once. */
#define GN_HELD_MAX 16

struct gn_order {
	uint32_t next;	     /* number of the next collect or note record */
	uint32_t next_slice; /* and of the next slice */
	uint64_t time;	     /* of the last collect record */
	uint32_t nheld, held_cap;
	struct gn_rec_slice *held;
};

struct gn_order_seen {
	uint32_t lost; /* records that are missing before this one */
	bool reversed; /* number or time went back */
	bool drop;     /* the record was there already */
	uint64_t time; /* the record's, or the last one's where it went back */
};

void gn_order_init(struct gn_order *o, uint64_t time);
void gn_order_free(struct gn_order *o);

/* What the number and time of a collect (a note, a slice) record say. */
struct gn_order_seen gn_order_collect(struct gn_order *o,
				      const struct gn_rec *rec);
struct gn_order_seen gn_order_note(struct gn_order *o,
				   const struct gn_rec *rec);
struct gn_order_seen gn_order_slice(struct gn_order *o,
				    const struct gn_rec *rec);

/* Keeps a slice for the next collect record. False: it need not (or there is
 * no room to) wait, it is to go on at once. */
bool gn_order_hold(struct gn_order *o, const struct gn_rec_slice *s);

/* Takes the first held slice that starts before `time` out. False: none. */
bool gn_order_release(struct gn_order *o, uint64_t time,
		      struct gn_rec_slice *out);

#endif
