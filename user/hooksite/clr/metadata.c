// SPDX-License-Identifier: BSD-2-Clause
#include "metadata.h"

#include <string.h>

#include "md_columns.h"

#define NAME_MAX 1024 /* the runtime accepts no longer names */

/* Column types: a constant of 2 or 4 bytes, an index into a heap or a table, or
 * a coded index, which refers to one of several tables. */
#define HEAP   0x80
#define STR    (HEAP | 0)
#define GUID   (HEAP | 1)
#define BLOB   (HEAP | 2)
#define OF(t)  (0x40 | (t))
#define ANY(c) (0xc0 | (c))

enum {
	TYPE_DEF_OR_REF,
	HAS_CONSTANT,
	HAS_ATTRIBUTE,
	HAS_MARSHAL,
	HAS_SECURITY,
	MEMBER_PARENT,
	HAS_SEMANTICS,
	METHOD_DEF_OR_REF,
	FORWARDED,
	IMPLEMENTATION,
	ATTRIBUTE_TYPE,
	SCOPE,
	TYPE_OR_METHOD,
};

/* II.24.2.6: the number of tag bits, and the tables in the order of tags. */
static const struct coded {
	uint8_t bits, n, tables[22];
} codeds[] = {
	[TYPE_DEF_OR_REF] = {2, 3, {0x02, 0x01, 0x1b}},
	[HAS_CONSTANT] = {2, 3, {0x04, 0x08, 0x17}},
	[HAS_ATTRIBUTE] = {5, 22, {0x06, 0x04, 0x01, 0x02, 0x08, 0x09,
				   0x0a, 0x00, 0x0e, 0x17, 0x14, 0x11,
				   0x1a, 0x1b, 0x20, 0x23, 0x26, 0x27,
				   0x28, 0x2a, 0x2c, 0x2b}},
	[HAS_MARSHAL] = {1, 2, {0x04, 0x08}},
	[HAS_SECURITY] = {2, 3, {0x02, 0x06, 0x20}},
	[MEMBER_PARENT] = {3, 5, {0x02, 0x01, 0x1a, 0x06, 0x1b}},
	[HAS_SEMANTICS] = {1, 2, {0x14, 0x17}},
	[METHOD_DEF_OR_REF] = {1, 2, {0x06, 0x0a}},
	[FORWARDED] = {1, 2, {0x04, 0x06}},
	[IMPLEMENTATION] = {2, 3, {0x26, 0x23, 0x27}},
	[ATTRIBUTE_TYPE] = {3, 2, {0x06, 0x0a}},
	[SCOPE] = {2, 4, {0x00, 0x1a, 0x23, 0x01}},
	[TYPE_OR_METHOD] = {1, 2, {0x02, 0x06}},
};

/* II.22 */
static const uint8_t columns[GN_MD_TABLES][GN_MD_COLUMNS] = {
	[0x00] = {2, STR, GUID, GUID, GUID},
	[0x01] = {ANY(SCOPE), STR, STR},
	[0x02] = {4, STR, STR, ANY(TYPE_DEF_OR_REF), OF(0x04), OF(0x06)},
	[0x03] = {OF(0x04)},
	[0x04] = {2, STR, BLOB},
	[0x05] = {OF(0x06)},
	[0x06] = {4, 2, 2, STR, BLOB, OF(0x08)},
	[0x07] = {OF(0x08)},
	[0x08] = {2, 2, STR},
	[0x09] = {OF(0x02), ANY(TYPE_DEF_OR_REF)},
	[0x0a] = {ANY(MEMBER_PARENT), STR, BLOB},
	[0x0b] = {2, ANY(HAS_CONSTANT), BLOB},
	[0x0c] = {ANY(HAS_ATTRIBUTE), ANY(ATTRIBUTE_TYPE), BLOB},
	[0x0d] = {ANY(HAS_MARSHAL), BLOB},
	[0x0e] = {2, ANY(HAS_SECURITY), BLOB},
	[0x0f] = {2, 4, OF(0x02)},
	[0x10] = {4, OF(0x04)},
	[0x11] = {BLOB},
	[0x12] = {OF(0x02), OF(0x14)},
	[0x13] = {OF(0x14)},
	[0x14] = {2, STR, ANY(TYPE_DEF_OR_REF)},
	[0x15] = {OF(0x02), OF(0x17)},
	[0x16] = {OF(0x17)},
	[0x17] = {2, STR, BLOB},
	[0x18] = {2, OF(0x06), ANY(HAS_SEMANTICS)},
	[0x19] = {OF(0x02), ANY(METHOD_DEF_OR_REF), ANY(METHOD_DEF_OR_REF)},
	[0x1a] = {STR},
	[0x1b] = {BLOB},
	[0x1c] = {2, ANY(FORWARDED), STR, OF(0x1a)},
	[0x1d] = {4, OF(0x04)},
	[0x1e] = {4, 4},
	[0x1f] = {4},
	[0x20] = {4, 2, 2, 2, 2, 4, BLOB, STR, STR},
	[0x21] = {4},
	[0x22] = {4, 4, 4},
	[0x23] = {2, 2, 2, 2, 4, BLOB, STR, STR, BLOB},
	[0x24] = {4, OF(0x23)},
	[0x25] = {4, 4, 4, OF(0x23)},
	[0x26] = {4, STR, BLOB},
	[0x27] = {4, 4, STR, STR, ANY(IMPLEMENTATION)},
	[0x28] = {4, 4, STR, ANY(IMPLEMENTATION)},
	[0x29] = {OF(0x02), OF(0x02)},
	[0x2a] = {2, 2, ANY(TYPE_OR_METHOD), STR},
	[0x2b] = {ANY(METHOD_DEF_OR_REF), BLOB},
	[0x2c] = {OF(0x2a), ANY(TYPE_DEF_OR_REF)},
	/* portable PDB; the tables after these are not read */
	[0x30] = {BLOB, GUID, BLOB, GUID},
	[0x31] = {OF(0x30), BLOB},
	[0x32] = {OF(0x06), OF(0x35), OF(0x33), OF(0x34), 4, 4},
	[0x33] = {2, 2, STR},
	[0x34] = {STR, BLOB},
	[0x35] = {OF(0x35), BLOB},
	[0x36] = {OF(0x06), OF(0x06)},
};

