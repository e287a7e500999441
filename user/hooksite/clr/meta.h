/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads types, methods and their parameters by token, for names. The source is
 * the module's file as it lies in memory (metadata.h). The runtime is asked
 * only about what no file has: modules that are made in memory, and what edits
 * add. Once asked, the runtime makes its own copy of a module's metadata, and
 * from then on takes a lock at each use of it.
 */
#ifndef GNOMON_CLR_META_H
#define GNOMON_CLR_META_H

#include <stdbool.h>

#include "cor.h"
#include "image.h"
#include "text.h"

struct gn_meta {
	const struct gn_md *md; /* from the file; NULL: ask the runtime */
	void *import;		/* IMetaDataImport2; both NULL: no source */
};

/* Chooses the source for this token of the module. gn_meta_close() releases it.
 * False: there is no source. */
bool gn_meta_open(struct gn_meta *m, struct gn_images *images, gn_cor_id module,
		  gn_token token);
void gn_meta_close(struct gn_meta *m);

/* The type that encloses a TypeDef or TypeRef. 0: none. */
gn_token gn_meta_outer(const struct gn_meta *m, gn_token token);
/* Appends a type's own name without its arity suffix (`1), or "?" if it has no
 * name. Returns the arity. */
uint32_t gn_meta_put_own(const struct gn_meta *m, struct gn_text *out,
			 gn_token token);
/* The signature of a TypeSpec. */
struct gn_bytes gn_meta_typespec(const struct gn_meta *m, gn_token token);

struct gn_meta_method {
	gn_token type;
	struct gn_bytes sig;
	uint32_t impl; /* GN_MD_IMPL_* */
};

/* `name`: the method's own name is appended to it; may be NULL. False: there is
 * no such method. */
bool gn_meta_method(const struct gn_meta *m, gn_token token,
		    struct gn_meta_method *method, struct gn_text *name);

/* The number of type parameters of a TypeDef or MethodDef. */
uint32_t gn_meta_parameters(const struct gn_meta *m, gn_token owner);
/* Appends the name of type parameter `n`, such as T. False: it has none. */
bool gn_meta_put_parameter(const struct gn_meta *m, struct gn_text *out,
			   gn_token owner, uint32_t n);

#endif
