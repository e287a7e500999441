// SPDX-License-Identifier: BSD-2-Clause
/*
 * Finds the separate debug file: by build-id, else by .gnu_debuglink in the
 * places where debuggers look: next to the file, in .debug next to it, and
 * under the debug root.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "elf/elf_internal.h"

/* Uses `path` (from malloc(); NULL: no memory) as the debug file if it can be
 * opened and `fits`; else frees it. 1, 0, -ENOMEM. */
static int adopt(struct gn_elf *elf, char *path,
		 bool (*fits)(const struct gn_image *, const void *),
		 const void *arg)
{
	if (!path)
		return -ENOMEM;
	if (!gn_image_open(path, &elf->debug)) {
		if (fits(&elf->debug, arg)) {
			elf->debug_path = path;
			return 1;
		}
		gn_image_close(&elf->debug);
	}
	free(path);
	return 0;
}

static bool same_build_id(const struct gn_image *image, const void *arg)
{
	char hex[2 * 64 + 1];

	gn_image_build_id(image, hex);
	return !strcmp(hex, arg);
}

static bool same_crc(const struct gn_image *image, const void *arg)
{
	uint8_t block[64 << 10];
	uint64_t at = 0;
	uLong crc = crc32(0, NULL, 0);
	uint32_t want;

	memcpy(&want, arg, sizeof(want));
	while (at < image->size) {
		size_t n = sizeof(block);

		if (n > image->size - at)
			n = image->size - at;
		if (gn_image_read(image, at, block, n))
			return false;
		crc = crc32(crc, block, (uInt)n);
		at += n;
	}
	return crc == want;
}

static char *text(const char *a, const char *b, const char *c, const char *d)
{
	char *s;

	return asprintf(&s, "%s%s%s%s", a, b, c, d) < 0 ? NULL : s;
}

static int by_build_id(struct gn_elf *elf, const char *root)
{
	char place[sizeof(elf->build_id) + 32];

	if (strlen(elf->build_id) < 4)
		return 0;
	snprintf(place, sizeof(place), "/.build-id/%.2s/%s.debug",
		 elf->build_id, elf->build_id + 2);
	return adopt(elf, text(root, place, "", ""), same_build_id,
		     elf->build_id);
}

/* The name and checksum in .gnu_debuglink. */
static const char *link_name(const struct gn_elf *elf, uint32_t *crc)
{
	const char *name;
	Elf_Data *data;
	GElf_Shdr sh;
	Elf_Scn *scn;
	size_t at;

	scn = gn_image_find(&elf->main, ".gnu_debuglink", &sh);
	if (!scn || sh.sh_flags & SHF_COMPRESSED)
		return NULL;
	data = elf_getdata(scn, NULL);
	name = gn_string(data, 0);
	if (!name || !*name || strchr(name, '/') || !strcmp(name, "..") ||
	    !strcmp(name, "."))
		return NULL;
	at = (strlen(name) + 4) & ~(size_t)3;
	if (at > data->d_size || data->d_size - at < sizeof(*crc))
		return NULL;
	memcpy(crc, (const uint8_t *)data->d_buf + at, sizeof(*crc));
	return name;
}

static int by_link(struct gn_elf *elf, const char *root)
{
	char dir[PATH_MAX];
	uint32_t crc;
	const char *name = link_name(elf, &crc);
	int got;

	if (!name || !realpath(elf->place, dir))
		return 0;
	*strrchr(dir, '/') = '\0';
	got = adopt(elf, text(dir, "/", name, ""), same_crc, &crc);
	if (!got)
		got = adopt(elf, text(dir, "/.debug/", name, ""), same_crc,
			    &crc);
	if (!got)
		got = adopt(elf, text(root, dir, "/", name), same_crc, &crc);
	return got;
}

int gn_debug_open(struct gn_elf *elf, const char *root)
{
	int got = by_build_id(elf, root);

	if (!got)
		got = by_link(elf, root);
	return got < 0 ? got : 0;
}

static bool has_symtab(const struct gn_image *image)
{
	GElf_Shdr sh;
	Elf_Scn *scn;

	for (size_t i = 1; image->elf && i < image->nsections; i++)
		if (gn_image_section(image, i, &sh, &scn) &&
		    sh.sh_type == SHT_SYMTAB)
			return true;
	return false;
}

bool gn_elf_is_stripped(const char *path, bool *go)
{
	struct gn_elf elf = {.main.fd = -1, .debug.fd = -1};
	bool stripped = false;

	*go = false;
	elf.place = strdup(path);
	if (elf.place && !gn_image_open(path, &elf.main)) {
		gn_image_build_id(&elf.main, elf.build_id);
		stripped = !has_symtab(&elf.main) &&
			   !gn_debug_open(&elf, GN_DEBUG_ROOT) &&
			   !has_symtab(&elf.debug);
		*go = gn_image_is_go(&elf.main);
		gn_image_close(&elf.main);
		gn_image_close(&elf.debug);
	}
	free(elf.debug_path);
	free(elf.place);
	return stripped;
}
