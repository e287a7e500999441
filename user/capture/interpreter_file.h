/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreter that is in a program or library, and where it keeps what its
 * threads run. */
#ifndef GNOMON_CAPTURE_INTERPRETER_FILE_H
#define GNOMON_CAPTURE_INTERPRETER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gnomon/interpreter.h>

#include "elf/elf_file.h"

struct gn_interpreter_file {
	bool known; /* its version */
	/* what the BPF programs need, without the process; its addresses are as
	 * linked, minus that of the first byte of the file in a mapping of its
	 * code */
	struct gn_interpreter its;
};

/* Whether the name of a file is one that an interpreter has. */
bool gn_interpreter_named(const char *name);

/* Reads the ELF file at `path`. False: there is no interpreter in it. */
bool gn_interpreter_file_read(const struct gn_elf *elf, const char *path,
			      struct gn_interpreter_file *out);

/* Sets its addresses, of which those that are 0 are not known. */
static inline void gn_interpreter_addresses(struct gn_interpreter_file *file,
					    const uint64_t *addr, size_t n,
					    uint64_t first)
{
	for (size_t i = 0; i < n; i++)
		file->its.addr[i] = addr[i] ? addr[i] - first : 0;
}

/* Each of the interpreters: what it fills in is 0 before. */
bool gn_python_file_read(const char *path, struct gn_interpreter_file *out);
bool gn_ruby_file_read(const char *path, struct gn_interpreter_file *out);
bool gn_php_file_read(const char *path, struct gn_interpreter_file *out);

#endif
