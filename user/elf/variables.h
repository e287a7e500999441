/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables that a program's own table names: a row of it has the address of a
 * variable, and the address of the variable's name behind it. The relocations
 * that fill such a table in tell where both are, without symbols. The file is
 * hostile.
 */
#ifndef GNOMON_ELF_VARIABLES_H
#define GNOMON_ELF_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

/* addr[i] becomes the address of the variable that is called names[i], as
 * linked; 0: there is none that can be written, or more than one. -ENOEXEC and
 * others: the file cannot be read. */
int gn_variables(const char *path, const char *const *names, size_t n,
		 uint64_t *addr);

/* The code that runs first of a library once it is mapped (DT_INIT): where, as
 * linked, and its place in the file. -ENOENT: there is none. */
int gn_variables_begin(const char *path, uint64_t *addr, uint64_t *offset);

#endif
