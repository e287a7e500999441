// SPDX-License-Identifier: BSD-2-Clause
/* Opens an ELF file, and answers questions that need no search. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_internal.h"

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
	err = gn_image_interp(&elf->main, &elf->interp);
	if (!err)
		err = gn_segments_load(elf);
	if (!err)
		err = gn_debug_open(elf, debug_root);
	if (!err)
		err = gn_starts_load(elf);
	if (!err)
		err = gn_symbols_load(elf);
	if (!err)
		err = gn_dynamic_load(elf);
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
	return gn_elf_open_root(place, path, GN_DEBUG_ROOT, out);
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
	free(elf->imports);
	free(elf->starts);
	free(elf->ends);
	free(elf->pointers);
	free(elf->fixed);
	free(elf->interp);
	free(elf->debug_path);
	free(elf->path);
	free(elf->place);
	gn_image_close(&elf->debug);
	gn_image_close(&elf->main);
	free(elf);
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

uint64_t gn_elf_start_end(const struct gn_elf *elf, size_t index)
{
	return elf->ends[index] ?: UINT64_MAX;
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

bool gn_elf_is_aot(const char *path)
{
	struct gn_image image;
	GElf_Shdr shdr;
	bool is;

	if (gn_image_open(path, &image))
		return false;
	is = gn_image_find(&image, GN_AOT_SECTION, &shdr) != NULL;
	gn_image_close(&image);
	return is;
}

bool gn_elf_is_go(const struct gn_elf *elf)
{
	return gn_image_is_go(&elf->main);
}

const char *gn_elf_soname(const struct gn_elf *elf)
{
	return elf->soname;
}

const char *gn_elf_interp(const struct gn_elf *elf)
{
	return elf->interp;
}

int gn_elf_linker(const char *path, char **linker)
{
	struct gn_image image;
	int err = gn_image_open(path, &image);

	*linker = NULL;
	if (err)
		return err;
	err = gn_image_interp(&image, linker);
	gn_image_close(&image);
	return err;
}

bool gn_elf_needs_musl(const char *path)
{
	const char *linker = "/ld-musl-", *slash;
	char *interp;
	bool needs;

	gn_elf_linker(path, &interp);
	slash = interp ? strrchr(interp, '/') : NULL;
	needs = slash && !strncmp(slash, linker, strlen(linker));
	free(interp);
	return needs;
}

uint64_t gn_elf_entry(const struct gn_elf *elf)
{
	return elf->entry;
}

bool gn_elf_has_32_bits(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char head[EI_NIDENT];
	bool has;

	if (fd < 0)
		return false;
	has = pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	      !memcmp(head, ELFMAG, SELFMAG) && head[EI_CLASS] == ELFCLASS32;
	close(fd);
	return has;
}
