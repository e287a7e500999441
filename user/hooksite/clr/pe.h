/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a module's metadata is (the PE format; ECMA-335, II.25). The module is
 * hostile: it is bounded by what its caller says can be read.
 */
#ifndef GNOMON_CLR_PE_H
#define GNOMON_CLR_PE_H

#include <stdbool.h>

#include "cor.h"

/* Whether so many bytes from `at` on can be read. */
typedef bool (*gn_readable_fn)(void *ctx, const uint8_t *at, size_t n);

/* `flat`: the module is in memory as it is in its file, else as its sections
 * say. False: there is none. */
bool gn_pe_metadata(const uint8_t *base, bool flat, gn_readable_fn readable,
		    void *ctx, struct gn_bytes *metadata);

#endif
