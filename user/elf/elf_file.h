/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function symbols of an ELF file: .symtab and .dynsym of the file and of its
 * separate debug file (by build-id, else .gnu_debuglink), merged by address.
 * Files are hostile: everything read is bounded and checked.
 */
#ifndef GNOMON_ELF_ELF_FILE_H
#define GNOMON_ELF_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_elf;

#define GN_ELF_MAX_SIZE	 (4ull << 30) /* bytes of a file */
#define GN_ELF_MAX_NAME	 (32 << 10)   /* a longer name is no symbol */
#define GN_ELF_MAX_TITLE (32 << 10)   /* a longer demangled one is not used */

/* Names carry no symbol version (memcpy@GLIBC_2.2.5 is memcpy) and no control
 * characters ('?' stands for each). Owned by the gn_elf. */
struct gn_elf_symbol {
	const char *name;      /* as linked (mangled) */
	const char *demangled; /* C++ and Rust; the same as name if neither */
	uint64_t addr;	       /* virtual address in the file */
	uint64_t size;	       /* 0 was filled in from the next symbol */
	uint64_t offset;       /* in the file: what a uprobe takes */
	bool is_ifunc;	       /* a resolver, not the function */
	bool is_cold;	       /* NAME.cold: part of NAME */
};

struct gn_elf_section_view {
	uint64_t addr;
	const uint8_t *bytes;
	size_t size;
};

/*
 * Reads everything that the functions below need, then closes the file.
 * -ENOEXEC: not a program or library of this machine (x86-64), -EFBIG: larger
 * than GN_ELF_MAX_SIZE, else errno of the open or read, -ENOMEM.
 */
int gn_elf_open(const char *path, struct gn_elf **out);
/* The same of the file at `place`, which is called `path`. */
int gn_elf_open_as(const char *place, const char *path, struct gn_elf **out);
void gn_elf_close(struct gn_elf *elf);

const char *gn_elf_path(const struct gn_elf *elf);
const char *gn_elf_build_id(const struct gn_elf *elf);	 /* hex, or "" */
const char *gn_elf_debug_path(const struct gn_elf *elf); /* or NULL */

/* Function symbols that lie in executable segments, sorted by address then
 * by preference of name; one an address, but for aliases (same address, other
 * names), which follow one another. */
size_t gn_elf_symbols(const struct gn_elf *elf,
		      const struct gn_elf_symbol **out);

/* The bytes of [addr, addr + size) in an executable segment, or NULL. */
const uint8_t *gn_elf_code(const struct gn_elf *elf, uint64_t addr,
			   uint64_t size);

/* File offset of an address in an executable segment; -ENOENT. */
int gn_elf_offset(const struct gn_elf *elf, uint64_t addr, uint64_t *offset);

/* True if the file has no .symtab anywhere, its debug file included. */
bool gn_elf_stripped(const struct gn_elf *elf);

/* True if a symbol of this name, without version, is imported or defined: in
 * .dynsym, or in .symtab of the file or its debug file. For the proofs. */
bool gn_elf_mentions(const struct gn_elf *elf, const char *symbol);

/* The name, without version, of each symbol that gn_elf_mentions() knows, until
 * `each` returns false. A name can come more than once. */
void gn_elf_names(const struct gn_elf *elf,
		  bool (*each)(void *ctx, const char *name), void *ctx);

/* True if the file itself has a section of this name. */
bool gn_elf_has_section(const struct gn_elf *elf, const char *name);
/* Its code is made by Go's own compiler. */
bool gn_elf_is_go(const struct gn_elf *elf);

/* True if what the file imports could not be read (damaged, no section
 * headers, or static and stripped): gn_elf_mentions() proves nothing then. */
bool gn_elf_opaque(const struct gn_elf *elf);

/* The imported symbol whose address the dynamic linker puts at `slot`, an
 * address of the global offset table; NULL if it is none. */
const char *gn_elf_import(const struct gn_elf *elf, uint64_t slot);

/* Where functions begin by the unwind table, with or without symbols: sorted
 * addresses in executable segments, cold parts included. */
size_t gn_elf_starts(const struct gn_elf *elf, const uint64_t **out);
/* Where the code of one of them ends by the table; UINT64_MAX: not known. */
uint64_t gn_elf_start_end(const struct gn_elf *elf, size_t index);

/* Addresses of code that relocations put into data, sorted. False if there may
 * be others: the file is not position independent, or damaged. */
bool gn_elf_pointers(const struct gn_elf *elf, const uint64_t **out, size_t *n);

/* The address of code that a relocation puts at `slot`, where the program
 * cannot write afterwards (RELRO). False: none. */
bool gn_elf_pointer(const struct gn_elf *elf, uint64_t slot, uint64_t *code);

/* The bytes of [addr, addr + size) in a segment that the program cannot write
 * (jump tables), or NULL. */
const uint8_t *gn_elf_rodata(const struct gn_elf *elf, uint64_t addr,
			     uint64_t size);

/* The executable segments; index from 0. False past the last. */
bool gn_elf_text(const struct gn_elf *elf, size_t index,
		 struct gn_elf_section_view *out);

/* DT_SONAME, or NULL. */
const char *gn_elf_soname(const struct gn_elf *elf);

/* The entry point, 0 for none. It is not a function: it never returns. */
uint64_t gn_elf_entry(const struct gn_elf *elf);

/* PT_INTERP, or NULL. */
const char *gn_elf_interp(const struct gn_elf *elf);

/* Whether the program file's dynamic linker is that of musl, as in Alpine:
 * libraries that need glibc cannot be loaded there. False, too, if it cannot be
 * read. */
bool gn_elf_needs_musl(const char *path);

#endif
