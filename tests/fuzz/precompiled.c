/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of precompiled code: a module's entry points and functions, and the
 * names from its metadata. An input is the sizes of three sections (2 bytes
 * each, little-endian): functions, methods, instances. Then come the sections
 * and the metadata.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "hooksite/clr/metadata.h"
#include "source/r2r_code.h"

#define SECTIONS 3
#define HEADER	 40u /* of the file's one section; then the table */
#define TABLE	 (16u + 12u * SECTIONS)
#define NAMES	 256
#define ROOM	 1024

struct image {
	uint8_t *bytes;
	size_t size;
};

static bool readable(void *ctx, const uint8_t *at, size_t n)
{
	const struct image *image = ctx;
	uintptr_t from = (uintptr_t)at - (uintptr_t)image->bytes;

	return from <= image->size && n <= image->size - from;
}

static void put(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
}

/* Makes a file of one section, with addresses equal to file offsets. */
static struct gn_pe make(struct image *image, struct gn_fuzz_in *in)
{
	static const uint32_t types[SECTIONS] = {102, 103, 109};
	uint32_t at = HEADER + TABLE, size[SECTIONS];
	uint8_t *header;

	for (int i = 0; i < SECTIONS; i++) {
		size[i] = gn_fuzz_take(in, 1);
		size[i] |= gn_fuzz_take(in, 1) << 8;
	}
	image->size = at + in->left;
	image->bytes = calloc(1, image->size);
	must(image->bytes, "memory");
	put(image->bytes + 16, (uint32_t)image->size);
	header = image->bytes + HEADER;
	put(header, 0x00525452);
	put(header + 12, SECTIONS);
	for (int i = 0; i < SECTIONS; i++) {
		size_t n = size[i];
		uint8_t *some = gn_fuzz_take_bytes(in, &n);

		put(header + 16 + 12 * i, types[i]);
		put(header + 20 + 12 * i, at);
		put(header + 24 + 12 * i, (uint32_t)n);
		if (n)
			memcpy(image->bytes + at, some, n);
		free(some);
		at += (uint32_t)n;
	}
	return (struct gn_pe){
		.base = image->bytes,
		.flat = true,
		.readable = readable,
		.ctx = image,
		.nsections = 1,
		.native = {header, TABLE},
	};
}

static void name_all(const struct gn_md *md, const struct gn_r2r_code *code,
		     size_t n)
{
	for (size_t i = 0; i < n && i < NAMES; i++) {
		struct gn_text name;
		char room[ROOM];

		gn_text_init(&name, room, sizeof(room));
		gn_r2r_code_name(md, &code[i], &name);
		must(name.len < ROOM && strlen(room) == name.len,
		     "a name has one end, within its room");
	}
}

void gn_fuzz(const uint8_t *bytes, size_t size)
{
	struct gn_fuzz_in in = {bytes, size};
	struct gn_bytes metadata;
	struct gn_r2r_code *code;
	struct image image;
	struct gn_pe pe = make(&image, &in);
	struct gn_md md;
	size_t n = in.left;
	int err;

	metadata.at = gn_fuzz_take_bytes(&in, &n);
	metadata.n = n;
	err = gn_r2r_code_read(&pe, &code, &n);
	must(!err || !n, "what cannot be read has no code");
	for (size_t i = 0; i < n; i++) {
		must(code[i].start < code[i].end, "code has a size");
		must(!i || code[i - 1].end <= code[i].start, "it is sorted");
		must(gn_r2r_code_at(code, n, code[i].end - 1) == &code[i],
		     "it is found");
	}
	if (gn_md_open(&md, &metadata))
		name_all(&md, code, n);
	free(code);
	free(image.bytes);
	free((void *)(uintptr_t)metadata.at);
}
