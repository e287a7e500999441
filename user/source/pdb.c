// SPDX-License-Identifier: BSD-2-Clause
/* The format is that of the metadata (ECMA-335, II.24), with tables of its own
 * ("Portable PDB v1.0"). */
#include "source/pdb.h"

#include <stdlib.h>
#include <string.h>

enum {
	DOCUMENT = 0x30,
	DOCUMENT_NAME = 0,
	METHOD = 0x31, /* the same rows as the module's methods */
	METHOD_DOCUMENT = 0,
	METHOD_POINTS = 1,
	MACHINE = 0x36,
	MACHINE_MOVES = 0,
	MACHINE_OF = 1,
};

#define HIDDEN_LINE 0

/* The most bytes of a file's name: the index of a part has up to four. */
#define PARTS_MAX (4u * GN_PDB_FILE_MAX)

/* A limit that no module reaches. */
#define MACHINES_MAX (1u << 20)

/* The initial `left`. Compilers' PDBs need about one read of each byte, and
 * some more for methods that are compiled more than once. */
#define LEFT_LEAST    (16u << 20)
#define LEFT_PER_BYTE 4u

struct gn_pdb_machine {
	uint32_t of, moves; /* rows of methods */
};

static int by_method(const void *left, const void *right)
{
	const struct gn_pdb_machine *a = left, *b = right;

	return a->of < b->of ? -1 : a->of > b->of;
}

/* Sorted, because the file's table has another order. */
static bool read_machines(struct gn_pdb *pdb)
{
	uint32_t n = pdb->md.table[MACHINE].count;

	if (n > MACHINES_MAX)
		return false;
	pdb->machines = calloc((size_t)n + 1, sizeof(*pdb->machines));
	if (!pdb->machines)
		return false;
	for (uint32_t i = 0; i < n; i++)
		pdb->machines[i] = (struct gn_pdb_machine){
			gn_md_cell(&pdb->md, MACHINE, i + 1, MACHINE_OF),
			gn_md_cell(&pdb->md, MACHINE, i + 1, MACHINE_MOVES)};
	qsort(pdb->machines, n, sizeof(*pdb->machines), by_method);
	return true;
}

bool gn_pdb_open(struct gn_pdb *pdb, const struct gn_bytes *bytes)
{
	pdb->machines = NULL;
	pdb->left = LEFT_LEAST + (uint64_t)bytes->n * LEFT_PER_BYTE;
	return gn_md_open_pdb(&pdb->md, bytes, pdb->id) && read_machines(pdb);
}

void gn_pdb_close(struct gn_pdb *pdb)
{
	free(pdb->machines);
	pdb->machines = NULL;
}

bool gn_pdb_spend(struct gn_pdb *pdb, uint64_t n)
{
	bool has = n <= pdb->left;

	pdb->left = has ? pdb->left - n : 0;
	return has;
}

static bool open_points(struct gn_pdb *pdb, uint32_t method,
			struct gn_pdb_points *p)
{
	uint32_t locals;

	*p = (struct gn_pdb_points){
		.pdb = pdb,
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

/* Takes the lines and columns that a point spans, and its start. */
static bool take_lines(struct gn_pdb_points *p)
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

static bool take_point(struct gn_pdb_points *p)
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

static bool next_point(struct gn_pdb_points *p)
{
	size_t before = p->left.n;
	bool is = take_point(p);

	return gn_pdb_spend(p->pdb, before - p->left.n) && is;
}

static bool first(struct gn_pdb *pdb, uint32_t method,
		  struct gn_pdb_point *point)
{
	struct gn_pdb_points p;

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

bool gn_pdb_first(struct gn_pdb *pdb, uint32_t method,
		  struct gn_pdb_point *point)
{
	const struct gn_pdb_machine *machine, want = {.of = method};

	if (!pdb->left || !pdb->machines)
		return false;
	if (first(pdb, method, point))
		return true;
	machine = bsearch(&want, pdb->machines, pdb->md.table[MACHINE].count,
			  sizeof(want), by_method);
	return machine && first(pdb, machine->moves, point);
}

void gn_pdb_points(struct gn_pdb *pdb, uint32_t method, struct gn_pdb_points *p)
{
	p->more = open_points(pdb, method, p) && next_point(p);
}

bool gn_pdb_before(struct gn_pdb_points *p, uint32_t il,
		   struct gn_pdb_point *point)
{
	for (; p->more && p->at.il <= il; p->more = next_point(p))
		if (p->at.line != HIDDEN_LINE)
			p->last = p->at;
	*point = p->last;
	return point->line != HIDDEN_LINE;
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

	if (!b.n || b.n > PARTS_MAX)
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
