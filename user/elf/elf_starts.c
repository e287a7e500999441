/* SPDX-License-Identifier: BSD-2-Clause */
/* Where functions begin and end, by the file's unwind table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"

/*
 * The end of the code of an entry of .eh_frame; 0: not known. The entry must
 * have the beginning that the table says, in the form that compilers write (4
 * bytes, relative to their position). The length follows it.
 */
static uint64_t end_of(const struct gn_elf *elf, uint64_t entry, uint64_t begin)
{
	const size_t head = 8; /* its length, and the offset of its CIE */
	const uint8_t *p = gn_elf_rodata(elf, entry, head + 8);
	uint32_t length, size;
	int32_t rel;

	if (!p)
		return 0;
	memcpy(&length, p, sizeof(length));
	memcpy(&rel, p + head, sizeof(rel));
	memcpy(&size, p + head + 4, sizeof(size));
	if (length < 12 || length >= 0xfffffff0 ||
	    entry + head + (uint64_t)(int64_t)rel != begin)
		return 0;
	return begin + size;
}

static void set_end(struct gn_elf *elf, uint64_t begin, uint64_t end)
{
	const uint64_t *at = bsearch(&begin, elf->starts, elf->nstarts,
				     sizeof(*elf->starts), gn_by_address);

	if (at)
		elf->ends[at - elf->starts] = end;
}

/* An address relative to the beginning of the section. */
static uint64_t place(const GElf_Shdr *sh, const uint8_t *p)
{
	int32_t rel;

	memcpy(&rel, p, sizeof(rel));
	return sh->sh_addr + (uint64_t)(int64_t)rel;
}

/*
 * Reads the table of .eh_frame_hdr in the only form that linkers write: version
 * 1, a 4-byte count, and pairs of 4-byte distances from the beginning of the
 * section: to the code, and to its entry.
 */
int gn_starts_load(struct gn_elf *elf)
{
	const size_t head = 12;
	const uint8_t *p;
	Elf_Data *data;
	GElf_Shdr sh;
	Elf_Scn *scn;
	uint32_t n;

	scn = gn_image_find(&elf->main, ".eh_frame_hdr", &sh);
	data = scn ? gn_image_data(scn, &sh) : NULL;
	if (!data || data->d_size < head)
		return 0;
	p = data->d_buf;
	if (p[0] != 1 || (p[1] & 0x0f) != 0x0b || p[2] != 3 || p[3] != 0x3b)
		return 0;
	memcpy(&n, p + 8, sizeof(n));
	if (!n || n > (data->d_size - head) / 8)
		return 0;
	elf->starts = calloc(n, sizeof(*elf->starts));
	elf->ends = calloc(n, sizeof(*elf->ends));
	if (!elf->starts || !elf->ends)
		return -ENOMEM;
	p += head;
	for (size_t i = 0; i < n; i++) {
		uint64_t addr = place(&sh, p + 8 * i);

		if (gn_elf_code(elf, addr, 1))
			elf->starts[elf->nstarts++] = addr;
	}
	qsort(elf->starts, elf->nstarts, sizeof(*elf->starts), gn_by_address);
	for (size_t i = 0; i < n; i++) {
		uint64_t begin = place(&sh, p + 8 * i);

		set_end(elf, begin,
			end_of(elf, place(&sh, p + 8 * i + 4), begin));
	}
	return 0;
}
