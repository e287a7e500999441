/* SPDX-License-Identifier: BSD-2-Clause */
/* One ELF file, opened with libelf only here. It is hostile. */
#ifndef GNOMON_ELF_ELF_IMAGE_H
#define GNOMON_ELF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gelf.h>

#define GN_ELF_MAX_SEGMENTS 1024
#define GN_ELF_MAX_SECTIONS (1u << 20)

/* One file on disk, open: the binary itself or its debug file. */
struct gn_image {
	int fd;
	uint64_t size;
	Elf *elf;
	size_t nsections;
};

/* -ENOEXEC: not a program or library for this machine (x86-64); -EISDIR;
 * -EFBIG: larger than GN_ELF_MAX_SIZE; else errno of the open. On errors
 * nothing has to be closed. */
int gn_image_open(const char *path, struct gn_image *image);
/* Why libelf's last call failed, if errno was 0 before: -ENOMEM, -EIO or
 * -ENOEXEC. */
int gn_image_refused(void);
/* Closes the file; what was read is kept. */
void gn_image_detach(struct gn_image *image);
void gn_image_close(struct gn_image *image);
/* Reads exactly `size` bytes at `offset`. -ENODATA: the file ends earlier. */
int gn_image_read(const struct gn_image *image, uint64_t offset, void *to,
		  size_t size);
/* Converts an address, as linked, to an offset in the file, using segments with
 * `flag` (PF_X, ...). -ENOENT, -ENOEXEC. */
int gn_image_offset(const struct gn_image *image, uint64_t addr, uint32_t flag,
		    uint64_t *offset);
/* PT_INTERP, from malloc(); NULL: none. -ENOMEM. */
int gn_image_interp(const struct gn_image *image, char **out);
/* The i-th section, 1 to nsections - 1. False: there is none. */
bool gn_image_section(const struct gn_image *image, size_t i, GElf_Shdr *shdr,
		      Elf_Scn **scn);
/* The first section of that name; NULL: none. */
Elf_Scn *gn_image_find(const struct gn_image *image, const char *name,
		       GElf_Shdr *shdr);

/* Whether it is written in Go. */
bool gn_image_is_go(const struct gn_image *image);
/* The bytes of a section; NULL: none, or compressed. */
Elf_Data *gn_image_data(Elf_Scn *scn, const GElf_Shdr *shdr);
/* The first readable symbol table of that type (SHT_SYMTAB, SHT_DYNSYM), and
 * its strings. False: there is none. */
bool gn_image_symbols(const struct gn_image *image, uint32_t type,
		      Elf_Data **syms, Elf_Data **strs);
/* The first symbol of this name and type (STT_OBJECT, ...) that the file
 * exports. -ENOENT: none. */
int gn_image_exported(const struct gn_image *image, const char *name, int type,
		      GElf_Sym *sym);
/* Calls `each` for each relative relocation, except packed ones: with its slot
 * and, as linked, the address written there. */
void gn_image_relatives(const struct gn_image *image,
			void (*each)(void *ctx, uint64_t slot, uint64_t value),
			void *ctx);
uint64_t gn_image_entry(const struct gn_image *image);
/* The build-id in hex; "": none. */
void gn_image_build_id(const struct gn_image *image, char hex[2 * 64 + 1]);
/* The string at `offset` of `strs`; NULL: it does not end within `strs`, or is
 * longer than any that is used. */
#define GN_STRING_MAX (64 << 10) /* bytes, with the NUL */
const char *gn_string(const Elf_Data *strs, uint64_t offset);
/* Whether the string at `offset` is `name`. Cheap, however long the string
 * is. */
bool gn_string_is(const Elf_Data *strs, uint64_t offset, const char *name);

#endif
