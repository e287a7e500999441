/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables that a table of the program names: a row of it has the address of a
 * variable, followed by the address of its name. The relocations that fill such
 * a table say where both are, without symbols. And variables and functions that
 * a file exports. The file is hostile.
 */
#ifndef GNOMON_ELF_VARIABLES_H
#define GNOMON_ELF_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

/* Sets addr[i] to the address, as linked, of the variable named names[i]; 0:
 * none that can be written, or more than one. -ENOEXEC and others: the file
 * cannot be read. */
int gn_variables(const char *path, const char *const *names, size_t n,
		 uint64_t *addr);

/* The same, and rows[i] becomes the address of the variable's row. */
int gn_variables_rows(const char *path, const char *const *names, size_t n,
		      uint64_t *addr, uint64_t *rows);

/* The code of a library that runs first once it is mapped (DT_INIT): its
 * address, as linked, and its offset in the file. -ENOENT: none. */
int gn_variables_begin(const char *path, uint64_t *addr, uint64_t *offset);

/* Sets addr[i] to the address, as linked, of the symbol names[i] that the file
 * exports; 0: it exports none of this name. */
int gn_exported(const char *path, const char *const *names, size_t n,
		uint64_t *addr);

/* Finds a variable that the file exports: its address, as linked, its size, and
 * the address, as linked, of the start of the file. -ENOENT: none. */
int gn_exported_variable(const char *path, const char *name, uint64_t *addr,
			 uint64_t *size, uint64_t *first);

/* The same for a function, with its offset in the file. -ENOENT: none. */
int gn_exported_code(const char *path, const char *name, uint64_t *addr,
		     uint64_t *offset);

/* Reads the first bytes of a variable, as the file has them. -ENOENT: it is not
 * exported, or not in the file; -ENODATA: the file ends earlier. */
int gn_exported_bytes(const char *path, const char *name, void *to,
		      size_t size);

#endif
