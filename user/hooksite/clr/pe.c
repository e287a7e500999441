// SPDX-License-Identifier: BSD-2-Clause
#include "pe.h"

#include <string.h>

#define SECTIONS_MAX	96u
#define METADATA_MAX	(1u << 30)
#define SECTION_SIZE	40u
#define CLI_SIZE	72u
#define CLI_METADATA	8u
#define CLI_NATIVE	64u
#define CLI_DIRECTORY	14u
#define DEBUG_DIRECTORY 6u
#define DIRECTORY_SIZE	8u

static const uint8_t *at(const struct gn_pe *pe, uint64_t offset, uint64_t n)
{
	if (offset > UINT32_MAX || n > METADATA_MAX ||
	    !pe->readable(pe->ctx, pe->base + offset, (size_t)n))
		return NULL;
	return pe->base + offset;
}

const uint8_t *gn_pe_at(const struct gn_pe *pe, uint32_t address, uint32_t n)
{
	for (uint32_t i = 0; i < pe->nsections; i++) {
		const uint8_t *s =
			at(pe, pe->sections + i * SECTION_SIZE, SECTION_SIZE);
		uint32_t start, in_file, raw, from;

		if (!s)
			return NULL;
		start = gn_le_get(s + 12, 4);
		in_file = gn_le_get(s + 16, 4);
		raw = gn_le_get(s + 20, 4);
		if (address < start || address - start >= in_file)
			continue;
		from = address - start;
		if (n > in_file - from)
			return NULL;
		return at(pe, pe->flat ? (uint64_t)raw + from : address, n);
	}
	return NULL;
}

bool gn_pe_address(const struct gn_pe *pe, uint64_t offset, uint32_t *address)
{
	for (uint32_t i = 0; i < pe->nsections; i++) {
		const uint8_t *s =
			at(pe, pe->sections + i * SECTION_SIZE, SECTION_SIZE);
		uint32_t in_file, raw;

		if (!s)
			return false;
		in_file = gn_le_get(s + 16, 4);
		raw = gn_le_get(s + 20, 4);
		if (offset < raw || offset - raw >= in_file)
			continue;
		*address = gn_le_get(s + 12, 4) + (uint32_t)(offset - raw);
		return true;
	}
	return false;
}

/* The bytes that a directory entry, an address and a size, refers to. */
static struct gn_bytes told_at(const struct gn_pe *pe, const uint8_t *p)
{
	struct gn_bytes told = {NULL, gn_le_get(p + 4, 4)};

	if (told.n)
		told.at = gn_pe_at(pe, gn_le_get(p, 4), (uint32_t)told.n);
	return told;
}

static const uint8_t *find_cli(struct gn_pe *pe)
{
	const uint8_t *p = at(pe, 0, 64);
	uint32_t header, optional, magic, directories;

	if (!p || p[0] != 'M' || p[1] != 'Z')
		return NULL;
	header = gn_le_get(p + 60, 4);
	p = at(pe, header, 24);
	if (!p || memcmp(p, "PE\0\0", 4) != 0)
		return NULL;
	pe->nsections = gn_le_get(p + 6, 2);
	optional = gn_le_get(p + 20, 2);
	pe->sections = header + 24 + optional;
	p = at(pe, (uint64_t)header + 24, optional);
	magic = p && optional >= 2 ? gn_le_get(p, 2) : 0;
	directories = magic == 0x10b ? 96 : magic == 0x20b ? 112 : 0;
	if (!directories || pe->nsections > SECTIONS_MAX ||
	    optional < directories + (CLI_DIRECTORY + 1) * DIRECTORY_SIZE ||
	    gn_le_get(p + directories - 4, 4) <= CLI_DIRECTORY)
		return NULL;
	pe->debug =
		told_at(pe, p + directories + DEBUG_DIRECTORY * DIRECTORY_SIZE);
	p += directories + CLI_DIRECTORY * DIRECTORY_SIZE;
	return gn_pe_at(pe, gn_le_get(p, 4), CLI_SIZE);
}

bool gn_pe_open(struct gn_pe *pe, const uint8_t *base, bool flat,
		gn_readable_fn readable, void *ctx)
{
	const uint8_t *cli;

	*pe = (struct gn_pe){
		.base = base, .flat = flat, .readable = readable, .ctx = ctx};
	cli = find_cli(pe);
	if (!cli)
		return false;
	pe->metadata = told_at(pe, cli + CLI_METADATA);
	pe->native = told_at(pe, cli + CLI_NATIVE);
	return pe->metadata.at;
}
