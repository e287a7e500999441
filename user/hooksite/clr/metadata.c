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

static uint32_t get(const uint8_t *p, unsigned int n)
{
	uint32_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

static bool within(const struct gn_bytes *b, uint64_t at, uint64_t n)
{
	return at <= b->n && n <= b->n - at;
}

/* A stream by its name, from a metadata root. */
static struct gn_bytes stream(const struct gn_bytes *root, const char *name)
{
	struct gn_bytes none = {NULL, 0};
	uint64_t at, n;

	if (!within(root, 0, 16) || get(root->at, 4) != MAGIC)
		return none;
	at = 16 + (uint64_t)get(root->at + 12, 4);
	if (!within(root, at, 4))
		return none;
	n = get(root->at + at + 2, 2);
	at += 4;
	for (; n && n <= STREAMS_MAX && within(root, at, 12); n--) {
		uint32_t from = get(root->at + at, 4);
		uint32_t size = get(root->at + at + 4, 4);
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
			md->table[i].count = get(b->at + *at, 4) & 0xffffff;
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
	valid = get(b->at + 8, 4) | (uint64_t)get(b->at + 12, 4) << 32;
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
	has = get(b->at + GN_MD_PDB_ID + 4, 4) |
	      (uint64_t)get(b->at + GN_MD_PDB_ID + 8, 4) << 32;
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

static uint32_t cell(const struct gn_md *md, unsigned int table, uint32_t row,
		     unsigned int column)
{
	const struct gn_md_table *t = &md->table[table];

	if (!row || row > t->count)
		return 0;
	return get(t->rows + (size_t)(row - 1) * t->size + t->column[column],
		   t->width[column]);
}

uint32_t gn_md_cell(const struct gn_md *md, unsigned int table, uint32_t row,
		    unsigned int column)
{
	return cell(md, table, row, column);
}

const char *gn_md_string(const struct gn_md *md, unsigned int table,
			 uint32_t row, unsigned int column)
{
	uint32_t at = cell(md, table, row, column);
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

		if (cell(md, table, mid, column) < least)
			from = mid + 1;
		else
			to = mid - 1;
	}
	return from;
}

uint32_t gn_md_outer(const struct gn_md *md, uint32_t type)
{
	uint32_t i = gn_md_first(md, NESTED, NESTED_TYPE, type);

	return cell(md, NESTED, i, NESTED_TYPE) == type
		       ? cell(md, NESTED, i, NESTED_IN)
		       : 0;
}

uint32_t gn_md_put_plain(struct gn_text *name, const char *text)
{
	char plain[1024];
	size_t len = strlen(text), at = len;
	uint32_t arity = 0;

	while (at && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	if (!at || at == len || text[at - 1] != '`' || at > sizeof(plain)) {
		gn_text_put(name, text);
		return 0;
	}
	memcpy(plain, text, at - 1);
	plain[at - 1] = '\0';
	gn_text_put(name, plain);
	for (; text[at] && arity <= GN_MD_ARGS_MAX; at++)
		arity = arity * 10 + (uint32_t)(text[at] - '0');
	return arity;
}

static void put_type_name(const struct gn_md *md, uint32_t type,
			  struct gn_text *name)
{
	uint32_t chain[GN_MD_NEST_MAX];
	unsigned int n = 0;

	for (; type && n < GN_MD_NEST_MAX; type = gn_md_outer(md, type))
		chain[n++] = type;
	while (n--) {
		const char *space =
			gn_md_string(md, TYPEDEF, chain[n], TYPEDEF_SPACE);

		if (*space) {
			gn_text_put(name, space);
			gn_text_put(name, ".");
		}
		if (gn_md_put_plain(name, gn_md_string(md, TYPEDEF, chain[n],
						       TYPEDEF_NAME)))
			gn_text_put(name, "<*>");
		if (n)
			gn_text_put(name, "+");
	}
}

/* The rows of a type's methods: `first` to `end` - 1. */
static void methods_of(const struct gn_md *md, uint32_t type, uint32_t *first,
		       uint32_t *end)
{
	uint32_t count = md->table[METHOD].count;

	*first = cell(md, TYPEDEF, type, TYPEDEF_METHODS);
	*end = type < md->table[TYPEDEF].count
		       ? cell(md, TYPEDEF, type + 1, TYPEDEF_METHODS)
		       : count + 1;
	if (!*first || *end > count + 1)
		*first = *end = 0;
}

void gn_md_visit(const struct gn_md *md, const struct gn_md_visitor *v,
		 char *room, size_t size)
{
	uint32_t next = 1; /* rows ascend from type to type */

	for (uint32_t type = 1; type <= md->table[TYPEDEF].count; type++) {
		struct gn_text name;
		uint32_t row, end;

		methods_of(md, type, &row, &end);
		row = row < next ? next : row;
		if (row >= end)
			continue;
		next = end;
		if (v->rows && !v->rows(v->ctx, type, row, end))
			continue;
		gn_text_init(&name, room, size);
		put_type_name(md, type, &name);
		if (!v->type(v->ctx, &name))
			continue;
		for (; row < end; row++) {
			struct gn_text own = name;

			v->method(v->ctx, &own, row);
			name.bytes[name.len] = '\0';
		}
	}
}

void gn_md_method(const struct gn_md *md, uint32_t row,
		  struct gn_md_method *method)
{
	uint32_t sig = cell(md, METHOD, row, METHOD_SIG);
	const uint8_t *b;

	*method = (struct gn_md_method){
		.name = gn_md_string(md, METHOD, row, METHOD_NAME),
		.address = cell(md, METHOD, row, METHOD_ADDRESS),
		.impl = (uint16_t)cell(md, METHOD, row, METHOD_IMPL),
		.flags = (uint16_t)cell(md, METHOD, row, METHOD_FLAGS),
	};
	if (!within(&md->blobs, sig, 5))
		return; /* too short to be generic */
	/* skip the blob's length, which takes 1, 2 or 4 bytes */
	b = md->blobs.at + sig;
	method->generic = b[*b < 0x80 ? 1 : *b < 0xc0 ? 2 : 4] & 0x10;
}

struct gn_bytes gn_md_method_sig(const struct gn_md *md, uint32_t row)
{
	return gn_md_blob(md, cell(md, METHOD, row, METHOD_SIG));
}

struct gn_bytes gn_md_locals(const struct gn_md *md, gn_token locals)
{
	return gn_md_blob(md, cell(md, SIG, GN_TOKEN_ROW(locals), 0));
}

const char *gn_md_field(const struct gn_md *md, gn_token token)
{
	if (GN_TOKEN_TABLE(token) == FIELD)
		return gn_md_string(md, FIELD, GN_TOKEN_ROW(token), FIELD_NAME);
	if (GN_TOKEN_TABLE(token) == MEMBER)
		return gn_md_string(md, MEMBER, GN_TOKEN_ROW(token),
				    MEMBER_NAME);
	return "";
}

uint32_t gn_md_type_of(const struct gn_md *md, uint32_t method)
{
	/* the last type whose methods begin at this row or before it */
	return gn_md_first(md, TYPEDEF, TYPEDEF_METHODS, method + 1) - 1;
}

/* II.24.2.6: MemberRefParent */
#define PARENT_BITS	  3
#define PARENT_IS_TYPEDEF 0
#define PARENT_IS_TYPEREF 1

uint32_t gn_md_declarer(const struct gn_md *md, gn_token method)
{
	uint32_t row = GN_TOKEN_ROW(method), parent, tag;

	if (GN_TOKEN_TABLE(method) == METHOD)
		return gn_md_type_of(md, row) << 2;
	if (GN_TOKEN_TABLE(method) != MEMBER)
		return 0;
	parent = gn_md_cell(md, MEMBER, row, MEMBER_PARENT_TYPE);
	tag = parent & ((1u << PARENT_BITS) - 1);
	return tag == PARENT_IS_TYPEDEF || tag == PARENT_IS_TYPEREF
		       ? parent >> PARENT_BITS << 2 | tag
		       : 0;
}

bool gn_md_is_called(const struct gn_md *md, uint32_t coded, const char *space,
		     const char *name)
{
	static const struct {
		uint8_t table, name, space;
	} tables[] = {{TYPEDEF, TYPEDEF_NAME, TYPEDEF_SPACE},
		      {TYPEREF, TYPEREF_NAME, TYPEREF_SPACE}};
	uint32_t tag = coded & 3, row = coded >> 2;

	return tag < 2 &&
	       !strcmp(gn_md_string(md, tables[tag].table, row,
				    tables[tag].name),
		       name) &&
	       !strcmp(gn_md_string(md, tables[tag].table, row,
				    tables[tag].space),
		       space);
}

bool gn_md_implements(const struct gn_md *md, uint32_t type, const char *space,
		      const char *name)
{
	uint32_t i = gn_md_first(md, INTERFACE, INTERFACE_OF, type);

	for (; i <= md->table[INTERFACE].count; i++) {
		if (cell(md, INTERFACE, i, INTERFACE_OF) != type)
			break;
		if (gn_md_is_called(md, cell(md, INTERFACE, i, INTERFACE_IS),
				    space, name))
			return true;
	}
	return false;
}

bool gn_md_is_value(const struct gn_md *md, uint32_t type)
{
	uint32_t base = cell(md, TYPEDEF, type, TYPEDEF_EXTENDS);

	/* System.Enum, the base of all enums, is a class itself */
	return gn_md_is_called(md, base, "System", "Enum") ||
	       (gn_md_is_called(md, base, "System", "ValueType") &&
		!gn_md_is_called(md, type << 2, "System", "Enum"));
}

bool gn_md_is_struct(const struct gn_md *md, gn_token type)
{
	uint32_t row = GN_TOKEN_ROW(type);

	if (GN_TOKEN_TABLE(type) == GN_TOKEN_TYPEDEF)
		return !gn_md_is_called(md,
					cell(md, TYPEDEF, row, TYPEDEF_EXTENDS),
					"System", "Enum");
	/* a name with an arity: enums have no type parameters of their own */
	return GN_TOKEN_TABLE(type) == GN_TOKEN_TYPEREF &&
	       strchr(gn_md_string(md, TYPEREF, row, TYPEREF_NAME), '`');
}

uint8_t gn_md_enum(const struct gn_md *md, gn_token type)
{
	enum { OF_FIELD = 6 };
	uint32_t row = GN_TOKEN_ROW(type), field;
	struct gn_bytes sig;

	if (GN_TOKEN_TABLE(type) != GN_TOKEN_TYPEDEF ||
	    gn_md_is_struct(md, type))
		return 0;
	/* its value is the first field, and the only instance field */
	field = cell(md, TYPEDEF, row, TYPEDEF_FIELDS);
	sig = gn_md_blob(md, cell(md, FIELD, field, FIELD_SIG));
	return sig.n == 2 && sig.at[0] == OF_FIELD ? sig.at[1] : 0;
}

gn_token gn_md_find_type(const struct gn_md *md, const char *space,
			 const char *name)
{
	for (uint32_t i = 1; i <= md->table[TYPEDEF].count; i++)
		if (!strcmp(gn_md_string(md, TYPEDEF, i, TYPEDEF_NAME), name) &&
		    !strcmp(gn_md_string(md, TYPEDEF, i, TYPEDEF_SPACE), space))
			return (gn_token)GN_TOKEN_TYPEDEF << 24 | i;
	return 0;
}
