/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A portable PDB in memory: maps methods of a module to lines of its source. It
 * is hostile; missing data is treated as not known.
 */
#ifndef GNOMON_SOURCE_PDB_H
#define GNOMON_SOURCE_PDB_H

#include "hooksite/clr/metadata.h"

#define GN_PDB_FILE_MAX 1024 /* of a source file's name, with its NUL */

struct gn_pdb {
	struct gn_md md;
	uint8_t id[GN_MD_PDB_ID]; /* equal to the module's */
	/* state machines by the methods that became them; malloc'ed */
	struct gn_pdb_machine *machines;
	/* How many bytes may still be read, for all methods together, because
	 * methods can share long data. 0: no more lines. */
	uint64_t left;
};

/* Reads from `bytes`, which must stay valid. False: it is no portable PDB, or
 * there is no memory. Call gn_pdb_close() in each case. */
bool gn_pdb_open(struct gn_pdb *pdb, const struct gn_bytes *bytes);
void gn_pdb_close(struct gn_pdb *pdb);

/* Takes `n` bytes off `left`. False: fewer are left. */
bool gn_pdb_spend(struct gn_pdb *pdb, uint64_t n);

/* A place in a method's code, with its line in the source. */
struct gn_pdb_point {
	uint32_t il, line, document; /* a row */
};

/* The first point of a method, by its row; for an async method or an iterator,
 * that of its state machine's code. */
bool gn_pdb_first(struct gn_pdb *pdb, uint32_t method,
		  struct gn_pdb_point *point);

/* The points of a method, in the order of their offsets. */
struct gn_pdb_points {
	struct gn_pdb *pdb;
	struct gn_bytes left;
	struct gn_pdb_point at;	  /* line 0: no line in the source */
	struct gn_pdb_point last; /* the last one with a line, before `at`; line
				     0: none */
	uint32_t line;		  /* of the last point that had one */
	bool begun, more;	  /* `more`: `at` is valid */
};

void gn_pdb_points(struct gn_pdb *pdb, uint32_t method,
		   struct gn_pdb_points *p);
/* The last point at or before an offset of the method's IL; offsets must ascend
 * from call to call. */
bool gn_pdb_before(struct gn_pdb_points *p, uint32_t il,
		   struct gn_pdb_point *point);

/* The name of a source file. False: there is none, or it is not a text. */
bool gn_pdb_file(const struct gn_pdb *pdb, uint32_t document,
		 char name[GN_PDB_FILE_MAX]);

#endif
