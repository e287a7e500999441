/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts that sections of precompiled code (ReadyToRun images) are made of:
 * the table of sections, and numbers of different length. The module is
 * hostile.
 */
#ifndef GNOMON_CLR_R2R_READ_H
#define GNOMON_CLR_R2R_READ_H

#include "pe.h"

/* Flags of the header. */
#define GN_R2R_COMPONENT 0x20u /* its code is in another file */
#define GN_R2R_MULTI	 0x40u /* modules are told beside methods */

/* False: the module has no such header. */
bool gn_r2r_flags(const struct gn_pe *pe, uint32_t *flags);

/* A section by its type, which the module need not have. */
bool gn_r2r_section(const struct gn_pe *pe, uint32_t type,
		    struct gn_bytes *found);

/* The same of a component of a composite image `pe`: `core` is its own part of
 * the header, the flags and what follows. */
bool gn_r2r_section_of(const struct gn_pe *pe, const struct gn_bytes *core,
		       uint32_t type, struct gn_bytes *found);

/* Of a section. */
struct gn_r2r_reader {
	struct gn_bytes b;
	size_t at;
	bool bad; /* it was read past its end */
};

/* An integer of `n` bytes, 0 past the end. */
uint32_t gn_r2r_take(struct gn_r2r_reader *r, unsigned int n);
/* One whose first byte says how many follow it. */
uint32_t gn_r2r_number(struct gn_r2r_reader *r, bool is_signed);

/*
 * A hash table: calls `each` with a reader at each entry, until one returns
 * false. False too if the table is cut off or has more entries than bytes,
 * as a table does whose buckets overlap.
 */
typedef bool (*gn_r2r_entry_fn)(void *ctx, struct gn_r2r_reader entry);
bool gn_r2r_entries(const struct gn_bytes *table, gn_r2r_entry_fn each,
		    void *ctx);

#define GN_R2R_METHODS	    103u /* a section: entry points of methods, sparse */
#define GN_R2R_ELEMENTS_MAX 0xffffffu

/* A sparse array. */
struct gn_r2r_sparse {
	struct gn_bytes section;
	size_t base;
	unsigned int width; /* bytes of where a block is */
	uint32_t count;	    /* one more than the last element's number */
};

/* False: the section is not one. */
bool gn_r2r_sparse(const struct gn_bytes *section, struct gn_r2r_sparse *of);
/* Whether the element is there; `at` is a reader at it, or bad. */
bool gn_r2r_element(const struct gn_r2r_sparse *of, uint32_t i,
		    struct gn_r2r_reader *at);

#endif
