// SPDX-License-Identifier: BSD-2-Clause
#include "r2r.h"

#define SIGNATURE	0x00525452u /* "RTR" */
#define HEADER_SIZE	16u
#define SECTION_SIZE	12u
#define SECTIONS_MAX	64u
#define FLAG_COMPONENT	0x20u /* its code is in another file */
#define FLAG_MULTI	0x40u /* modules are told beside methods */
#define SECTION_OWN	114u  /* inlining within the module */
#define SECTION_ANY	119u  /* inlining across modules */
#define PAIRS_MAX	(1u << 24)
#define FOREIGN_METHOD	1u
#define FOREIGN_HOLDERS 2u

/* A section of numbers of different length. */
struct reader {
	struct gn_bytes b;
	size_t at;
	bool bad; /* it was read past its end */
};

static uint32_t take(struct reader *r, unsigned int n)
{
	if (r->at > r->b.n || n > r->b.n - r->at) {
		r->bad = true;
		return 0;
	}
	r->at += n;
	return gn_pe_get(r->b.at + r->at - n, n);
}

/* The low bits of the first byte say how many follow it. */
static uint32_t take_number(struct reader *r, bool is_signed)
{
	uint32_t first = take(r, 1), v, bits;
	unsigned int n = 0;

	while (n < 4 && first >> n & 1)
		n++;
	if (n == 4)
		return take(r, 4);
	bits = 7 + 7 * n;
	v = (first | take(r, n) << 8) >> (n + 1);
	return is_signed && v >> (bits - 1) ? v | ~0u << bits : v;
}

/* What one entry of the table says. */
struct entry {
	struct reader r;
	uint32_t left; /* numbers */
	bool any;      /* of SECTION_ANY */
	bool multi;
	bool foreign; /* it is about other modules, too */
};

static uint32_t next(struct entry *e)
{
	if (!e->left) {
		e->r.bad = true;
		return 0;
	}
	e->left--;
	return take_number(&e->r, false);
}

static uint32_t read_method(struct entry *e)
{
	uint32_t head = next(e), row;

	if (!e->any) {
		e->foreign = head & 1;
		return head >> 1;
	}
	row = head >> 2;
	e->foreign = head & (FOREIGN_METHOD | FOREIGN_HOLDERS);
	if (!e->foreign && e->multi)
		e->foreign = next(e) != 0;
	return row;
}

/* Holders are told by what their rows differ. */
static void read_entry(struct entry *e, gn_r2r_fn each, void *ctx,
		       uint32_t *pairs)
{
	uint32_t method, holder = 0;

	e->left = take_number(&e->r, false);
	method = read_method(e);
	while (e->left && !e->r.bad && !e->foreign && ++*pairs < PAIRS_MAX) {
		uint32_t step = next(e);

		if (!e->any || e->multi) {
			e->foreign = step & 1;
			step >>= 1;
		}
		holder += step;
		if (!e->foreign && !e->r.bad)
			each(ctx, method, holder);
	}
}

/* The table is a hash table: buckets of entries, which are elsewhere in it. */
static bool read_table(const struct entry *like, gn_r2r_fn each, void *ctx)
{
	struct reader r = like->r;
	uint32_t head = take(&r, 1), width = 1u << (head & 3), pairs = 0;
	uint64_t buckets = 1ull << (head >> 2);

	if ((head & 3) == 3 || buckets * width >= r.b.n)
		return false;
	for (uint64_t i = 0; i < buckets; i++) {
		size_t begin, end;

		/* it ends where the next one begins */
		r.at = 1 + i * width;
		begin = (size_t)take(&r, width) + 1;
		end = (size_t)take(&r, width) + 1;
		for (r.at = begin; r.at < end && !r.bad;) {
			struct entry e = *like;
			size_t from;

			take(&r, 1); /* of its hash */
			from = r.at;
			e.r.at = from + (size_t)(int32_t)take_number(&r, true);
			read_entry(&e, each, ctx, &pairs);
			if (e.r.bad || e.foreign || pairs >= PAIRS_MAX)
				return false;
		}
		if (r.bad)
			return false;
	}
	return true;
}

static bool find_section(const struct gn_pe *pe, uint32_t type,
			 struct gn_bytes *found)
{
	uint32_t n = gn_pe_get(pe->native.at + 12, 4);

	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *s =
			pe->native.at + HEADER_SIZE + i * SECTION_SIZE;

		if (gn_pe_get(s, 4) != type)
			continue;
		found->n = gn_pe_get(s + 8, 4);
		found->at =
			gn_pe_at(pe, gn_pe_get(s + 4, 4), (uint32_t)found->n);
		return found->at;
	}
	return false;
}

enum gn_r2r gn_r2r_copies(const struct gn_pe *pe, gn_r2r_fn each, void *ctx)
{
	struct entry e = {.any = true};
	uint32_t flags, n;

	if (!pe->native.n)
		return GN_R2R_NONE;
	if (!pe->native.at || pe->native.n < HEADER_SIZE ||
	    gn_pe_get(pe->native.at, 4) != SIGNATURE)
		return GN_R2R_UNTOLD;
	flags = gn_pe_get(pe->native.at + 8, 4);
	n = gn_pe_get(pe->native.at + 12, 4);
	if (flags & FLAG_COMPONENT || n > SECTIONS_MAX ||
	    (pe->native.n - HEADER_SIZE) / SECTION_SIZE < n)
		return GN_R2R_UNTOLD;
	e.multi = flags & FLAG_MULTI;
	if (!find_section(pe, SECTION_ANY, &e.r.b)) {
		e.any = false;
		if (!find_section(pe, SECTION_OWN, &e.r.b))
			return GN_R2R_UNTOLD;
	}
	return read_table(&e, each, ctx) ? GN_R2R_TOLD : GN_R2R_UNTOLD;
}
