/* SPDX-License-Identifier: BSD-2-Clause */
#include "elf/exported.h"

#include <errno.h>
#include <string.h>

#include "elf/elf_image.h"

#define MAX_SYMBOLS (1 << 20) /* further ones are not looked at */

static void find_exported(const struct gn_image *image,
			  const char *const *names, size_t n, uint64_t *addr)
{
	Elf_Data *syms, *strs;
	GElf_Sym sym;

	memset(addr, 0, n * sizeof(*addr));
	if (!gn_image_symbols(image, SHT_DYNSYM, &syms, &strs))
		return;
	for (int i = 0; i < MAX_SYMBOLS && gelf_getsym(syms, i, &sym); i++)
		for (size_t k = 0; sym.st_shndx != SHN_UNDEF && k < n; k++)
			if (!addr[k] &&
			    gn_string_is(strs, sym.st_name, names[k]))
				addr[k] = sym.st_value;
}

int gn_image_exported(const struct gn_image *image, const char *name, int type,
		      GElf_Sym *sym)
{
	Elf_Data *syms, *strs;

	if (!gn_image_symbols(image, SHT_DYNSYM, &syms, &strs))
		return -ENOENT;
	for (int i = 0; i < MAX_SYMBOLS && gelf_getsym(syms, i, sym); i++)
		if (sym->st_shndx != SHN_UNDEF &&
		    GELF_ST_TYPE(sym->st_info) == type &&
		    gn_string_is(strs, sym->st_name, name))
			return 0;
	return -ENOENT;
}

int gn_exported_variable(const char *path, const char *name, uint64_t *addr,
			 uint64_t *size, uint64_t *first)
{
	struct gn_image image;
	GElf_Sym sym = {.st_value = 0};
	GElf_Phdr p;
	int err = gn_image_open(path, &image);

	if (err)
		return err;
	err = -ENOENT;
	for (int i = 0; err && gelf_getphdr(image.elf, i, &p); i++) {
		if (p.p_type != PT_LOAD || p.p_offset)
			continue;
		*first = p.p_vaddr;
		err = gn_image_exported(&image, name, STT_OBJECT, &sym);
		break;
	}
	gn_image_close(&image);
	*addr = sym.st_value;
	*size = sym.st_size;
	return err;
}

int gn_exported(const char *path, const char *const *names, size_t n,
		uint64_t *addr)
{
	struct gn_image image;
	int err = gn_image_open(path, &image);

	if (err)
		return err;
	find_exported(&image, names, n, addr);
	gn_image_close(&image);
	return 0;
}

int gn_exported_code(const char *path, const char *name, uint64_t *addr,
		     uint64_t *offset)
{
	struct gn_image image;
	int err = gn_image_open(path, &image);

	if (err)
		return err;
	find_exported(&image, &name, 1, addr);
	err = *addr ? gn_image_offset(&image, *addr, PF_X, offset) : -ENOENT;
	gn_image_close(&image);
	return err;
}

int gn_exported_bytes(const char *path, const char *name, void *to, size_t size)
{
	struct gn_image image;
	uint64_t addr, offset;
	int err = gn_image_open(path, &image);

	if (err)
		return err;
	find_exported(&image, &name, 1, &addr);
	err = addr ? gn_image_offset(&image, addr, PF_R, &offset) : -ENOENT;
	if (!err)
		err = gn_image_read(&image, offset, to, size);
	gn_image_close(&image);
	return err;
}
