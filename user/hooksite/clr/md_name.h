/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of methods from their module's metadata alone, in the form of names.h.
 * The runtime is not asked, so this works for modules of other processes too.
 */
#ifndef GNOMON_CLR_MD_NAME_H
#define GNOMON_CLR_MD_NAME_H

#include "metadata.h"

/* Type arguments, one signature each. Further ones are not named. */
struct gn_md_args {
	struct gn_bytes arg[GN_MD_ARGS_MAX];
	uint32_t n;
};

/* Type arguments of a method's type and of the method itself. Tokens in the
 * signatures belong to the method's module. */
struct gn_md_instance {
	struct gn_md_args of_type, of_method;
};

/* Appends the name of the method in this row. If `of` is NULL, the names of the
 * type parameters stand for the arguments. "?" stands for what the module does
 * not have. */
void gn_md_put_method(const struct gn_md *md, uint32_t row,
		      const struct gn_md_instance *of, struct gn_text *name);

/* The type that encloses a TypeDef or TypeRef. 0: none. */
gn_token gn_md_outer_token(const struct gn_md *md, gn_token token);

/* Appends a type's own name without its arity suffix (`1), or "?" if it has no
 * name. Returns the arity. */
uint32_t gn_md_put_own(const struct gn_md *md, struct gn_text *out,
		       gn_token token);

/* The type parameters of a TypeDef or MethodDef. Rows are sorted by owner, then
 * by number. Returns the first row. */
uint32_t gn_md_parameters(const struct gn_md *md, gn_token owner,
			  uint32_t *count);
/* Appends the name of parameter `n`. False: it has none. */
bool gn_md_put_parameter(const struct gn_md *md, struct gn_text *out,
			 gn_token owner, uint32_t n);

/* Whether the method or its type has type parameters. */
bool gn_md_generic(const struct gn_md *md, uint32_t row);

/* The name of the module's assembly. "": none. */
const char *gn_md_assembly(const struct gn_md *md);
/* The major version of the assembly. */
uint32_t gn_md_assembly_major(const struct gn_md *md);

/* Removes one type from the front of the signature `b`. False: unreadable. */
bool gn_md_skip_type(struct gn_bytes *b);

#endif
