/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables and functions that a file exports. The file is hostile. */
#ifndef GNOMON_ELF_EXPORTED_H
#define GNOMON_ELF_EXPORTED_H

#include <stddef.h>
#include <stdint.h>

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

/* Finds a variable that the file exports and each thread has for itself: where
 * it is in the thread's memory for the file. `module`: the address, as linked,
 * of the word with the number of that memory. 0: the file is a program, and
 * *offset is from the thread pointer on. -ENOENT: none. */
int gn_exported_local(const char *path, const char *name, int64_t *offset,
		      uint64_t *module);

/* The same for one that the library does not export, by the address, as linked,
 * of the two words that its code passes to __tls_get_addr(). */
int gn_passed_local(const char *path, uint64_t words, int64_t *offset,
		    uint64_t *module);

#endif
