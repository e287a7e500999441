// SPDX-License-Identifier: BSD-2-Clause
/* An ELF file: opening, its segments, and the answers that need no search. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_internal.h"

static int by_address(const void *a, const void *b)
{
	const struct gn_segment *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Keeps what a uprobe or a proof can use; false for all else. */
static bool usable(const struct gn_image *image, const GElf_Phdr *ph)
{
	if (ph->p_type != PT_LOAD || !ph->p_filesz || ph->p_flags & PF_W)
		return false;
	if (ph->p_filesz > image->size ||
	    ph->p_offset > image->size - ph->p_filesz)
		return false;
	return ph->p_vaddr <= UINT64_MAX - ph->p_filesz;
}

static int load_interp(struct gn_elf *elf, const GElf_Phdr *ph)
{
	char *s;

	if (elf->interp || !ph->p_filesz || ph->p_filesz > 4096)
		return 0;
	s = calloc(1, ph->p_filesz + 1);
	if (!s)
		return -ENOMEM;
	if (gn_image_read(&elf->main, ph->p_offset, s, ph->p_filesz))
		free(s);
	else
		elf->interp = s;
	return 0;
}

static int load_segments(struct gn_elf *elf)
{
	uint64_t end = 0;
	size_t n = 0, kept = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf->main.elf, &n) || !n || n > GN_ELF_MAX_SEGMENTS)
		return -ENOEXEC;
	elf->segments = calloc(n, sizeof(*elf->segments));
	if (!elf->segments)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf->main.elf, (int)i, &ph))
			return -ENOEXEC;
		if (ph.p_type == PT_INTERP && load_interp(elf, &ph))
			return -ENOMEM;
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
	/* of segments that overlap the kernel maps the last; no sane file has
	 * them, and without them all segments together are as long as the file
	 * may be */
	for (size_t i = 0; i < elf->nsegments; i++) {
		struct gn_segment *s = &elf->segments[i];

		if (kept && s->addr < end)
			return -ENOEXEC;
		end = s->addr + s->size;
		elf->segments[kept++] = *s;
	}
	elf->nsegments = kept;
	return 0;
}

/* The bytes of the segments, each byte of the file at most twice. */
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

int gn_elf_open_root(const char *place, const char *path,
		     const char *debug_root, struct gn_elf **out)
{
	struct gn_elf *elf = calloc(1, sizeof(*elf));
	int err = -ENOMEM;

	if (!elf)
		return -ENOMEM;
	elf->main.fd = elf->debug.fd = -1;
	elf->path = strdup(path);
	elf->place = strdup(place);
	if (!elf->path || !elf->place)
		goto fail;
	err = gn_image_open(place, &elf->main);
	if (err)
		goto fail;
	elf->entry = gn_image_entry(&elf->main);
	gn_image_build_id(&elf->main, elf->build_id);
	err = load_segments(elf);
	if (!err)
		err = load_bytes(elf);
	if (!err)
		err = gn_debug_open(elf, debug_root);
	if (!err)
		err = gn_symbols_load(elf);
	if (!err)
		err = gn_dynamic_load(elf);
	if (!err)
		err = gn_starts_load(elf);
	if (err)
		goto fail;
	gn_image_detach(&elf->main);
	gn_image_detach(&elf->debug);
	*out = elf;
	return 0;
fail:
	gn_elf_close(elf);
	return err;
}

int gn_elf_open(const char *path, struct gn_elf **out)
{
	return gn_elf_open_as(path, path, out);
}

int gn_elf_open_as(const char *place, const char *path, struct gn_elf **out)
{
	return gn_elf_open_root(place, path, "/usr/lib/debug", out);
}

void gn_elf_close(struct gn_elf *elf)
{
	if (!elf)
		return;
	for (size_t i = 0; i < elf->nsegments; i++)
		free(elf->segments[i].bytes);
	for (size_t i = 0; i < elf->ntitles; i++)
		free(elf->titles[i]);
	free(elf->titles);
	free(elf->segments);
	free(elf->sections);
	free(elf->symbols);
	free(elf->needed);
	free(elf->imports);
	free(elf->starts);
	free(elf->pointers);
	free(elf->interp);
	free(elf->debug_path);
	free(elf->path);
	free(elf->place);
	gn_image_close(&elf->debug);
	gn_image_close(&elf->main);
	free(elf);
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

const char *gn_elf_path(const struct gn_elf *elf)
{
	return elf->path;
}

const char *gn_elf_build_id(const struct gn_elf *elf)
{
	return elf->build_id;
}

const char *gn_elf_debug_path(const struct gn_elf *elf)
{
	return elf->debug_path;
}

size_t gn_elf_symbols(const struct gn_elf *elf,
		      const struct gn_elf_symbol **out)
{
	*out = elf->symbols;
	return elf->nsymbols;
}

size_t gn_elf_starts(const struct gn_elf *elf, const uint64_t **out)
{
	*out = elf->starts;
	return elf->nstarts;
}

bool gn_elf_pointers(const struct gn_elf *elf, const uint64_t **out, size_t *n)
{
	*out = elf->pointers;
	*n = elf->npointers;
	return !elf->pointers_hidden;
}

bool gn_elf_stripped(const struct gn_elf *elf)
{
	return elf->stripped;
}

bool gn_elf_opaque(const struct gn_elf *elf)
{
	return elf->opaque;
}

bool gn_elf_has_section(const struct gn_elf *elf, const char *name)
{
	GElf_Shdr shdr;

	return gn_image_find(&elf->main, name, &shdr) != NULL;
}

const char *gn_elf_soname(const struct gn_elf *elf)
{
	return elf->soname;
}

size_t gn_elf_needed(const struct gn_elf *elf, const char *const **out)
{
	*out = elf->needed;
	return elf->nneeded;
}

const char *gn_elf_interp(const struct gn_elf *elf)
{
	return elf->interp;
}

uint64_t gn_elf_entry(const struct gn_elf *elf)
{
	return elf->entry;
}
