/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packs records: what can be predicted from the records before it in the chunk
 * is left out. docs/trace-format.md has the rules. Writer and reader keep the
 * same state, which starts empty in each chunk. Pure.
 */
#ifndef GNOMON_TRACE_PACK_H
#define GNOMON_TRACE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/event.h>

/* A chunk has one column for each kind of byte, since similar bytes compress
 * best together. */
enum gn_pack_column {
	GN_PACK_CONTROL, /* a byte a record */
	GN_PACK_TIME_0,	 /* the low byte of its time */
	GN_PACK_TIME_1,	 /* the next one, where the time has it */
	GN_PACK_REST,
	GN_PACK_COLUMNS
};

/* The most bytes that records of `size` bytes take in all columns, and the most
 * of it in REST. Of the others each record has one byte at most. */
static inline size_t gn_pack_bound(size_t size)
{
	return 2 * size;
}

struct gn_pack_state;

struct gn_packer {
	struct gn_pack_state *state;
	unsigned char *at[GN_PACK_COLUMNS]; /* the next byte of each */
};

struct gn_unpacker {
	struct gn_pack_state *state;
	const unsigned char *at[GN_PACK_COLUMNS], *end[GN_PACK_COLUMNS];
};

/* NULL: no memory. */
struct gn_pack_state *gn_pack_state_new(void);
void gn_pack_state_free(struct gn_pack_state *s);

/* A new chunk begins. */
void gn_pack_reset(struct gn_pack_state *s);

/* A well-formed record; the columns have room for it. */
void gn_pack(struct gn_packer *p, const struct gn_rec *rec, size_t size);

/* All records of the columns, into `out`, which is 8-byte aligned and has
 * `room` bytes; `*size` of them were used. False: they do not fit, or the
 * columns contradict each other. Nothing is said of the records: each can be
 * anything of a size that is a multiple of 8, at least sizeof(struct gn_rec).
 */
bool gn_unpack(struct gn_unpacker *u, void *out, size_t room, size_t *size);

#endif
