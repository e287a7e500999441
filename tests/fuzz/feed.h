/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends hostile bytes the way of a trace file: through the reader, and if it
 * accepts them through the model to an output. Aborts if anything goes wrong.
 */
#ifndef GNOMON_TESTS_FEED_H
#define GNOMON_TESTS_FEED_H

#include <stddef.h>
#include <stdint.h>

/* What the bytes are: the first byte of an input, modulo GN_FEED_COUNT. The
 * quotient chooses how the model is shown. */
enum gn_feed {
	GN_FEED_FILE,	 /* a file */
	GN_FEED_MENDED,	 /* a file, with its checksums corrected first */
	GN_FEED_PACKED,	 /* records, for a file that is otherwise valid */
	GN_FEED_RECORDS, /* the same, each made well formed first */
	GN_FEED_COLUMNS, /* columns, for a chunk that is otherwise valid */
	GN_FEED_COUNT
};

#define GN_FEED_MAX ((size_t)1 << 20)

void gn_feed(const uint8_t *bytes, size_t size);

/* Maps any number to a version that can be packed in this build. */
uint32_t gn_feed_version(unsigned int any);

/* A whole trace file of that version with the records in one chunk. The plain
 * version has all bytes as they are, others only the valid records at the
 * front. The caller frees it. */
uint8_t *gn_feed_pack(uint32_t version, const uint8_t *records, size_t n,
		      size_t *size);

/* The bytes of a GN_FEED_COLUMNS input, without the first, for the valid
 * records at the front. The caller frees them. */
uint8_t *gn_feed_columns(const uint8_t *records, size_t n, size_t *size);

#endif
