/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of user/elf. */
#ifndef GNOMON_ELF_ELF_INTERNAL_H
#define GNOMON_ELF_ELF_INTERNAL_H

#include "elf/elf_file.h"
#include "elf/elf_image.h"

#define GN_ELF_MAX_SYMBOLS (16u << 20) /* of one table */

/* A segment that is mapped without write permission. */
struct gn_segment {
	uint64_t addr, offset, size;
	bool exec;
	uint8_t *bytes; /* owned; NULL: not read yet */
};

struct gn_elf_range {
	uint64_t begin, end;
};

/* A symbol table with its strings; both live in the image's Elf. */
struct gn_symtab {
	Elf_Data *syms, *strs;
	size_t count;
	uint64_t bias; /* added to its addresses */
	bool dynamic;
};

struct gn_import {
	uint64_t slot;
	const char *name;
};

/* A code address that a relocation writes to data. */
struct gn_pointer {
	uint64_t slot, code;
};

struct gn_elf {
	char *path;  /* for people */
	char *place; /* the path it was opened by */
	char *debug_path;
	char build_id[2 * 64 + 1];
	char *interp;
	const char *soname;
	uint64_t entry;
	struct gn_image main, debug;

	struct gn_segment *segments; /* sorted by address, no overlaps */
	size_t nsegments;
	struct gn_elf_range *sections; /* executable ones, sorted */
	size_t nsections;

	struct gn_symtab tables[3]; /* .symtab, .dynsym, the debug file's */
	size_t ntables;
	bool stripped;
	bool opaque;

	struct gn_elf_symbol *symbols;
	size_t nsymbols;
	char **titles; /* demangled names, owned */
	size_t ntitles;

	struct gn_import *imports; /* sorted by slot */
	size_t nimports;
	uint64_t *starts, *ends; /* an end is 0 if it is not known */
	size_t nstarts;
	uint64_t *pointers; /* sorted */
	size_t npointers, pointers_room;
	struct gn_elf_range relro;
	struct gn_pointer *fixed; /* those of `relro`, sorted by slot */
	size_t nfixed, fixed_room;
	bool pointers_hidden;
};

/* Like gn_elf_open_as(), with another directory than GN_DEBUG_ROOT. */
int gn_elf_open_root(const char *place, const char *path,
		     const char *debug_root, struct gn_elf **out);

#define GN_DEBUG_ROOT "/usr/lib/debug"

/* Finds and opens the separate debug file. 0 even if there is none. */
int gn_debug_open(struct gn_elf *elf, const char *root);

/* Each reads its part of the open file: 0, -ENOEXEC, -ENOMEM. */
int gn_segments_load(struct gn_elf *elf);
int gn_symbols_load(struct gn_elf *elf);
int gn_dynamic_load(struct gn_elf *elf);
int gn_starts_load(struct gn_elf *elf);

/* Compares two uint64_t, for qsort(). */
int gn_by_address(const void *a, const void *b);

/*
 * Calls `each` for packed relative relocations (SHT_RELR), until it returns
 * something other than 0. `left`: how many slots there can still be, as none
 * can repeat. -ENOEXEC: they are not as linkers write them; `each` may have
 * been called for some.
 */
int gn_packed_each(const struct gn_image *image, const Elf_Data *packed,
		   uint64_t *left,
		   int (*each)(void *ctx, uint64_t slot, uint64_t value),
		   void *ctx);

/* Demangles a C++ or Rust name: *out is from malloc(), or NULL if the name is
 * neither, or if its readable form is longer than `limit` bytes. -ENOMEM. */
int gn_demangle(const char *name, size_t limit, char **out);

#endif
