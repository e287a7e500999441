// SPDX-License-Identifier: BSD-2-Clause
/*
 * Packed relative relocations (SHT_RELR). An even word is the address of a
 * slot. An odd one is a bitmap of the 63 words after the last slot, with bit 1
 * for the first of them. A slot's value is moved by as much as the file is.
 */
#include <errno.h>
#include <string.h>

#include "elf/elf_internal.h"

#define WORD 8u
#define BITS 63u

struct packed {
	const struct gn_image *image;
	uint64_t *left;
	int (*each)(void *ctx, uint64_t slot, uint64_t value);
	void *ctx;
};

static int give(struct packed *p, uint64_t slot, uint64_t value)
{
	if (!*p->left)
		return -ENOEXEC;
	--*p->left;
	return p->each(p->ctx, slot, value);
}

static int one_slot(struct packed *p, uint64_t slot)
{
	uint64_t offset, value;

	if (gn_image_offset(p->image, slot, PF_W, &offset) ||
	    gn_image_read(p->image, offset, &value, sizeof(value)))
		return -ENOEXEC;
	return give(p, slot, value);
}

/* Handles the slots in the bitmap, which are read at once. */
static int some_slots(struct packed *p, uint64_t first, uint64_t map)
{
	uint64_t value[BITS], offset;
	size_t n = map ? 64 - (size_t)__builtin_clzll(map) : 0;

	if (!n)
		return 0;
	if (gn_image_offset(p->image, first, PF_W, &offset) ||
	    gn_image_read(p->image, offset, value, n * WORD))
		return -ENOEXEC;
	for (size_t i = 0; i < n; i++) {
		int err =
			map >> i & 1 ? give(p, first + i * WORD, value[i]) : 0;

		if (err)
			return err;
	}
	return 0;
}

int gn_packed_each(const struct gn_image *image, const Elf_Data *packed,
		   uint64_t *left,
		   int (*each)(void *ctx, uint64_t slot, uint64_t value),
		   void *ctx)
{
	struct packed p = {
		.image = image, .left = left, .each = each, .ctx = ctx};
	size_t n = packed->d_size / WORD;
	uint64_t next = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t word;
		int err;

		memcpy(&word, (const uint8_t *)packed->d_buf + i * WORD,
		       sizeof(word));
		if (word & 1) {
			err = some_slots(&p, next, word >> 1);
			next += BITS * WORD;
		} else {
			err = one_slot(&p, word);
			next = word + WORD;
		}
		if (err)
			return err;
	}
	return 0;
}
