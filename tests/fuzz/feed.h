/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hostile bytes on the way of a trace file: through the reader and, what it
 * lets pass, through the model and to an output. Anything that may not happen
 * aborts.
 */
#ifndef GNOMON_TESTS_FEED_H
#define GNOMON_TESTS_FEED_H

#include <stddef.h>
#include <stdint.h>

/* What the bytes are: the first byte of an input, modulo GN_FEED_COUNT. What
 * is above says how the model is shown. */
enum gn_feed {
	GN_FEED_FILE,	 /* a file */
	GN_FEED_MENDED,	 /* a file, after its checksums were made true */
	GN_FEED_PACKED,	 /* the records of a file that is sound around them */
	GN_FEED_RECORDS, /* the same, after each was made well formed */
	GN_FEED_COLUMNS, /* the columns of a chunk that is sound around them */
	GN_FEED_COUNT
};

#define GN_FEED_MAX ((size_t)1 << 20)

void gn_feed(const uint8_t *bytes, size_t size);

/* Any number as a version that can be packed here. */
uint32_t gn_feed_version(unsigned int any);

/* A whole trace file of that version with the records, in one chunk: all the
 * bytes as they are, or the records among them that are sound. The caller frees
 * it. */
uint8_t *gn_feed_pack(uint32_t version, const uint8_t *records, size_t n,
		      size_t *size);

/* The bytes of an input of GN_FEED_COLUMNS after its first, for the records
 * that are sound. The caller frees them. */
uint8_t *gn_feed_columns(const uint8_t *records, size_t n, size_t *size);

#endif
