/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module's file and its portable PDB, which is beside it or in it. Both are
 * the traced program's: hostile. They are read into memory, since a file that
 * is mapped can be cut off at any moment.
 */
#ifndef GNOMON_SOURCE_MODULE_H
#define GNOMON_SOURCE_MODULE_H

#include "hooksite/clr/pe.h"
#include "source/pdb.h"

#define GN_SOURCE_FILE_MAX (128u << 20) /* larger files are not read */

enum gn_source {
	GN_SOURCE_NONE, /* there is no PDB */
	GN_SOURCE_READ,
	GN_SOURCE_OTHER, /* it is of another build of the module */
	GN_SOURCE_BAD,	 /* it is none, or it is too large */
};

struct gn_source_module {
	struct gn_bytes file, symbols; /* malloc'ed */
	struct gn_pe pe;
	struct gn_md md;
	struct gn_pdb pdb;
	char pdb_path[4096]; /* that was looked for; "": it is in the module */
};

/* `root`: the directory that paths are of; `path`: the module's. They cannot
 * lead out of it. `file`: the module itself, open, if another file can be at
 * its path by now; else -1. Only with GN_SOURCE_READ there is a PDB; freed in
 * each case. */
enum gn_source gn_source_open(struct gn_source_module *m, int root,
			      const char *path, int file);
/* Whether an open file begins as a module does. */
bool gn_source_begins(int file);
/* The module alone, from an open file. False: it is none. Freed by
 * gn_source_close() in each case. */
bool gn_source_read(struct gn_source_module *m, int file);
void gn_source_close(struct gn_source_module *m);

/* The same of bytes: the module's are taken, and of a PDB beside it (none:
 * `at` is NULL). */
enum gn_source gn_source_take(struct gn_source_module *m,
			      const struct gn_bytes *file,
			      const struct gn_bytes *beside);

/* Where an async method is suspended, by its MoveNext's row: calls `each` for
 * each state of its machine with the line. */
void gn_source_awaits(struct gn_source_module *m, uint32_t method,
		      void (*each)(void *ctx, int32_t state,
				   const struct gn_pdb_point *point),
		      void *ctx);

#endif