#define MAGIC	     0x424a5342u
#define STREAMS_MAX  16
#define WIDE_STRINGS 0x01
#define WIDE_GUIDS   0x02
#define WIDE_BLOBS   0x04
#define EXTRA_DATA   0x40

static bool within(const struct gn_bytes *b, uint64_t at, uint64_t n)
{
	return at <= b->n && n <= b->n - at;
}

/* A stream by its name, from a metadata root. */
static struct gn_bytes stream(const struct gn_bytes *root, const char *name)
{
	struct gn_bytes none = {NULL, 0};
	uint64_t at, n;

	if (!within(root, 0, 16) || gn_le_get(root->at, 4) != MAGIC)
		return none;
	at = 16 + (uint64_t)gn_le_get(root->at + 12, 4);
	if (!within(root, at, 4))
		return none;
	n = gn_le_get(root->at + at + 2, 2);
	at += 4;
	for (; n && n <= STREAMS_MAX && within(root, at, 12); n--) {
		uint32_t from = gn_le_get(root->at + at, 4);
		uint32_t size = gn_le_get(root->at + at + 4, 4);
		const char *text = (const char *)root->at + at + 8;
		size_t len = strnlen(text, root->n - at - 8);

		if (len == root->n - at - 8)
			return none;
		if (!strcmp(text, name))
			return within(root, from, size)
				       ? (struct gn_bytes){root->at + from,
							   size}
				       : none;
		at += 8 + ((len + 4) & ~(size_t)3);
	}
	return none;
}

static uint8_t coded_width(const struct gn_md *md, const struct coded *c)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (md->table[c->tables[i]].count > 0xffffu >> c->bits)
			return 4;
	return 2;
}

static uint8_t width_of(const struct gn_md *md, uint8_t column, uint8_t heaps)
{
	if (column < 0x40)
		return column;
	if (column >= ANY(0))
		return coded_width(md, &codeds[column & 0x3f]);
	if (column >= HEAP)
		return heaps & 1 << (column & 0x3) ? 4 : 2;
	return md->table[column & 0x3f].count > 0xffff ? 4 : 2;
}

static void lay_out(struct gn_md *md, unsigned int table, uint8_t heaps)
{
	struct gn_md_table *t = &md->table[table];

	for (unsigned int i = 0; i < GN_MD_COLUMNS && columns[table][i]; i++) {
		t->column[i] = t->size;
		t->width[i] = width_of(md, columns[table][i], heaps);
		t->size = (uint8_t)(t->size + t->width[i]);
	}
}

/* Reads the row counts of the tables in the mask `valid`. Advances `at`. */
static bool read_counts(struct gn_md *md, const struct gn_bytes *b,
			uint64_t valid, uint64_t *at)
{
	for (unsigned int i = 0; i < 64; i++) {
		if (!(valid >> i & 1))
			continue;
		if (!within(b, *at, 4))
			return false;
		if (i < GN_MD_TABLES)
			md->table[i].count =
				gn_le_get(b->at + *at, 4) & 0xffffff;
		*at += 4;
	}
	return true;
}

