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

/* Whether the method or its type has type parameters. */
bool gn_md_generic(const struct gn_md *md, uint32_t row);

/* The name of the module's assembly; "": it has none. */
const char *gn_md_assembly(const struct gn_md *md);

/* Takes a signature's type off `b`. False: it cannot be read. */
bool gn_md_skip_type(struct gn_bytes *b);

#endif
