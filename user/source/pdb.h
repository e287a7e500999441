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
	/* state machines by the methods that became them; malloc'ed */
	struct gn_pdb_machine *machines;
	/* Bytes that may still be looked through, for all methods: they can
	 * share what is long. 0: it has no more lines. */
	uint64_t left;
};

/* Reads from `bytes`, which must stay. False: it is no portable PDB, or there
 * is no memory. Closed in each case. */
bool gn_pdb_open(struct gn_pdb *pdb, const struct gn_bytes *bytes);
void gn_pdb_close(struct gn_pdb *pdb);

/* Takes so many bytes off `left`. False: it has not so many. */
bool gn_pdb_spend(struct gn_pdb *pdb, uint64_t n);

/* A place of a method that the source has a line for. */
struct gn_pdb_point {
	uint32_t il, line, document; /* a row */
};

/* The first one of a method, by its row; of an async method or an iterator, of
 * the code that it became. */
bool gn_pdb_first(struct gn_pdb *pdb, uint32_t method,
		  struct gn_pdb_point *point);

/* The points of a method, in the order of their offsets. */
struct gn_pdb_points {
	struct gn_pdb *pdb;
	struct gn_bytes left;
	struct gn_pdb_point at;	  /* line 0: the source has none */
	struct gn_pdb_point last; /* of the source, before `at`; line 0: none */
	uint32_t line;		  /* of the last one that had one */
	bool begun, more;	  /* `more`: there is `at` */
};

void gn_pdb_points(struct gn_pdb *pdb, uint32_t method,
		   struct gn_pdb_points *p);
/* The last one at or before an offset of the method's IL; offsets go up from
 * call to call. */
bool gn_pdb_before(struct gn_pdb_points *p, uint32_t il,
		   struct gn_pdb_point *point);

/* The name of a source file. False: there is none, or it is no text. */
bool gn_pdb_file(const struct gn_pdb *pdb, uint32_t document,
		 char name[GN_PDB_FILE_MAX]);

#endif
