// SPDX-License-Identifier: BSD-2-Clause
/* The segments of an ELF file, and where an address is in them. */
#include <errno.h>
#include <stdlib.h>

#include "elf/elf_internal.h"

static int by_address(const void *a, const void *b)
{
	const struct gn_segment *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Whether a uprobe or a proof can use the segment. */
static bool usable(const struct gn_image *image, const GElf_Phdr *ph)
{
	if (ph->p_type != PT_LOAD || !ph->p_filesz || ph->p_flags & PF_W)
		return false;
	if (ph->p_filesz > image->size ||
	    ph->p_offset > image->size - ph->p_filesz)
		return false;
	return ph->p_vaddr <= UINT64_MAX - ph->p_filesz;
}

static int load_headers(struct gn_elf *elf)
{
	uint64_t end = 0;
	size_t n = 0;
	GElf_Phdr ph;

	errno = 0;
	if (elf_getphdrnum(elf->main.elf, &n) || !n || n > GN_ELF_MAX_SEGMENTS)
		return gn_image_refused();
	elf->segments = calloc(n, sizeof(*elf->segments));
	if (!elf->segments)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf->main.elf, (int)i, &ph))
			return gn_image_refused();
		if (ph.p_type == PT_GNU_RELRO &&
		    ph.p_vaddr <= UINT64_MAX - ph.p_memsz)
			elf->relro = (struct gn_elf_range){
				ph.p_vaddr, ph.p_vaddr + ph.p_memsz};
		if (usable(&elf->main, &ph))
			elf->segments[elf->nsegments++] = (struct gn_segment){
				.addr = ph.p_vaddr,
				.offset = ph.p_offset,
				.size = ph.p_filesz,
				.exec = ph.p_flags & PF_X,
			};
	}
	qsort(elf->segments, elf->nsegments, sizeof(*elf->segments),
	      by_address);
	/* If segments overlap, the kernel maps the last one. No sane file has
	 * that, and without it, the segments together are not longer than the
	 * file. */
	for (size_t i = 0; i < elf->nsegments; i++) {
		const struct gn_segment *s = &elf->segments[i];

		if (s->addr < end)
			return -ENOEXEC;
		end = s->addr + s->size;
	}
	return 0;
}

/* Reads the segments. A byte of the file may be in at most two of them. */
static int load_bytes(struct gn_elf *elf)
{
	uint64_t total = 0;

	for (size_t i = 0; i < elf->nsegments; i++) {
		struct gn_segment *s = &elf->segments[i];
		int err;

		total += s->size;
		if (total > 2 * elf->main.size)
			return -ENOEXEC;
		s->bytes = malloc(s->size);
		if (!s->bytes)
			return -ENOMEM;
		err = gn_image_read(&elf->main, s->offset, s->bytes, s->size);
		if (err)
			return err;
	}
	return 0;
}

int gn_segments_load(struct gn_elf *elf)
{
	int err = load_headers(elf);

	return err ? err : load_bytes(elf);
}

/* The segment that holds [addr, addr + size). */
static const struct gn_segment *find_segment(const struct gn_elf *elf,
					     uint64_t addr, uint64_t size)
{
	size_t lo = 0, hi = elf->nsegments;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct gn_segment *s = &elf->segments[mid];

		if (addr < s->addr)
			hi = mid;
		else if (addr - s->addr >= s->size)
			lo = mid + 1;
		else
			return size <= s->size - (addr - s->addr) ? s : NULL;
	}
	return NULL;
}

const uint8_t *gn_elf_rodata(const struct gn_elf *elf, uint64_t addr,
			     uint64_t size)
{
	const struct gn_segment *s = find_segment(elf, addr, size);

	return s ? s->bytes + (addr - s->addr) : NULL;
}

const uint8_t *gn_elf_code(const struct gn_elf *elf, uint64_t addr,
			   uint64_t size)
{
	const struct gn_segment *s = find_segment(elf, addr, size);

	return s && s->exec ? s->bytes + (addr - s->addr) : NULL;
}

int gn_elf_offset(const struct gn_elf *elf, uint64_t addr, uint64_t *offset)
{
	const struct gn_segment *s = find_segment(elf, addr, 1);

	if (!s || !s->exec)
		return -ENOENT;
	*offset = s->offset + (addr - s->addr);
	return 0;
}

bool gn_elf_text(const struct gn_elf *elf, size_t index,
		 struct gn_elf_section_view *out)
{
	for (size_t i = 0; i < elf->nsegments; i++) {
		const struct gn_segment *s = &elf->segments[i];

		if (!s->exec || index--)
			continue;
		*out = (struct gn_elf_section_view){s->addr, s->bytes, s->size};
		return true;
	}
	return false;
}
