// SPDX-License-Identifier: BSD-2-Clause
/* Types and their methods, from the rows of a module's tables. */
#include "metadata.h"

#include <string.h>

#include "md_columns.h"

/* II.23.1.15: visibility; all from this one on are of nested types. */
#define VISIBILITY    0x7u
#define NESTED_PUBLIC 0x2u

uint32_t gn_md_outer(const struct gn_md *md, uint32_t type)
{
	uint32_t flags = gn_md_cell(md, TYPEDEF, type, TYPEDEF_FLAGS), i;

	if ((flags & VISIBILITY) < NESTED_PUBLIC)
		return 0;
	i = gn_md_first(md, NESTED, NESTED_TYPE, type);
	return gn_md_cell(md, NESTED, i, NESTED_TYPE) == type
		       ? gn_md_cell(md, NESTED, i, NESTED_IN)
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

	*first = gn_md_cell(md, TYPEDEF, type, TYPEDEF_METHODS);
	*end = type < md->table[TYPEDEF].count
		       ? gn_md_cell(md, TYPEDEF, type + 1, TYPEDEF_METHODS)
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
	uint32_t sig = gn_md_cell(md, METHOD, row, METHOD_SIG);
	const uint8_t *b;

	*method = (struct gn_md_method){
		.name = gn_md_string(md, METHOD, row, METHOD_NAME),
		.address = gn_md_cell(md, METHOD, row, METHOD_ADDRESS),
		.impl = (uint16_t)gn_md_cell(md, METHOD, row, METHOD_IMPL),
		.flags = (uint16_t)gn_md_cell(md, METHOD, row, METHOD_FLAGS),
	};
	if (md->blobs.n < 5 || sig > md->blobs.n - 5)
		return; /* too short to be generic */
	/* skip the blob's length, which takes 1, 2 or 4 bytes */
	b = md->blobs.at + sig;
	method->generic = b[*b < 0x80 ? 1 : *b < 0xc0 ? 2 : 4] & 0x10;
}

bool gn_md_is_suspended(const struct gn_md *md, uint32_t row)
{
	return gn_md_cell(md, METHOD, row, METHOD_IMPL) & GN_MD_IMPL_ASYNC;
}

struct gn_bytes gn_md_method_sig(const struct gn_md *md, uint32_t row)
{
	return gn_md_blob(md, gn_md_cell(md, METHOD, row, METHOD_SIG));
}

struct gn_bytes gn_md_locals(const struct gn_md *md, gn_token locals)
{
	return gn_md_blob(md, gn_md_cell(md, SIG, GN_TOKEN_ROW(locals), 0));
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
		if (gn_md_cell(md, INTERFACE, i, INTERFACE_OF) != type)
			break;
		if (gn_md_is_called(md,
				    gn_md_cell(md, INTERFACE, i, INTERFACE_IS),
				    space, name))
			return true;
	}
	return false;
}

bool gn_md_is_value(const struct gn_md *md, uint32_t type)
{
	uint32_t base = gn_md_cell(md, TYPEDEF, type, TYPEDEF_EXTENDS);

	/* System.Enum, the base of all enums, is a class itself */
	return gn_md_is_called(md, base, "System", "Enum") ||
	       (gn_md_is_called(md, base, "System", "ValueType") &&
		!gn_md_is_called(md, type << 2, "System", "Enum"));
}

bool gn_md_is_struct(const struct gn_md *md, gn_token type)
{
	uint32_t row = GN_TOKEN_ROW(type);

	if (GN_TOKEN_TABLE(type) == GN_TOKEN_TYPEDEF)
		return !gn_md_is_called(
			md, gn_md_cell(md, TYPEDEF, row, TYPEDEF_EXTENDS),
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
	field = gn_md_cell(md, TYPEDEF, row, TYPEDEF_FIELDS);
	sig = gn_md_blob(md, gn_md_cell(md, FIELD, field, FIELD_SIG));
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
