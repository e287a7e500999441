// SPDX-License-Identifier: BSD-2-Clause
#include "r2r_read.h"

#include <endian.h>
#include <string.h>

#define BLOCK	     16u	 /* elements per block of a sparse array */
#define SIGNATURE    0x00525452u /* "RTR" */
#define HEADER_SIZE  16u
#define CORE_SIZE    8u /* of the part of the header that components have too */
#define SECTION_SIZE 12u
#define SECTIONS_MAX 64u

uint32_t gn_r2r_take(struct gn_r2r_reader *r, unsigned int n)
{
	if (r->at > r->b.n || n > r->b.n - r->at) {
		r->bad = true;
		return 0;
	}
	r->at += n;
	return gn_le_get(r->b.at + r->at - n, n);
}

/* Up to eight bytes, little-endian. Bytes past the end are 0. */
static uint64_t peek(const struct gn_r2r_reader *r)
{
	size_t left = r->at < r->b.n ? r->b.n - r->at : 0;
	uint64_t v = 0;

	if (left >= sizeof(v))
		memcpy(&v, r->b.at + r->at, sizeof(v));
	else if (left)
		memcpy(&v, r->b.at + r->at, left);
	return le64toh(v);
}

/* The number of 1 bits at the low end, up to four, is the number of bytes that
 * follow the first. */
uint32_t gn_r2r_number(struct gn_r2r_reader *r, bool is_signed)
{
	uint64_t v = peek(r);
	unsigned int n =
		(unsigned int)__builtin_ctz(~(unsigned int)v | 1u << 4);
	unsigned int bits = 7 + 7 * n;
	uint32_t low;

	if (r->at > r->b.n || n + 1 > r->b.n - r->at) {
		r->bad = true;
		return 0;
	}
	r->at += n + 1;
	if (n == 4)
		return (uint32_t)(v >> 8);
	low = (uint32_t)(v >> (n + 1)) & ((1u << bits) - 1);
	return is_signed && low >> (bits - 1) ? low | ~0u << bits : low;
}

bool gn_r2r_flags(const struct gn_pe *pe, uint32_t *flags)
{
	if (!pe->native.at || pe->native.n < HEADER_SIZE ||
	    gn_le_get(pe->native.at, 4) != SIGNATURE)
		return false;
	*flags = gn_le_get(pe->native.at + 8, 4);
	return true;
}

bool gn_r2r_section_of(const struct gn_pe *pe, const struct gn_bytes *core,
		       uint32_t type, struct gn_bytes *found)
{
	uint32_t n = core->n < CORE_SIZE ? 0 : gn_le_get(core->at + 4, 4);

	if (n > SECTIONS_MAX || n * SECTION_SIZE + CORE_SIZE > core->n)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *s = core->at + CORE_SIZE + i * SECTION_SIZE;

		if (gn_le_get(s, 4) != type)
			continue;
		found->n = gn_le_get(s + 8, 4);
		found->at =
			gn_pe_at(pe, gn_le_get(s + 4, 4), (uint32_t)found->n);
		return found->at;
	}
	return false;
}

bool gn_r2r_section(const struct gn_pe *pe, uint32_t type,
		    struct gn_bytes *found)
{
	struct gn_bytes core = {pe->native.at + HEADER_SIZE - CORE_SIZE,
				pe->native.n - HEADER_SIZE + CORE_SIZE};

	return gn_r2r_section_of(pe, &core, type, found);
}

/* Reads the entries of a bucket, which are stored elsewhere in the table. */
static bool read_bucket(struct gn_r2r_reader *r, size_t begin, size_t end,
			size_t *left, gn_r2r_entry_fn each, void *ctx)
{
	for (r->at = begin; r->at < end && !r->bad;) {
		struct gn_r2r_reader entry = *r;
		size_t from;

		gn_r2r_take(r, 1); /* low byte of the hash */
		from = r->at;
		entry.at = from + (size_t)(int32_t)gn_r2r_number(r, true);
		if (r->bad || !(*left)--)
			return false;
		if (!each(ctx, entry))
			return false;
	}
	return !r->bad;
}

bool gn_r2r_entries(const struct gn_bytes *table, gn_r2r_entry_fn each,
		    void *ctx)
{
	struct gn_r2r_reader r = {.b = *table};
	uint32_t head = gn_r2r_take(&r, 1), width = 1u << (head & 3);
	uint64_t buckets = 1ull << (head >> 2);
	size_t left = table->n;

	if ((head & 3) == 3 || buckets * width >= table->n)
		return false;
	for (uint64_t i = 0; i < buckets; i++) {
		size_t begin, end;

		/* a bucket ends where the next one begins */
		r.at = 1 + i * width;
		begin = (size_t)gn_r2r_take(&r, width) + 1;
		end = (size_t)gn_r2r_take(&r, width) + 1;
		if (!read_bucket(&r, begin, end, &left, each, ctx))
			return false;
	}
	return true;
}

bool gn_r2r_sparse(const struct gn_bytes *section, struct gn_r2r_sparse *of)
{
	struct gn_r2r_reader r = {.b = *section};
	uint32_t head = gn_r2r_number(&r, false);

	*of = (struct gn_r2r_sparse){
		.section = *section,
		.base = r.at,
		.width = 1u << (head & 3),
		.count = head >> 2,
	};
	return !r.bad && (head & 3) != 3 && of->count <= GN_R2R_ELEMENTS_MAX;
}

/* Each block is a binary tree over the bits of the index. */
bool gn_r2r_element(const struct gn_r2r_sparse *of, uint32_t i,
		    struct gn_r2r_reader *at)
{
	*at = (struct gn_r2r_reader){
		.b = of->section,
		.at = of->base + (size_t)(i / BLOCK) * of->width,
	};
	at->at = of->base + gn_r2r_take(at, of->width);
	for (uint32_t bit = BLOCK / 2; bit && !at->bad; bit /= 2) {
		size_t node = at->at;
		uint32_t v = gn_r2r_number(at, false);

		if (i & bit && v & 2)
			at->at = node + (v >> 2);
		else if (!(i & bit) && v & 1)
			continue;
		else
			/* a single leaf has the element's index in the block */
			return !(v & 3) && v >> 2 == (i & (BLOCK - 1));
	}
	return !at->bad;
}
