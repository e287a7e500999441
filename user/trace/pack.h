/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs records: leaves out what can be predicted from earlier records of the
 * chunk. docs/trace-format.md has the rules. Writer and reader keep the same
 * state, which starts empty in each chunk. Pure.
 */
#ifndef GNOMON_TRACE_PACK_H
#define GNOMON_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

/* A chunk has one column for each kind of byte, because similar bytes compress
 * best together. */
enum gn_pack_column {
	GN_PACK_CONTROL, /* one byte per record */
	GN_PACK_TIME_0,	 /* the low byte of each time */
	GN_PACK_TIME_1,	 /* the next byte, for times that have one */
	GN_PACK_REST,
	GN_PACK_COLUMNS
};

/* Upper bound of the bytes that records of `size` bytes take in all columns,
 * and in REST. In each other column a record takes at most one byte. */
static inline size_t gn_pack_bound(size_t size)
{
	return 2 * size;
}

struct gn_pack_state;

struct gn_packer {
	struct gn_pack_state *state;
	unsigned char *at[GN_PACK_COLUMNS]; /* next byte of each column */
};

struct gn_unpacker {
	struct gn_pack_state *state;
	const unsigned char *at[GN_PACK_COLUMNS], *end[GN_PACK_COLUMNS];
};

/* NULL: no memory. */
struct gn_pack_state *gn_pack_state_new(void);
void gn_pack_state_free(struct gn_pack_state *s);

/* Begins a new chunk. */
void gn_pack_reset(struct gn_pack_state *s);

/* Packs a well-formed record. The columns must have room for it. */
void gn_pack(struct gn_packer *p, const struct gn_rec *rec, size_t size);

/*
 * Unpacks all records of the columns into `out`, which is 8-byte aligned and
 * has `room` bytes; `*size` gets the bytes used. False: they do not fit, or the
 * columns contradict each other. The records are not checked: each can contain
 * anything, and its size is a multiple of 8 and at least sizeof(struct gn_rec).
 */
bool gn_unpack(struct gn_unpacker *u, void *out, size_t room, size_t *size);

#endif
