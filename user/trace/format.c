/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>
#include <zlib.h>

#include "trace/format.h"
#include "trace/trace.h"

/* Records are copied as they are in memory, so the byte orders must match. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte order");

#define MAGIC_CHUNK 0x4b484347u /* "GCHK" */
#define MAGIC_END   0x444e4547u /* "GEND" */

/* Offsets in the file header. */
enum {
	H_VERSION = 8,
	H_PREAMBLE_CRC = 12,
	H_SIZE = 16,
	H_KINDS = 20,
	H_RESERVED = 24,
	H_CRC = 28,
};

/* In a row of the table. */
enum { K_KIND = 0, K_STREAM = 1, K_RESERVED = 2, K_SIZE = 4, K_NAME = 8 };

/* In a chunk header. */
enum {
	C_MAGIC = 0,
	C_RAW = 4,
	C_PACKED = 8,
	C_RECORDS = 12,
	C_FIRST = 16,
	C_LAST = 24,
	C_NUMBER = 32,
	C_DATA_CRC = 40,
	C_CRC = 44,
};

/* In an end mark, where it differs. */
enum { E_RESERVED = 4, E_RECORDS = 8, E_RESERVED_2 = 40 };

static uint16_t get16(const unsigned char *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t get32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t get64(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void put32(unsigned char *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void put64(unsigned char *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

uint32_t gn_trace_crc(uint32_t crc, const void *bytes, size_t n)
{
	return (uint32_t)crc32_z(crc, bytes, n);
}

/* The checksum of the header after its preamble, without the checksum field. */
static uint32_t header_crc(const unsigned char *h, size_t size)
{
	uint32_t crc;

	crc = gn_trace_crc(0, h + H_SIZE, H_CRC - H_SIZE);
	return gn_trace_crc(crc, h + GN_TRACE_HEADER, size - GN_TRACE_HEADER);
}

#define NAME_CHECK(enumerator, value, text, stream, type) \
	_Static_assert(sizeof(text) <= GN_TRACE_NAME_MAX, text);
GN_KIND_LIST(NAME_CHECK)

size_t gn_trace_header_encode(uint32_t version,
			      unsigned char out[GN_TRACE_HEADER_MAX])
{
	size_t size = GN_TRACE_HEADER;
	uint32_t rows = 0;
	unsigned int kind;

	memset(out, 0, GN_TRACE_HEADER_MAX);
	for (kind = 0; kind < GN_KIND_LIMIT; kind++) {
		const struct gn_kind_info *k = gn_kind_info((uint8_t)kind);

		if (!k->name)
			continue;
		out[size + K_KIND] = (unsigned char)kind;
		out[size + K_STREAM] = k->stream;
		put32(out + size + K_SIZE, k->size);
		memcpy(out + size + K_NAME, k->name, strlen(k->name));
		size += GN_TRACE_ROW;
		rows++;
	}
	memcpy(out, GN_TRACE_MAGIC, GN_TRACE_MAGIC_SIZE);
	put32(out + H_VERSION, version);
	put32(out + H_PREAMBLE_CRC, gn_trace_crc(0, out, H_PREAMBLE_CRC));
	put32(out + H_SIZE, (uint32_t)size);
	put32(out + H_KINDS, rows);
	put32(out + H_CRC, header_crc(out, size));
	return size;
}

int gn_trace_header_begin(const unsigned char *in, size_t n, uint32_t *version,
			  size_t *size)
{
	size_t magic = n < GN_TRACE_MAGIC_SIZE ? n : GN_TRACE_MAGIC_SIZE;
	uint32_t rows;

	if (!n)
		return -GN_TRACE_EMPTY;
	if (memcmp(in, GN_TRACE_MAGIC, magic) != 0)
		return -GN_TRACE_NOT_A_TRACE;
	if (n < GN_TRACE_PREAMBLE)
		return -GN_TRACE_CUT;
	/* Check this before the version is used: damage must not look like
	 * another version. */
	if (get32(in + H_PREAMBLE_CRC) != gn_trace_crc(0, in, H_PREAMBLE_CRC))
		return -GN_TRACE_CORRUPT;
	*version = get32(in + H_VERSION);
	if (*version < GN_TRACE_FORMAT_PLAIN || *version > GN_TRACE_FORMAT_ZSTD)
		return -GN_TRACE_VERSION;
	if (n < GN_TRACE_HEADER)
		return -GN_TRACE_CUT;
	rows = get32(in + H_KINDS);
	if (rows >= GN_KIND_LIMIT || get32(in + H_RESERVED) != 0 ||
	    get32(in + H_SIZE) != GN_TRACE_HEADER + rows * GN_TRACE_ROW)
		return -GN_TRACE_CORRUPT;
	*size = get32(in + H_SIZE);
	return 0;
}

/* The name is only for people. It is printed, so it must be printable. */
static bool name_ok(const unsigned char *name)
{
	size_t len = strnlen((const char *)name, GN_TRACE_NAME_MAX), i;

	if (!len || len == GN_TRACE_NAME_MAX)
		return false;
	for (i = 0; i < len; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-", name[i]))
			return false;
	for (; i < GN_TRACE_NAME_MAX; i++)
		if (name[i])
			return false;
	return true;
}

static bool row_ok(const unsigned char *row)
{
	const struct gn_kind_info *k = gn_kind_info(row[K_KIND]);
	uint32_t size = get32(row + K_SIZE);
	uint8_t stream = row[K_STREAM];

	if (!row[K_KIND] || get16(row + K_RESERVED) || !name_ok(row + K_NAME))
		return false;
	if (stream < GN_STREAM_COLLECT || stream > GN_STREAM_STATE)
		return false;
	/* The rows of known kinds never change: that would need a new
	 * version. */
	if (k->name)
		return size == k->size && stream == k->stream;
	if (!size)
		return true;
	return size >= sizeof(struct gn_rec) && size % 8 == 0 &&
	       size <= GN_TRACE_UNKNOWN_MAX;
}

int gn_trace_header_decode(const unsigned char *in, size_t size,
			   struct gn_trace_kind kinds[GN_KIND_LIMIT])
{
	size_t at;

	if (get32(in + H_CRC) != header_crc(in, size))
		return -GN_TRACE_CORRUPT;
	memset(kinds, 0, GN_KIND_LIMIT * sizeof(*kinds));
	for (at = GN_TRACE_HEADER; at < size; at += GN_TRACE_ROW) {
		const unsigned char *row = in + at;
		struct gn_trace_kind *k = &kinds[row[K_KIND]];

		if (!row_ok(row) || k->present)
			return -GN_TRACE_CORRUPT;
		k->present = true;
		k->stream = row[K_STREAM];
		k->size = get32(row + K_SIZE);
	}
	return 0;
}

void gn_trace_chunk_encode(const struct gn_trace_chunk *c,
			   unsigned char out[GN_TRACE_CHUNK_HEAD])
{
	put32(out + C_MAGIC, MAGIC_CHUNK);
	put32(out + C_RAW, c->raw);
	put32(out + C_PACKED, c->packed);
	put32(out + C_RECORDS, c->records);
	put64(out + C_FIRST, c->first);
	put64(out + C_LAST, c->last);
	put64(out + C_NUMBER, c->number);
	put32(out + C_DATA_CRC, c->crc);
	put32(out + C_CRC, gn_trace_crc(0, out, C_CRC));
}

void gn_trace_end_encode(const struct gn_trace_end *e,
			 unsigned char out[GN_TRACE_CHUNK_HEAD])
{
	put32(out + C_MAGIC, MAGIC_END);
	put32(out + E_RESERVED, 0);
	put64(out + E_RECORDS, e->records);
	put64(out + C_FIRST, e->first);
	put64(out + C_LAST, e->last);
	put64(out + C_NUMBER, e->chunks);
	put32(out + E_RESERVED_2, 0);
	put32(out + C_CRC, gn_trace_crc(0, out, C_CRC));
}

static bool head_ok(const unsigned char *in, uint32_t magic)
{
	return get32(in + C_MAGIC) == magic &&
	       get32(in + C_CRC) == gn_trace_crc(0, in, C_CRC);
}

bool gn_trace_chunk_decode(const unsigned char in[GN_TRACE_CHUNK_HEAD],
			   uint32_t version, struct gn_trace_chunk *c)
{
	if (!head_ok(in, MAGIC_CHUNK))
		return false;
	c->raw = get32(in + C_RAW);
	c->packed = get32(in + C_PACKED);
	c->records = get32(in + C_RECORDS);
	c->first = get64(in + C_FIRST);
	c->last = get64(in + C_LAST);
	c->number = get64(in + C_NUMBER);
	c->crc = get32(in + C_DATA_CRC);
	return c->raw && c->raw <= GN_TRACE_CHUNK_MAX && c->raw % 8 == 0 &&
	       c->packed && c->packed <= gn_trace_packed_max(version, c->raw) &&
	       c->records && c->records <= c->raw / sizeof(struct gn_rec);
}

bool gn_trace_end_decode(const unsigned char in[GN_TRACE_CHUNK_HEAD],
			 struct gn_trace_end *e)
{
	if (!head_ok(in, MAGIC_END) || get32(in + E_RESERVED) ||
	    get32(in + E_RESERVED_2))
		return false;
	e->records = get64(in + E_RECORDS);
	e->first = get64(in + C_FIRST);
	e->last = get64(in + C_LAST);
	e->chunks = get64(in + C_NUMBER);
	return true;
}
