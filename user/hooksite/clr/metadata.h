/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A module's metadata, read in place (ECMA-335, II.22 and II.24). The runtime's
 * own interface would copy the metadata of each module that it opens. The
 * metadata is untrusted: whatever is missing reads as 0 or empty.
 */
#ifndef GNOMON_CLR_METADATA_H
#define GNOMON_CLR_METADATA_H

#include <stdbool.h>

#include "cor.h"
#include "text.h"

#define GN_MD_TABLES  0x37 /* the tables of a portable PDB are the last */
#define GN_MD_COLUMNS 9

struct gn_md_table {
	const uint8_t *rows;
	uint32_t count;
	uint8_t size;		       /* of a row, in bytes */
	uint8_t column[GN_MD_COLUMNS]; /* offset in the row */
	uint8_t width[GN_MD_COLUMNS];  /* in bytes; 0: no such column */
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
/* Runtime async: the runtime itself suspends the method. It has no state
 * machine, and its IL does not return what its signature says (md_await.h). In
 * .NET 10, hooks break it: its JIT compiler lets a hook at the end of a method
 * that suspends undo the suspension. */
#define GN_MD_IMPL_ASYNC 0x2000u

struct gn_md_method {
	const char *name;
	uint32_t address; /* of its IL in the image; 0: none */
	uint16_t flags, impl;
	bool generic;
};

/* Whether a method has IL, which hooks need. */
static inline bool gn_md_has_il(const struct gn_md_method *m)
{
	return m->address && !(m->flags & (GN_MD_ABSTRACT | GN_MD_PINVOKE)) &&
	       !(m->impl & (GN_MD_IMPL_NOT_IL | GN_MD_IMPL_INTERNAL));
}

/* Reads `metadata`, which must outlive `md`. False: it is not metadata. */
bool gn_md_open(struct gn_md *md, const struct gn_bytes *metadata);

/* The module's unique id (MVID), of GN_MD_ID bytes. NULL: it has none. */
#define GN_MD_ID 16
const uint8_t *gn_md_id(const struct gn_md *md);

/*
 * Opens the metadata of a portable PDB, which has only its own tables. `id`
 * receives its 20 bytes.
 */
#define GN_MD_PDB_ID 20
bool gn_md_open_pdb(struct gn_md *md, const struct gn_bytes *metadata,
		    uint8_t id[GN_MD_PDB_ID]);
/* The value of a cell, 0 if there is no such row. gn_md_blob(): the bytes of a
 * blob, empty if there is no such blob. */
uint32_t gn_md_cell(const struct gn_md *md, unsigned int table, uint32_t row,
		    unsigned int column);
/* In a table that is sorted by this column: the first row whose cell is at
 * least `least`, or one past the last row. */
uint32_t gn_md_first(const struct gn_md *md, unsigned int table,
		     unsigned int column, uint32_t least);
struct gn_bytes gn_md_blob(const struct gn_md *md, uint32_t at);
/* The string that a cell refers to. "": there is none. */
const char *gn_md_string(const struct gn_md *md, unsigned int table,
			 uint32_t row, unsigned int column);
/* The row of the type that encloses a type. 0: none. */
uint32_t gn_md_outer(const struct gn_md *md, uint32_t type);
/* Appends a type's own name without its arity suffix (`1). Returns the arity,
 * or 0 if it has none. An arity above GN_MD_ARGS_MAX is not exact. */
#define GN_MD_ARGS_MAX 32
#define GN_MD_NEST_MAX 16 /* levels of nesting */
uint32_t gn_md_put_plain(struct gn_text *name, const char *text);
/* Removes a compressed number (II.23.2) from the front of `b`. False: `b` is
 * cut off or is no number. */
bool gn_md_number(struct gn_bytes *b, uint32_t *n);

/*
 * Calls `type` for each type that has methods, with "Namespace.Outer+Inner",
 * and "<*>" after each generic part. If `type` returns true, calls `method`
 * once for each of its methods, with the row. Both may append to the name.
 */
struct gn_md_visitor {
	/* Called before the name is made, with the type's methods `first` to
	 * `end` - 1. False skips the type. NULL: no type is skipped. */
	bool (*rows)(void *ctx, uint32_t type, uint32_t first, uint32_t end);
	bool (*type)(void *ctx, struct gn_text *name);
	void (*method)(void *ctx, struct gn_text *name, uint32_t row);
	void *ctx;
};
void gn_md_visit(const struct gn_md *md, const struct gn_md_visitor *v,
		 char *room, size_t size);

void gn_md_method(const struct gn_md *md, uint32_t row,
		  struct gn_md_method *method);
/* Whether the runtime itself suspends the method (GN_MD_IMPL_ASYNC). */
bool gn_md_is_suspended(const struct gn_md *md, uint32_t row);
struct gn_bytes gn_md_method_sig(const struct gn_md *md, uint32_t row);
/* The signature of a method's locals, by its token. */
struct gn_bytes gn_md_locals(const struct gn_md *md, gn_token locals);

/* The type that declares a method; and whether a type itself lists an
 * interface. The interface rows of a type are adjacent. */
uint32_t gn_md_type_of(const struct gn_md *md, uint32_t method);
/* The same of a MethodDef or MemberRef, as TypeDefOrRef. 0: another kind of
 * parent. */
uint32_t gn_md_declarer(const struct gn_md *md, gn_token method);
bool gn_md_implements(const struct gn_md *md, uint32_t type, const char *space,
		      const char *name);
/* Whether the type is a value type. */
bool gn_md_is_value(const struct gn_md *md, uint32_t type);

/* Whether a value type is a struct. One of the module's own types is a struct
 * unless it is an enum. Any other is known to be a struct only if it is
 * generic. */
bool gn_md_is_struct(const struct gn_md *md, gn_token type);
/* The element type of an enum's values. 0: not an enum of this module. */
uint8_t gn_md_enum(const struct gn_md *md, gn_token type);

/* The name of a field from its FieldDef or MemberRef. "": there is none. */
const char *gn_md_field(const struct gn_md *md, gn_token token);

/* The token of a type of this module. 0: there is no type of this name. */
gn_token gn_md_find_type(const struct gn_md *md, const char *space,
			 const char *name);
/* Calls `each` with the rows of methods that may be copied into any module's
 * precompiled code, because the core library marks them as never changing
 * (NonVersionable). */
void gn_md_marked(const struct gn_md *md, void (*each)(void *ctx, uint32_t row),
		  void *ctx);
/* Whether native code calls the method (UnmanagedCallersOnly). */
bool gn_md_from_native(const struct gn_md *md, uint32_t method);
/* Whether a TypeDefOrRef refers to a type of this name. */
bool gn_md_is_called(const struct gn_md *md, uint32_t coded, const char *space,
		     const char *name);

#endif
