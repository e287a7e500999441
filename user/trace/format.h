/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes and decodes what surrounds the records in a trace file: file header,
 * chunk header, end mark. docs/trace-format.md is the reference. Pure. */
#ifndef GNOMON_TRACE_FORMAT_H
#define GNOMON_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/pack.h"
#include "trace/rec.h"

#define GN_TRACE_MAGIC	      "\x89GNOMON\n"
#define GN_TRACE_MAGIC_SIZE   8
#define GN_TRACE_FORMAT	      2	 /* the version that is written */
#define GN_TRACE_FORMAT_ZSTD  3	 /* the same, compressed by zstd */
#define GN_TRACE_FORMAT_PLAIN 1	 /* older, read only: not packed */
#define GN_TRACE_PREAMBLE     16 /* magic, version, checksum: never changes */
#define GN_TRACE_HEADER	      32 /* with the preamble, without the table */
#define GN_TRACE_ROW	      32 /* of the table of kinds */
#define GN_TRACE_NAME_MAX     24 /* bytes of a kind's name */
#define GN_TRACE_HEADER_MAX   (GN_TRACE_HEADER + GN_KIND_LIMIT * GN_TRACE_ROW)
#define GN_TRACE_CHUNK_HEAD   48	  /* of a chunk, and a whole end mark */
#define GN_TRACE_CHUNK_MAX    (64u << 20) /* records of a chunk, bytes */
#define GN_TRACE_UNKNOWN_MAX  65536u	  /* a record of an unknown kind */

/* Before the columns of a chunk: the size of each. */
#define GN_TRACE_COLUMNS (4 * GN_PACK_COLUMNS)

/* The maximum size of a chunk's records before compression. */
static inline size_t gn_trace_columns_max(uint32_t version, uint32_t raw)
{
	return version == GN_TRACE_FORMAT_PLAIN
		       ? raw
		       : GN_TRACE_COLUMNS + gn_pack_bound(raw);
}

/* The maximum size after compression: no valid input grows more. */
static inline uint32_t gn_trace_packed_max(uint32_t version, uint32_t raw)
{
	size_t columns = gn_trace_columns_max(version, raw);

	return (uint32_t)(columns + columns / 4 + 64);
}

/* A row of the file's table of kinds. */
struct gn_trace_kind {
	bool present;
	uint8_t stream;
	uint32_t size; /* 0: variable, in the u32 after gn_rec */
};

struct gn_trace_chunk {
	uint32_t raw;	 /* bytes of records */
	uint32_t packed; /* the same, as stored in the file */
	uint32_t records;
	uint64_t first; /* earliest and latest time; 0: no record has one */
	uint64_t last;
	uint64_t number; /* of the chunk, from 0 */
	uint32_t crc;	 /* of the packed bytes */
};

struct gn_trace_end {
	uint64_t records; /* of all chunks */
	uint64_t first;
	uint64_t last;
	uint64_t chunks;
};

/* The whole header of a file that this program writes, so not of the plain
 * version. Returns its size. */
size_t gn_trace_header_encode(uint32_t version,
			      unsigned char out[GN_TRACE_HEADER_MAX]);

/* Decodes the first `n` of the GN_TRACE_HEADER bytes that begin a file. 0, with
 * the version and the size of the whole header, or -(enum gn_trace_error). */
int gn_trace_header_begin(const unsigned char *in, size_t n, uint32_t *version,
			  size_t *size);

/* Decodes the table of a whole header. 0, -GN_TRACE_CORRUPT. */
int gn_trace_header_decode(const unsigned char *in, size_t size,
			   struct gn_trace_kind kinds[GN_KIND_LIMIT]);

void gn_trace_chunk_encode(const struct gn_trace_chunk *c,
			   unsigned char out[GN_TRACE_CHUNK_HEAD]);
void gn_trace_end_encode(const struct gn_trace_end *e,
			 unsigned char out[GN_TRACE_CHUNK_HEAD]);

/* False: not a plausible chunk header or end mark. */
bool gn_trace_chunk_decode(const unsigned char in[GN_TRACE_CHUNK_HEAD],
			   uint32_t version, struct gn_trace_chunk *c);
bool gn_trace_end_decode(const unsigned char in[GN_TRACE_CHUNK_HEAD],
			 struct gn_trace_end *e);

/* Extends [first, last] to the time of a record. Both are 0 at first. */
static inline void gn_trace_times(uint64_t *first, uint64_t *last,
				  uint64_t time)
{
	if (time && (!*first || time < *first))
		*first = time;
	if (time > *last)
		*last = time;
}

/* CRC-32 of `n` bytes that follow those of `crc` (0: there are none before). */
uint32_t gn_trace_crc(uint32_t crc, const void *bytes, size_t n);

#endif
