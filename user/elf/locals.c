// SPDX-License-Identifier: BSD-2-Clause
/* Where a file has variables that each thread has for itself. */
#include "elf/exported.h"

#include <stdbool.h>

#include "elf/elf_image.h"

/* Finds the first relocation of this type. False: there is none. */
static bool find_relocation(const struct gn_image *image, uint32_t type,
			    uint64_t *slot)
{
	uint64_t left = image->size; /* sections do not overlap */
	GElf_Shdr sh;
	Elf_Scn *scn;
	GElf_Rela r;

	for (size_t i = 1; i < image->nsections; i++) {
		Elf_Data *data;

		if (!gn_image_section(image, i, &sh, &scn) ||
		    sh.sh_type != SHT_RELA || sh.sh_size > left)
			continue;
		left -= sh.sh_size;
		data = gn_image_data(scn, &sh);
		for (int k = 0; data && gelf_getrela(data, k, &r); k++)
			if (GELF_R_TYPE(r.r_info) == type) {
				*slot = r.r_offset;
				return true;
			}
	}
	return false;
}

/* Where the memory of a thread for the program itself begins, from the thread
 * pointer on. It is before that, so the number wraps. */
static uint64_t memory_of_program(const struct gn_image *image)
{
	GElf_Phdr p;

	for (int i = 0; gelf_getphdr(image->elf, i, &p); i++)
		if (p.p_type == PT_TLS && p.p_align)
			return 0 - (p.p_memsz + p.p_align - 1) / p.p_align *
					   p.p_align;
	return 0;
}

int gn_exported_local(const char *path, const char *name, int64_t *offset,
		      uint64_t *module)
{
	struct gn_image image;
	GElf_Sym sym = {.st_value = 0};
	int err = gn_image_open(path, &image);

	if (err)
		return err;
	*module = 0;
	err = gn_image_exported(&image, name, STT_TLS, &sym);
	*offset = (int64_t)sym.st_value;
	if (!err && !find_relocation(&image, R_X86_64_DTPMOD64, module))
		*offset = (int64_t)(sym.st_value + memory_of_program(&image));
	gn_image_close(&image);
	return err;
}

int gn_passed_local(const char *path, uint64_t words, int64_t *offset,
		    uint64_t *module)
{
	struct gn_image image;
	uint64_t at;
	int err = gn_image_open(path, &image);

	if (err)
		return err;
	*module = words;
	err = gn_image_offset(&image, words + 8, PF_W, &at);
	if (!err)
		err = gn_image_read(&image, at, offset, sizeof(*offset));
	gn_image_close(&image);
	return err;
}
