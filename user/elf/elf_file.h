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

/* -ENOEXEC: not an ELF file of this machine (x86-64). */
int gn_elf_open(const char *path, struct gn_elf **out);
void gn_elf_close(struct gn_elf *elf);

const char *gn_elf_path(const struct gn_elf *elf);
const char *gn_elf_build_id(const struct gn_elf *elf); /* hex, or "" */
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

/* Undefined (imported) and defined dynamic symbols, for the proofs. */
bool gn_elf_mentions(const struct gn_elf *elf, const char *symbol);

/* Sonames in DT_NEEDED. */
size_t gn_elf_needed(const struct gn_elf *elf, const char *const **out);

/* PT_INTERP, or NULL. */
const char *gn_elf_interp(const struct gn_elf *elf);

#endif
