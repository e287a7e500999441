/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile bytes on the way of a trace file: through the reader and, what it
 * lets pass, through the model. Anything that may not happen aborts.
 */
#ifndef GNOMON_TESTS_FEED_H
#define GNOMON_TESTS_FEED_H

#include <stddef.h>
#include <stdint.h>

/* What the bytes are: the first byte of an input, modulo GN_FEED_COUNT. */
enum gn_feed {
	GN_FEED_FILE,	 /* a file */
	GN_FEED_MENDED,	 /* a file, after its checksums were made true */
	GN_FEED_PACKED,	 /* the records of a file that is sound around them */
	GN_FEED_RECORDS, /* the same, after each was made well formed */
	GN_FEED_COUNT
};

#define GN_FEED_MAX ((size_t)1 << 20)

void gn_feed(const uint8_t *bytes, size_t size);

/* A whole trace file with the records, in one chunk. The caller frees it. */
uint8_t *gn_feed_pack(const uint8_t *records, size_t n, size_t *size);

#endif
