/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Building blocks of sections of precompiled code (ReadyToRun images): the
 * table of sections, numbers of variable length, hash tables and sparse arrays.
 * The module is untrusted.
 */
#ifndef GNOMON_CLR_R2R_READ_H
#define GNOMON_CLR_R2R_READ_H

#include "pe.h"

/* Header flags. */
#define GN_R2R_COMPONENT 0x20u /* its code is in another file */
#define GN_R2R_MULTI	 0x40u /* entries can name another module */

/* False: the module has no such header. */
bool gn_r2r_flags(const struct gn_pe *pe, uint32_t *flags);

/* Finds a section by its type. Only after gn_r2r_flags() has found a header.
 * False: the module does not have the section. */
bool gn_r2r_section(const struct gn_pe *pe, uint32_t type,
		    struct gn_bytes *found);

/* The same for a component of the composite image `pe`. `core` is the
 * component's own part of the header: the flags and what follows. */
bool gn_r2r_section_of(const struct gn_pe *pe, const struct gn_bytes *core,
		       uint32_t type, struct gn_bytes *found);

/* A position in a section. */
struct gn_r2r_reader {
	struct gn_bytes b;
	size_t at;
	bool bad; /* a read went past the end */
};

/* An integer of `n` bytes. 0 past the end. */
uint32_t gn_r2r_take(struct gn_r2r_reader *r, unsigned int n);
/* A number of variable length: its first byte says how many follow. */
uint32_t gn_r2r_number(struct gn_r2r_reader *r, bool is_signed);

/*
 * Walks a hash table: calls `each` with a reader at each entry, until a call
 * returns false. Also returns false if the table is cut off, or has more
 * entries than bytes because its buckets overlap.
 */
typedef bool (*gn_r2r_entry_fn)(void *ctx, struct gn_r2r_reader entry);
bool gn_r2r_entries(const struct gn_bytes *table, gn_r2r_entry_fn each,
		    void *ctx);

#define GN_R2R_METHODS	    103u /* section: method entry points, sparse */
#define GN_R2R_ELEMENTS_MAX 0xffffffu

/* A sparse array. */
struct gn_r2r_sparse {
	struct gn_bytes section;
	size_t base;
	unsigned int width; /* bytes of a block's offset */
	uint32_t count;	    /* the highest index plus 1 */
};

/* False: the section is not a sparse array. */
bool gn_r2r_sparse(const struct gn_bytes *section, struct gn_r2r_sparse *of);
/* Whether the element exists. `at` becomes a reader at the element, or bad. */
bool gn_r2r_element(const struct gn_r2r_sparse *of, uint32_t i,
		    struct gn_r2r_reader *at);

#endif
