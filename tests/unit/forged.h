/* SPDX-License-Identifier: BSD-2-Clause */
/* Handmade trace files, like those of a newer gnomon or an attacker. */
#ifndef GNOMON_TESTS_FORGED_H
#define GNOMON_TESTS_FORGED_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "trace/format.h"
#include "trace/trace.h"

#define KIND_FIXED    200 /* kinds of a newer gnomon */
#define KIND_VARIABLE 201

/* A handmade trace. */
struct forged {
	int fd;
	char path[64];
	uint64_t chunks;
};

static inline void put32(unsigned char *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static inline void forge_bytes(const struct forged *f, const void *bytes,
			       size_t n)
{
	assert_int_equal(write(f->fd, bytes, n), n);
}

/* A row in the table of kinds. */
static inline size_t forge_row(unsigned char *h, size_t size, uint8_t kind,
			       uint32_t fixed)
{
	h[size] = kind;
	h[size + 1] = GN_STREAM_USER;
	put32(h + size + 4, fixed);
	memcpy(h + size + 8, "new", 3);
	return size + GN_TRACE_ROW;
}

/* The header of a newer gnomon. */
static inline void forge_begin(struct forged *f)
{
	unsigned char h[GN_TRACE_HEADER_MAX];
	size_t size = gn_trace_header_encode(GN_TRACE_FORMAT, h);
	uint32_t crc;

	memset(f, 0, sizeof(*f));
	f->fd = memfd_create("trace", MFD_CLOEXEC);
	assert_true(f->fd >= 0);
	snprintf(f->path, sizeof(f->path), "/proc/%d/fd/%d", getpid(), f->fd);
	size = forge_row(h, size, KIND_FIXED, 48);
	size = forge_row(h, size, KIND_VARIABLE, 0);
	put32(h + 16, (uint32_t)size);
	put32(h + 20, (uint32_t)(size - GN_TRACE_HEADER) / GN_TRACE_ROW);
	crc = gn_trace_crc(0, h + 16, 12);
	crc = gn_trace_crc(crc, h + 32, size - 32);
	put32(h + 28, crc);
	/* content is not packed; test_trace_pack tests packed content */
	put32(h + 8, GN_TRACE_FORMAT_PLAIN);
	put32(h + 12, gn_trace_crc(0, h, 12));
	forge_bytes(f, h, size);
}

static inline void forge_close(struct forged *f)
{
	close(f->fd);
}

/* A correct header for the records, which the test then corrupts. */
static inline struct gn_trace_chunk
forged_head(const struct forged *f, const void *raw, size_t n, uint32_t records)
{
	struct gn_trace_chunk h = {.raw = (uint32_t)n, .records = records};
	const struct gn_rec *rec = raw;

	/* all records of these tests have the same time */
	h.first = rec->time;
	h.last = rec->time;
	h.number = f->chunks;
	return h;
}

static inline void forge_packed(struct forged *f, struct gn_trace_chunk *h,
				const void *packed, size_t n)
{
	unsigned char head[GN_TRACE_CHUNK_HEAD];

	h->packed = (uint32_t)n;
	h->crc = gn_trace_crc(0, packed, n);
	gn_trace_chunk_encode(h, head);
	forge_bytes(f, head, sizeof(head));
	forge_bytes(f, packed, n);
	f->chunks++;
}

static inline void forge_raw(struct forged *f, struct gn_trace_chunk *h,
			     const void *raw, size_t n)
{
	uLongf size = compressBound(n);
	unsigned char *packed = malloc(size);

	assert_non_null(packed);
	assert_int_equal(compress(packed, &size, raw, n), Z_OK);
	forge_packed(f, h, packed, size);
	free(packed);
}

static inline void forge_chunk(struct forged *f, const void *raw, size_t n,
			       uint32_t records)
{
	struct gn_trace_chunk h = forged_head(f, raw, n, records);

	forge_raw(f, &h, raw, n);
}

static inline void forge_end(struct forged *f, uint64_t records, uint64_t time)
{
	struct gn_trace_end e = {
		.records = records,
		.first = time,
		.last = time,
		.chunks = f->chunks,
	};
	unsigned char mark[GN_TRACE_CHUNK_HEAD];

	gn_trace_end_encode(&e, mark);
	forge_bytes(f, mark, sizeof(mark));
}

#endif