static bool read_tables(struct gn_md *md, const struct gn_bytes *b)
{
	uint64_t valid, at = 24;
	uint8_t heaps;

	if (!within(b, 0, 24))
		return false;
	heaps = b->at[6];
	valid = gn_le_get(b->at + 8, 4) | (uint64_t)gn_le_get(b->at + 12, 4)
						  << 32;
	if (!read_counts(md, b, valid, &at))
		return false;
	if (heaps & EXTRA_DATA)
		at += 4;
	for (unsigned int i = 0; i < GN_MD_TABLES; i++) {
		struct gn_md_table *t = &md->table[i];

		lay_out(md, i, heaps);
		/* a table of the module that a PDB describes: only its row
		 * count is there */
		if (!(valid >> i & 1))
			continue;
		if (!within(b, at, (uint64_t)t->count * t->size))
			return false;
		t->rows = b->at + at;
		at += (uint64_t)t->count * t->size;
	}
	for (unsigned int i = 0; i < GN_MD_TABLES; i++)
		if (!(valid >> i & 1))
			md->table[i].count = 0;
	return true;
}

bool gn_md_open(struct gn_md *md, const struct gn_bytes *metadata)
{
	struct gn_bytes tables = stream(metadata, "#~");

	memset(md, 0, sizeof(*md));
	md->strings = stream(metadata, "#Strings");
	md->blobs = stream(metadata, "#Blob");
	md->guids = stream(metadata, "#GUID");
	return tables.n && read_tables(md, &tables);
}

const uint8_t *gn_md_id(const struct gn_md *md)
{
	uint32_t i = gn_md_cell(md, MODULE, 1, MODULE_ID);

	return i && i <= md->guids.n / GN_MD_ID
		       ? md->guids.at + (size_t)(i - 1) * GN_MD_ID
		       : NULL;
}

/* Reads the row counts of the module that a PDB describes. Its tables are not
 * in the PDB, but they determine the width of indexes into them. */
static bool read_referenced(struct gn_md *md, const struct gn_bytes *b,
			    uint8_t id[GN_MD_PDB_ID])
{
	uint64_t has, at = GN_MD_PDB_ID + 12;

	if (!within(b, 0, at))
		return false;
	memcpy(id, b->at, GN_MD_PDB_ID);
	has = gn_le_get(b->at + GN_MD_PDB_ID + 4, 4) |
	      (uint64_t)gn_le_get(b->at + GN_MD_PDB_ID + 8, 4) << 32;
	return read_counts(md, b, has, &at);
}

bool gn_md_open_pdb(struct gn_md *md, const struct gn_bytes *metadata,
		    uint8_t id[GN_MD_PDB_ID])
{
	struct gn_bytes tables = stream(metadata, "#~");
	struct gn_bytes pdb = stream(metadata, "#Pdb");

	memset(md, 0, sizeof(*md));
	md->strings = stream(metadata, "#Strings");
	md->blobs = stream(metadata, "#Blob");
	return tables.n && read_referenced(md, &pdb, id) &&
	       read_tables(md, &tables);
}

bool gn_md_number(struct gn_bytes *b, uint32_t *n)
{
	size_t size;

	if (!b->n)
		return false;
	size = b->at[0] < 0x80 ? 1 : b->at[0] < 0xc0 ? 2 : 4;
	if (size > b->n || b->at[0] >= 0xe0)
		return false;
	*n = size == 1 ? 0 : b->at[0] & (size == 2 ? 0x3f : 0x1f);
	for (size_t i = size == 1 ? 0 : 1; i < size; i++)
		*n = *n << 8 | b->at[i];
	*b = (struct gn_bytes){b->at + size, b->n - size};
	return true;
}

struct gn_bytes gn_md_blob(const struct gn_md *md, uint32_t at)
{
	struct gn_bytes none = {NULL, 0}, b;
	uint32_t n;

	if (at >= md->blobs.n)
		return none;
	b = (struct gn_bytes){md->blobs.at + at, md->blobs.n - at};
	if (!gn_md_number(&b, &n) || n > b.n)
		return none;
	b.n = n;
	return b;
}

uint32_t gn_md_cell(const struct gn_md *md, unsigned int table, uint32_t row,
		    unsigned int column)
{
	const struct gn_md_table *t = &md->table[table];

	if (!row || row > t->count)
		return 0;
	return gn_le_get(t->rows + (size_t)(row - 1) * t->size +
				 t->column[column],
			 t->width[column]);
}

const char *gn_md_string(const struct gn_md *md, unsigned int table,
			 uint32_t row, unsigned int column)
{
	uint32_t at = gn_md_cell(md, table, row, column);
	size_t most;

	if (at >= md->strings.n)
		return "";
	most = md->strings.n - at < NAME_MAX ? md->strings.n - at : NAME_MAX;
	if (!memchr(md->strings.at + at, '\0', most))
		return "";
	return (const char *)md->strings.at + at;
}

uint32_t gn_md_first(const struct gn_md *md, unsigned int table,
		     unsigned int column, uint32_t least)
{
	uint32_t from = 1, to = md->table[table].count;

	while (from <= to) {
		uint32_t mid = from + (to - from) / 2;

		if (gn_md_cell(md, table, mid, column) < least)
			from = mid + 1;
		else
			to = mid - 1;
	}
	return from;
}
