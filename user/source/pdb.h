/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A portable PDB in memory: from methods of a module to the lines of its
 * source. It is hostile: what is not there is not known.
 */
#ifndef GNOMON_SOURCE_PDB_H
#define GNOMON_SOURCE_PDB_H

#include "hooksite/clr/metadata.h"

#define GN_PDB_FILE_MAX 1024 /* of a source file's name, with its NUL */

struct gn_pdb {
	struct gn_md md;
	uint8_t id[GN_MD_PDB_ID]; /* the module has the same */
};

/* Reads from `bytes`, which must stay. False: it is no portable PDB. */
bool gn_pdb_open(struct gn_pdb *pdb, const struct gn_bytes *bytes);

/* A place of a method that the source has a line for. */
struct gn_pdb_point {
	uint32_t il, line, document; /* a row */
};

/* The first one of a method, by its row; of an async method or an iterator, of
 * the code that it became. */
bool gn_pdb_first(const struct gn_pdb *pdb, uint32_t method,
		  struct gn_pdb_point *point);
/* The last one at or before an offset of the method's IL. */
bool gn_pdb_before(const struct gn_pdb *pdb, uint32_t method, uint32_t il,
		   struct gn_pdb_point *point);

/* The name of a source file. False: there is none, or it is no text. */
bool gn_pdb_file(const struct gn_pdb *pdb, uint32_t document,
		 char name[GN_PDB_FILE_MAX]);

#endif
