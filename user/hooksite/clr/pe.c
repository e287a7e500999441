// SPDX-License-Identifier: BSD-2-Clause
#include "pe.h"

#include <string.h>

#define SECTIONS_MAX   96u
#define METADATA_MAX   (1u << 30)
#define SECTION_SIZE   40u
#define CLI_SIZE       72u
#define CLI_DIRECTORY  14u
#define DIRECTORY_SIZE 8u

struct image {
	const uint8_t *base;
	bool flat;
	gn_readable_fn readable;
	void *ctx;
	uint32_t sections; /* their headers: where, how many */
	uint32_t nsections;
};

static uint32_t get(const uint8_t *p, unsigned int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static const uint8_t *at(const struct image *im, uint64_t offset, uint64_t n)
{
	if (offset > UINT32_MAX || n > METADATA_MAX ||
	    !im->readable(im->ctx, im->base + offset, (size_t)n))
		return NULL;
	return im->base + offset;
}

/* So many bytes at an address of the image; they are in one section. */
static const uint8_t *at_address(const struct image *im, uint32_t address,
				 uint32_t n)
{
	for (uint32_t i = 0; i < im->nsections; i++) {
		const uint8_t *s =
			at(im, im->sections + i * SECTION_SIZE, SECTION_SIZE);
		uint32_t start, in_file, raw, from;

		if (!s)
			return NULL;
		start = get(s + 12, 4);
		in_file = get(s + 16, 4);
		raw = get(s + 20, 4);
		if (address < start || address - start >= in_file)
			continue;
		from = address - start;
		if (n > in_file - from)
			return NULL;
		return at(im, im->flat ? (uint64_t)raw + from : address, n);
	}
	return NULL;
}

static const uint8_t *find_cli(struct image *im)
{
	const uint8_t *p = at(im, 0, 64);
	uint32_t pe, optional, magic, directories;

	if (!p || p[0] != 'M' || p[1] != 'Z')
		return NULL;
	pe = get(p + 60, 4);
	p = at(im, pe, 24);
	if (!p || memcmp(p, "PE\0\0", 4) != 0)
		return NULL;
	im->nsections = get(p + 6, 2);
	optional = get(p + 20, 2);
	im->sections = pe + 24 + optional;
	p = at(im, (uint64_t)pe + 24, optional);
	magic = p && optional >= 2 ? get(p, 2) : 0;
	directories = magic == 0x10b ? 96 : magic == 0x20b ? 112 : 0;
	if (!directories || im->nsections > SECTIONS_MAX ||
	    optional < directories + (CLI_DIRECTORY + 1) * DIRECTORY_SIZE ||
	    get(p + directories - 4, 4) <= CLI_DIRECTORY)
		return NULL;
	p += directories + CLI_DIRECTORY * DIRECTORY_SIZE;
	return at_address(im, get(p, 4), CLI_SIZE);
}

bool gn_pe_metadata(const uint8_t *base, bool flat, gn_readable_fn readable,
		    void *ctx, struct gn_bytes *metadata)
{
	struct image im = {base, flat, readable, ctx, 0, 0};
	const uint8_t *cli = find_cli(&im);

	if (!cli)
		return false;
	metadata->n = get(cli + 12, 4);
	metadata->at = at_address(&im, get(cli + 8, 4), (uint32_t)metadata->n);
	return metadata->at;
}
