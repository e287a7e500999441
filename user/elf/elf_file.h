/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Function symbols of an ELF file: .symtab and .dynsym of the file and of its
 * separate debug file (found by build-id, else by .gnu_debuglink), merged by
 * address. Files are hostile: everything read is bounded and checked.
 */
#ifndef GNOMON_ELF_ELF_FILE_H
#define GNOMON_ELF_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gn_elf;

#define GN_ELF_MAX_SIZE	 (4ull << 30) /* bytes of a file */
#define GN_ELF_MAX_NAME	 (32 << 10) /* symbols with longer names are ignored */
#define GN_ELF_MAX_TITLE (32 << 10) /* longer demangled names are not used */

/* Names have no symbol version (memcpy@GLIBC_2.2.5 is memcpy) and no control
 * characters ('?' replaces each). The gn_elf owns them. */
struct gn_elf_symbol {
	const char *name;      /* as linked (mangled) */
	const char *demangled; /* C++ and Rust; else the same as `name` */
	uint64_t addr;	       /* virtual address in the file */
	uint64_t size;	       /* if it was 0: up to the next symbol */
	uint64_t offset;       /* in the file, as for a uprobe */
	bool is_ifunc;	       /* it is a resolver, not the function */
	bool is_cold;	       /* NAME.cold, a part of NAME */
};

struct gn_elf_section_view {
	uint64_t addr;
	const uint8_t *bytes;
	size_t size;
};

/*
 * Reads everything that the functions below need, then closes the file.
 * -ENOEXEC: not a program or library for this machine (x86-64), -EFBIG: larger
 * than GN_ELF_MAX_SIZE, -ENOMEM, or errno of the open or read.
 */
int gn_elf_open(const char *path, struct gn_elf **out);
/* The same for the file at `place`, which is shown as `path`. */
int gn_elf_open_as(const char *place, const char *path, struct gn_elf **out);
void gn_elf_close(struct gn_elf *elf);

const char *gn_elf_path(const struct gn_elf *elf);
const char *gn_elf_build_id(const struct gn_elf *elf);	 /* hex, or "" */
const char *gn_elf_debug_path(const struct gn_elf *elf); /* or NULL */

/* Function symbols in executable segments, sorted by address, then by
 * preference of name. There is one per address, except for aliases (same
 * address, other names), which are adjacent. */
size_t gn_elf_symbols(const struct gn_elf *elf,
		      const struct gn_elf_symbol **out);

/* The bytes of [addr, addr + size) in an executable segment, or NULL. */
const uint8_t *gn_elf_code(const struct gn_elf *elf, uint64_t addr,
			   uint64_t size);

/* File offset of an address in an executable segment; -ENOENT. */
int gn_elf_offset(const struct gn_elf *elf, uint64_t addr, uint64_t *offset);

/* Whether there is no .symtab, not even in the debug file. */
bool gn_elf_stripped(const struct gn_elf *elf);

/* The same for a file that is not open. False also if it cannot be read. *go:
 * whether it is written in Go. */
bool gn_elf_is_stripped(const char *path, bool *go);

/* Whether a symbol of this name, without version, is imported or defined: in
 * .dynsym, or in .symtab of the file or its debug file. For the proofs. */
bool gn_elf_mentions(const struct gn_elf *elf, const char *symbol);

/* Calls `each` with the name, without version, of each symbol that
 * gn_elf_mentions() knows, until it returns false. Names can repeat. */
void gn_elf_names(const struct gn_elf *elf,
		  bool (*each)(void *ctx, const char *name), void *ctx);

/* Whether the file itself has a section of this name. */
bool gn_elf_has_section(const struct gn_elf *elf, const char *name);
/* A section of files that .NET's Native AOT made. */
#define GN_AOT_SECTION "__managedcode"
/* Whether the file is one. Little is read, also of a large file. */
bool gn_elf_is_aot(const char *path);
/* Whether Go's own compiler made its code. */
bool gn_elf_is_go(const struct gn_elf *elf);

/* Whether its imports could not be read (it is damaged, has no section headers,
 * or is static and stripped). Then gn_elf_mentions() proves nothing. */
bool gn_elf_opaque(const struct gn_elf *elf);

/* The imported symbol whose address the dynamic linker writes to `slot`, an
 * address in the GOT; NULL: none. */
const char *gn_elf_import(const struct gn_elf *elf, uint64_t slot);

/* Where functions begin, according to the unwind table, with or without
 * symbols: sorted addresses in executable segments, including cold parts. */
size_t gn_elf_starts(const struct gn_elf *elf, const uint64_t **out);
/* Where the code of one of them ends, by the table; UINT64_MAX: not known. */
uint64_t gn_elf_start_end(const struct gn_elf *elf, size_t index);

/* Code addresses that relocations write to data, sorted. False: there may be
 * others, because the file is not position independent, or is damaged. */
bool gn_elf_pointers(const struct gn_elf *elf, const uint64_t **out, size_t *n);

/* The code address that a relocation writes to `slot`, which the program cannot
 * write afterwards (RELRO). False: none. */
bool gn_elf_pointer(const struct gn_elf *elf, uint64_t slot, uint64_t *code);

/* The bytes of [addr, addr + size) in a segment that the program cannot write
 * (jump tables), or NULL. */
const uint8_t *gn_elf_rodata(const struct gn_elf *elf, uint64_t addr,
			     uint64_t size);

/* The executable segments; index starts at 0. False: no more. */
bool gn_elf_text(const struct gn_elf *elf, size_t index,
		 struct gn_elf_section_view *out);

/* DT_SONAME, or NULL. */
const char *gn_elf_soname(const struct gn_elf *elf);

/* The entry point; 0: none. It is not a function, as it never returns. */
uint64_t gn_elf_entry(const struct gn_elf *elf);

/* PT_INTERP, or NULL. */
const char *gn_elf_interp(const struct gn_elf *elf);

/* The dynamic linker of the program at `path`, from malloc(); NULL: it is
 * static. -ENOEXEC: it is no program for this machine; else errno. */
int gn_elf_linker(const char *path, char **linker);

/* Whether the program's dynamic linker is that of musl, as in Alpine, so that
 * it cannot load libraries that need glibc. False also if the file cannot be
 * read. */
bool gn_elf_needs_musl(const char *path);

/* Whether it is a 32-bit program. False also if the file cannot be read. */
bool gn_elf_has_32_bits(const char *path);

#endif
