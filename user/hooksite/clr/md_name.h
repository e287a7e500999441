/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of methods by their module's metadata alone, in the form of names.h.
 * The runtime is not asked, so this is for modules of other processes, too.
 */
#ifndef GNOMON_CLR_MD_NAME_H
#define GNOMON_CLR_MD_NAME_H

#include "metadata.h"

/* Type arguments, a signature each. More than these are not named. */
struct gn_md_args {
	struct gn_bytes arg[GN_MD_ARGS_MAX];
	uint32_t n;
};

/* What a method's type and the method itself have as type arguments. Tokens in
 * the signatures are of the method's module. */
struct gn_md_instance {
	struct gn_md_args of_type, of_method;
};

/* Appends the name of a method by its row. `of` NULL: its type arguments are
 * called as its parameters are. "?": the module does not tell. */
void gn_md_put_method(const struct gn_md *md, uint32_t row,
		      const struct gn_md_instance *of, struct gn_text *name);

/* The type that a TypeDef or TypeRef is nested in; 0: none. */
gn_token gn_md_outer_token(const struct gn_md *md, gn_token token);

/* Appends a type's own name, "?" if it has none, without the mark of its arity
 * (`1). Returns that. */
uint32_t gn_md_put_own(const struct gn_md *md, struct gn_text *out,
		       gn_token token);

/* The type parameters of a TypeDef or MethodDef: their rows are in the order of
 * their owners, and of their numbers. Returns the first one's. */
uint32_t gn_md_parameters(const struct gn_md *md, gn_token owner,
			  uint32_t *count);
/* Appends the name of parameter `n`. False: it has none. */
bool gn_md_put_parameter(const struct gn_md *md, struct gn_text *out,
			 gn_token owner, uint32_t n);

/* Whether the method or its type has type parameters. */
bool gn_md_generic(const struct gn_md *md, uint32_t row);

/* The name of the module's assembly; "": it has none. */
const char *gn_md_assembly(const struct gn_md *md);
/* The first number of its version. */
uint32_t gn_md_assembly_major(const struct gn_md *md);

/* Takes a signature's type off `b`. False: it cannot be read. */
bool gn_md_skip_type(struct gn_bytes *b);

#endif
