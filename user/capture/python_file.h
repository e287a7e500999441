/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPython that is in a program or library, and where it keeps what its
 * threads run. */
#ifndef GNOMON_CAPTURE_PYTHON_FILE_H
#define GNOMON_CAPTURE_PYTHON_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <gnomon/python.h>

struct gn_python_file {
	bool known; /* its version: what follows is set */
	/* address of _PyRuntime, as linked, minus that of the first byte of the
	 * file in a mapping of its code */
	int64_t runtime;
	int64_t type[GN_PYTHON_TYPES]; /* the same of types; 0: not exported */
	struct gn_python_layout at;
};

/* Reads the ELF file at `path`. False: there is no CPython in it. */
bool gn_python_file_read(const char *path, struct gn_python_file *out);

#endif
