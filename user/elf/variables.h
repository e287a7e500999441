/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables that a table of the program names: a row of it has the address of a
 * variable and the address of its name, one behind the other. The relocations
 * that fill such a table say where both are, without symbols. The file is
 * hostile.
 */
#ifndef GNOMON_ELF_VARIABLES_H
#define GNOMON_ELF_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets addr[i] to the address, as linked, of the variable named names[i]; 0:
 * none that can be written, or more than one. -ENOEXEC and others: the file
 * cannot be read. */
int gn_variables(const char *path, const char *const *names, size_t n,
		 uint64_t *addr);

/* The same, and rows[i] becomes where the row has the variable's address. */
int gn_variables_rows(const char *path, const char *const *names, size_t n,
		      uint64_t *addr, uint64_t *rows);

/* The code of a library that runs first once it is mapped (DT_INIT): its
 * address, as linked, and its offset in the file. -ENOENT: none. */
int gn_variables_begin(const char *path, uint64_t *addr, uint64_t *offset);

/* Whether the program can write at the address, as linked, all the time. */
bool gn_variables_writable(const char *path, uint64_t addr);

#endif
