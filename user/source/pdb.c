// SPDX-License-Identifier: BSD-2-Clause
/* The format is that of the metadata (ECMA-335, II.24), with tables of its own
 * ("Portable PDB v1.0"). */
#include "source/pdb.h"

#include <string.h>

enum {
	DOCUMENT = 0x30,
	DOCUMENT_NAME = 0,
	METHOD = 0x31, /* rows as those of the module's methods */
	METHOD_DOCUMENT = 0,
	METHOD_POINTS = 1,
	MACHINE = 0x36,
	MACHINE_MOVES = 0,
	MACHINE_OF = 1,
};

#define HIDDEN_LINE 0

bool gn_pdb_open(struct gn_pdb *pdb, const struct gn_bytes *bytes)
{
	return gn_md_open_pdb(&pdb->md, bytes, pdb->id);
}

/* Sequence points, in the order of their offsets. */
struct points {
	struct gn_bytes left;
	struct gn_pdb_point at; /* line HIDDEN_LINE: the source has none */
	uint32_t line;		/* of the last one that had one */
	bool begun;
};

static bool open_points(const struct gn_pdb *pdb, uint32_t method,
			struct points *p)
{
	uint32_t locals;

	*p = (struct points){
		.left = gn_md_blob(&pdb->md, gn_md_cell(&pdb->md, METHOD,
							method, METHOD_POINTS)),
		.at.document =
			gn_md_cell(&pdb->md, METHOD, method, METHOD_DOCUMENT),
	};
	if (!p->left.n || !gn_md_number(&p->left, &locals))
		return false;
	return p->at.document || gn_md_number(&p->left, &p->at.document);
}

/* A compressed signed number (II.23.2): its sign is the lowest bit. */
static bool take_signed(struct gn_bytes *b, int32_t *n)
{
	size_t before = b->n;
	uint32_t u, top;

	if (!gn_md_number(b, &u))
		return false;
	top = before - b->n == 1   ? 1u << 6
	      : before - b->n == 2 ? 1u << 13
				   : 1u << 28;
	*n = (int32_t)(u >> 1) - (u & 1 ? (int32_t)top : 0);
	return true;
}

/* The lines and columns that a point spans, and where it begins. */
static bool take_lines(struct points *p)
{
	uint32_t lines, columns, line, column;
	int32_t more, signed_columns = 0;

	if (!gn_md_number(&p->left, &lines))
		return false;
	if (lines ? !take_signed(&p->left, &signed_columns)
		  : !gn_md_number(&p->left, &columns))
		return false;
	p->at.line = HIDDEN_LINE;
	if (!lines && !columns)
		return true;
	if (!p->line) {
		if (!gn_md_number(&p->left, &line) ||
		    !gn_md_number(&p->left, &column))
			return false;
		p->line = line;
	} else {
		if (!take_signed(&p->left, &more) ||
		    !take_signed(&p->left, &signed_columns))
			return false;
		p->line += (uint32_t)more;
	}
	p->at.line = p->line;
	return true;
}

static bool next_point(struct points *p)
{
	uint32_t il;

	while (gn_md_number(&p->left, &il)) {
		if (p->begun && !il) {
			if (!gn_md_number(&p->left, &p->at.document))
				return false;
			continue;
		}
		p->at.il += il;
		p->begun = true;
		return take_lines(p);
	}
	return false;
}

static bool first(const struct gn_pdb *pdb, uint32_t method,
		  struct gn_pdb_point *point)
{
	struct points p;

	if (!open_points(pdb, method, &p))
		return false;
	while (next_point(&p)) {
		if (p.at.line == HIDDEN_LINE)
			continue;
		*point = p.at;
		return true;
	}
	return false;
}

bool gn_pdb_first(const struct gn_pdb *pdb, uint32_t method,
		  struct gn_pdb_point *point)
{
	const struct gn_md *md = &pdb->md;

	if (first(pdb, method, point))
		return true;
	for (uint32_t i = 1; i <= md->table[MACHINE].count; i++)
		if (gn_md_cell(md, MACHINE, i, MACHINE_OF) == method)
			return first(pdb,
				     gn_md_cell(md, MACHINE, i, MACHINE_MOVES),
				     point);
	return false;
}

bool gn_pdb_before(const struct gn_pdb *pdb, uint32_t method, uint32_t il,
		   struct gn_pdb_point *point)
{
	bool found = false;
	struct points p;

	if (!open_points(pdb, method, &p))
		return false;
	while (next_point(&p) && p.at.il <= il) {
		if (p.at.line == HIDDEN_LINE)
			continue;
		*point = p.at;
		found = true;
	}
	return found;
}

/* A name is a separator and parts, which are blobs of their own; 0 is an empty
 * one. */
bool gn_pdb_file(const struct gn_pdb *pdb, uint32_t document,
		 char name[GN_PDB_FILE_MAX])
{
	struct gn_bytes b =
		gn_md_blob(&pdb->md, gn_md_cell(&pdb->md, DOCUMENT, document,
						DOCUMENT_NAME));
	size_t len = 0;
	bool later = false;
	char separator;
	uint32_t at;

	if (!b.n)
		return false;
	separator = (char)*b.at++;
	b.n--;
	for (; b.n && gn_md_number(&b, &at); later = true) {
		struct gn_bytes part = gn_md_blob(&pdb->md, at);

		if (later && separator && len < GN_PDB_FILE_MAX - 1)
			name[len++] = separator;
		if (part.n > GN_PDB_FILE_MAX - 1 - len)
			return false;
		if (part.n)
			memcpy(name + len, part.at, part.n);
		len += part.n;
	}
	name[len] = '\0';
	return len && strlen(name) == len;
}
