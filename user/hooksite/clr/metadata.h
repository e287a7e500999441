/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module's metadata, read as it lies in memory (ECMA-335, II.22 and II.24):
 * the runtime's own interface makes a copy of each module that it is opened
 * for. It is hostile: whatever is not there is 0 or empty.
 */
#ifndef GNOMON_CLR_METADATA_H
#define GNOMON_CLR_METADATA_H

#include <stdbool.h>

#include "cor.h"
#include "text.h"

#define GN_MD_TABLES  0x37 /* those of a portable PDB are the last */
#define GN_MD_COLUMNS 9

struct gn_md_table {
	const uint8_t *rows;
	uint32_t count;
	uint8_t size;		       /* of a row */
	uint8_t column[GN_MD_COLUMNS]; /* where it begins */
	uint8_t width[GN_MD_COLUMNS];  /* its bytes; 0: there is none */
};

struct gn_md {
	struct gn_bytes strings, blobs, guids;
	struct gn_md_table table[GN_MD_TABLES];
};

/* Flags of methods that have no IL of their own (II.23.1.10, .11). */
#define GN_MD_ABSTRACT	    0x0400u
#define GN_MD_PINVOKE	    0x2000u
#define GN_MD_IMPL_NOT_IL   0x0003u
#define GN_MD_IMPL_INTERNAL 0x1000u
/* The runtime itself suspends it: it has no state machine, and hooks break it.
 * Its compiler (of 10) lets a hook at the end of what suspends undo that, and
 * what its code returns is not what its signature says. */
#define GN_MD_IMPL_ASYNC 0x2000u

struct gn_md_method {
	const char *name;
	uint32_t address; /* of its IL in the image; 0: it has none */
	uint16_t flags, impl;
	bool generic;
};

/* Without it, there is nothing to put hooks into. */
static inline bool gn_md_has_il(const struct gn_md_method *m)
{
	return m->address && !(m->flags & (GN_MD_ABSTRACT | GN_MD_PINVOKE)) &&
	       !(m->impl & (GN_MD_IMPL_NOT_IL | GN_MD_IMPL_INTERNAL));
}

/* Reads from `metadata`, which must stay. False: it is none. */
bool gn_md_open(struct gn_md *md, const struct gn_bytes *metadata);

/* What tells the module from all others; NULL: it has none. */
#define GN_MD_ID 16
const uint8_t *gn_md_id(const struct gn_md *md);

/*
 * The same of a portable PDB, with its own tables alone: `id` gets its 20
 * bytes.
 */
#define GN_MD_PDB_ID 20
bool gn_md_open_pdb(struct gn_md *md, const struct gn_bytes *metadata,
		    uint8_t id[GN_MD_PDB_ID]);
/* A cell, 0: there is no such row; and the bytes of a blob, none if it is not
 * there. */
uint32_t gn_md_cell(const struct gn_md *md, unsigned int table, uint32_t row,
		    unsigned int column);
/* Of a table in the order of that column: the first row whose cell is at least
 * that; if there is none, the one after the last. */
uint32_t gn_md_first(const struct gn_md *md, unsigned int table,
		     unsigned int column, uint32_t least);
struct gn_bytes gn_md_blob(const struct gn_md *md, uint32_t at);
/* What a cell says that is an index of the names; "" when it is none. */
const char *gn_md_string(const struct gn_md *md, unsigned int table,
			 uint32_t row, unsigned int column);
/* The type around a type, by their rows; 0: none. */
uint32_t gn_md_outer(const struct gn_md *md, uint32_t type);
/* Appends a type's own name without the mark of its arity (`1). Returns that;
 * 0: it has none. More than GN_MD_ARGS_MAX are not counted exactly. */
#define GN_MD_ARGS_MAX 32
#define GN_MD_NEST_MAX 16 /* types around each other */
uint32_t gn_md_put_plain(struct gn_text *name, const char *text);
/* A compressed number (II.23.2), which is taken off `b`. False: cut off. */
bool gn_md_number(struct gn_bytes *b, uint32_t *n);

/*
 * Calls `type` for each type with "Namespace.Outer+Inner", and "<*>" if it or
 * one around it is generic; and if that is true, `method` for each of its
 * methods, once, with its row. They may add to the name.
 */
struct gn_md_visitor {
	/* Before the name is made; NULL: all. Of the type's methods, up to
	 * before `end`. */
	bool (*rows)(void *ctx, uint32_t type, uint32_t first, uint32_t end);
	bool (*type)(void *ctx, struct gn_text *name);
	void (*method)(void *ctx, struct gn_text *name, uint32_t row);
	void *ctx;
};
void gn_md_visit(const struct gn_md *md, const struct gn_md_visitor *v,
		 char *room, size_t size);

void gn_md_method(const struct gn_md *md, uint32_t row,
		  struct gn_md_method *method);
struct gn_bytes gn_md_method_sig(const struct gn_md *md, uint32_t row);
/* That of a method's locals, by their token. */
struct gn_bytes gn_md_locals(const struct gn_md *md, gn_token locals);

/* The type that a method is of, and whether it says that it implements an
 * interface, a class's rows beside each other. */
uint32_t gn_md_type_of(const struct gn_md *md, uint32_t method);
bool gn_md_implements(const struct gn_md *md, uint32_t type, const char *space,
		      const char *name);
/* Whether the type is one of values, not a class. */
bool gn_md_is_value(const struct gn_md *md, uint32_t type);

/* Whether a value type is a structure: of the module's own types it is no enum,
 * of others only a generic one says so. */
bool gn_md_is_struct(const struct gn_md *md, gn_token type);
/* The element of an enum's numbers; 0: it is not one of the module's own. */
uint8_t gn_md_enum(const struct gn_md *md, gn_token type);

/* The name of a field by its FieldDef or MemberRef; "" when it is none. */
const char *gn_md_field(const struct gn_md *md, gn_token token);

/* The token of a type of the module, 0: it has none of this name. */
gn_token gn_md_find_type(const struct gn_md *md, const char *space,
			 const char *name);
/* Calls `each` with the rows of methods that may be copied into any module's
 * precompiled code, for the core library says that they never change. */
void gn_md_marked(const struct gn_md *md, void (*each)(void *ctx, uint32_t row),
		  void *ctx);
/* Whether the method is one that native code calls (UnmanagedCallersOnly). */
bool gn_md_from_native(const struct gn_md *md, uint32_t method);
/* Whether a type of that name is meant: an index that is a TypeDefOrRef. */
bool gn_md_is_called(const struct gn_md *md, uint32_t coded, const char *space,
		     const char *name);

#endif
