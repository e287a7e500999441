/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module as it lies in memory (the PE format; ECMA-335, II.25): where its
 * metadata and its precompiled code are. It is hostile: it is bounded by what
 * its caller says can be read.
 */
#ifndef GNOMON_CLR_PE_H
#define GNOMON_CLR_PE_H

#include <stdbool.h>

#include "cor.h"

/* Whether so many bytes from `at` on can be read. */
typedef bool (*gn_readable_fn)(void *ctx, const uint8_t *at, size_t n);

struct gn_pe {
	const uint8_t *base;
	bool flat;
	gn_readable_fn readable;
	void *ctx;
	uint32_t sections; /* their headers: where, how many */
	uint32_t nsections;
	struct gn_bytes metadata;
	struct gn_bytes native; /* the header of precompiled code; or none */
	struct gn_bytes debug;	/* the debug directory; or none */
};

/* `flat`: the module is in memory as it is in its file, else as its sections
 * say. False: it has no metadata. */
bool gn_pe_open(struct gn_pe *pe, const uint8_t *base, bool flat,
		gn_readable_fn readable, void *ctx);

/* So many bytes at an address of the module; they are in one section. NULL:
 * there are none. */
const uint8_t *gn_pe_at(const struct gn_pe *pe, uint32_t address, uint32_t n);

/* The address of a place in the module's file. False: it has none. */
bool gn_pe_address(const struct gn_pe *pe, uint64_t offset, uint32_t *address);

/* An integer of up to four bytes, the low one first. */
uint32_t gn_pe_get(const uint8_t *p, unsigned int n);

#endif
