/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module's file and its portable PDB, which is beside it or in it. Both
 * belong to the traced program and are hostile. They are read into memory,
 * because a mapped file can be truncated at any moment.
 */
#ifndef GNOMON_SOURCE_MODULE_H
#define GNOMON_SOURCE_MODULE_H

#include "hooksite/clr/pe.h"
#include "source/pdb.h"

#define GN_SOURCE_FILE_MAX (128u << 20) /* larger files are not read */

enum gn_source {
	GN_SOURCE_NONE, /* there is no PDB */
	GN_SOURCE_READ,
	GN_SOURCE_OTHER, /* the PDB is of another build of the module */
	GN_SOURCE_BAD,	 /* it is invalid or too large */
};

struct gn_source_module {
	struct gn_bytes file, symbols; /* malloc'ed */
	struct gn_pe pe;
	struct gn_md md;
	struct gn_pdb pdb;
	char pdb_path[4096]; /* where it was searched; "": in the module */
};

/* `root`: the directory that paths start at and cannot leave; `path`: the
 * module's. `file`: the open module, if its path can lead to another file now;
 * else -1. There is a PDB only with GN_SOURCE_READ. Call gn_source_close() in
 * each case. */
enum gn_source gn_source_open(struct gn_source_module *m, int root,
			      const char *path, int file);
/* Whether an open file begins like a module. */
bool gn_source_begins(int file);
/* Reads the module alone, from an open file. False: it is no module. Call
 * gn_source_close() in each case. */
bool gn_source_read(struct gn_source_module *m, int file);
void gn_source_close(struct gn_source_module *m);

/* The same from memory, of which it takes ownership: the module, and the PDB
 * beside it (none: `at` is NULL). */
enum gn_source gn_source_take(struct gn_source_module *m,
			      const struct gn_bytes *file,
			      const struct gn_bytes *beside);

/* Finds where an async method is suspended, by the row of its MoveNext: calls
 * `each` for each state of its machine with the line. */
void gn_source_awaits(struct gn_source_module *m, uint32_t method,
		      void (*each)(void *ctx, int32_t state,
				   const struct gn_pdb_point *point),
		      void *ctx);

#endif
