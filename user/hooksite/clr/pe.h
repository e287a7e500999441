/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module as it lies in memory (the PE format; ECMA-335, II.25): finds its
 * metadata and its precompiled code. The module is untrusted: all reads stay
 * within what the caller declares readable.
 */
#ifndef GNOMON_CLR_PE_H
#define GNOMON_CLR_PE_H

#include <stdbool.h>

#include "cor.h"

/* Whether `n` bytes from `at` on are readable. */
typedef bool (*gn_readable_fn)(void *ctx, const uint8_t *at, size_t n);

struct gn_pe {
	const uint8_t *base;
	bool flat;
	gn_readable_fn readable;
	void *ctx;
	uint32_t sections; /* offset of the section headers */
	uint32_t nsections;
	struct gn_bytes metadata;
	struct gn_bytes native; /* header of precompiled code, or empty */
	struct gn_bytes debug;	/* debug directory, or empty */
};

/* `flat`: the module is laid out in memory as in its file; otherwise as its
 * section headers say. False: it has no metadata. */
bool gn_pe_open(struct gn_pe *pe, const uint8_t *base, bool flat,
		gn_readable_fn readable, void *ctx);

/* `n` bytes at an address of the module, all in one section. NULL: there are
 * none. */
const uint8_t *gn_pe_at(const struct gn_pe *pe, uint32_t address, uint32_t n);

/* The address of an offset in the module's file. False: it has none. */
bool gn_pe_address(const struct gn_pe *pe, uint64_t offset, uint32_t *address);

#endif
