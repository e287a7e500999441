/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What names are made of: types, methods and their parameters by their tokens.
 * It is read in the module's file as it lies in memory (metadata.h). The
 * runtime is asked only about what no file has: modules that are made in memory
 * and what edits add. To be asked it makes its own copy of a module's metadata,
 * and takes a lock at each later use of it, for good.
 */
#ifndef GNOMON_CLR_META_H
#define GNOMON_CLR_META_H

#include <stdbool.h>

#include "cor.h"
#include "image.h"
#include "text.h"

struct gn_meta {
	const struct gn_md *md; /* of the file; NULL: the runtime is asked */
	void *import;		/* IMetaDataImport2; NULL with `md`: nobody */
};

/* Who knows of this token of the module; gn_meta_close() ends it. False: nobody
 * does. */
bool gn_meta_open(struct gn_meta *m, struct gn_images *images, gn_cor_id module,
		  gn_token token);
void gn_meta_close(struct gn_meta *m);

/* The type that a TypeDef or TypeRef is nested in; 0: none. */
gn_token gn_meta_outer(const struct gn_meta *m, gn_token token);
/* Appends a type's own name, "?" if it has none, without the mark of its arity
 * (`1). Returns that. */
uint32_t gn_meta_put_own(const struct gn_meta *m, struct gn_text *out,
			 gn_token token);
/* The signature of a TypeSpec. */
struct gn_bytes gn_meta_typespec(const struct gn_meta *m, gn_token token);

struct gn_meta_method {
	gn_token type;
	struct gn_bytes sig;
	uint32_t impl; /* GN_MD_IMPL_* */
};

/* `name`: gets its own name appended; NULL: none is asked for. False: there is
 * no such method. */
bool gn_meta_method(const struct gn_meta *m, gn_token token,
		    struct gn_meta_method *method, struct gn_text *name);

/* The number of type parameters of a TypeDef or MethodDef. */
uint32_t gn_meta_parameters(const struct gn_meta *m, gn_token owner);
/* Appends the name of parameter `n`, like T. False: it has none. */
bool gn_meta_put_parameter(const struct gn_meta *m, struct gn_text *out,
			   gn_token owner, uint32_t n);

#endif
